"""What is embedded and searched of a chunk, beside its own words."""

import pytest

from rag_assets.enrichment.keywords import KeywordExtractor
from rag_assets.enrichment.provider import ChunkToEnrich, EnrichPost, EnrichPostParams
from rag_query.text.canonical import content_hash


def enricher(**params: object) -> EnrichPost:
    return EnrichPost(EnrichPostParams.model_validate(params))


def test_the_retrieval_text_says_what_the_chunk_does_not() -> None:
    chunks = [
        ChunkToEnrich("## Setup\n\nInstall it.", ("Guide", "Setup")),
        ChunkToEnrich("More of it.", ("Guide", "Setup")),
        ChunkToEnrich("Intro.", ("__preamble__",)),
    ]
    found = enricher().enrich(chunks, title="Guide", language="en")
    assert [one.retrieval_text for one in found] == [
        "Guide\n\n## Setup\n\nInstall it.",
        "Guide / Setup\n\nMore of it.",
        "Guide\n\nIntro.",
    ]
    assert [one.embedding_text for one in found] == [chunk.text for chunk in chunks]
    assert found[0].content_hash == content_hash(chunks[0].text)


def test_a_title_made_of_the_first_words_is_not_embedded_twice() -> None:
    text = "What it is about and where it stands. " * 8
    chunks = [ChunkToEnrich(text, ()), ChunkToEnrich("More of it.", ())]
    title = text[:119].rstrip() + "…"
    first, second = enricher(embedding_view="titled_text").enrich(
        chunks, title=title, language="en"
    )
    assert first.embedding_text == text.strip()
    assert second.retrieval_text == f"{title}\n\nMore of it."


def test_the_retrieval_text_can_be_embedded() -> None:
    chunk = ChunkToEnrich("More.", ("A",))
    (one,) = enricher(embedding_view="retrieval_text").enrich([chunk], title=None, language=None)
    assert one.embedding_text == one.retrieval_text == "A\n\nMore."


def test_a_later_piece_can_be_embedded_under_its_titles() -> None:
    chunks = [
        ChunkToEnrich("# Guide\n\nWhat it is.", ("Guide",)),
        ChunkToEnrich("More of it.", ("Guide", "Setup"), summary="Not part of it."),
        ChunkToEnrich("![](asset://aa)", ("__preamble__",), ocr_text="Read from the picture."),
    ]
    found = enricher(embedding_view="titled_text").enrich(chunks, title="Guide", language="en")
    assert [one.embedding_text for one in found] == [
        "# Guide\n\nWhat it is.",
        "Guide / Setup\n\nMore of it.",
        "Guide\n\nRead from the picture.",
    ]


@pytest.mark.parametrize("view", ["chunk_text", "titled_text", "retrieval_text"])
def test_addresses_of_pictures_are_not_embedded(view: str) -> None:
    address = f"asset://{'0' * 64}"
    text = f'打开阀门。\n\n![]({address})\n\n![总阀]({address} "a")\n\n<img src="{address}">'
    (one,) = enricher(embedding_view=view).enrich([ChunkToEnrich(text, ())], title="", language="")
    assert one.embedding_text == '打开阀门。\n\n总阀\n\n<img src="">'
    assert one.retrieval_text == text


def test_pages_of_a_scan_that_was_not_read_are_embedded_apart() -> None:
    pages = [ChunkToEnrich(f"![](asset://{page * 64})", ()) for page in "ab"]
    found = enricher(embedding_view="titled_text").enrich(pages, title="Ledger", language=None)
    assert len({one.embedding_text for one in found}) == 2


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        ("Go", "## Update\n\nGood practice.", False),
        ("Go", "## Update\n\nGo compiles.", True),
        ("R", "Read the data.", False),
        ("马", "## 喂养\n\n马上准备草料。", False),
        ("马", "## 马\n\n准备草料。", True),
        ("内容集合", "请使用内容集合来查询。", True),
    ],
)
def test_a_title_is_said_only_as_a_word(title: str, text: str, said: bool) -> None:
    (one,) = enricher(embedding_view="titled_text").enrich(
        [ChunkToEnrich(text, (title,))], title=None, language=None
    )
    expected = text if said else f"{title}\n\n{text}"
    assert (one.retrieval_text, one.embedding_text) == (expected, expected)


def test_captions_are_searched_and_marked() -> None:
    chunk = ChunkToEnrich("![](asset://aa)", (), (("aa", "A pipeline drawn as boxes"),))
    (one,) = enricher().enrich([chunk], title=None, language="en")
    assert one.retrieval_text.endswith("[image_caption asset_id=aa] A pipeline drawn as boxes")
    assert one.captions == ["A pipeline drawn as boxes"]
    said = ChunkToEnrich("![A cat](asset://aa)", (), (("aa", "A cat"),))
    (one,) = enricher().enrich([said], title=None, language="en")
    assert one.retrieval_text == said.text


def test_braces_in_the_text_are_text() -> None:
    chunk = ChunkToEnrich("use {chunk_text} and {0}", ())
    (one,) = enricher().enrich([chunk], title="{title}", language=None)
    assert one.retrieval_text == "{title}\n\nuse {chunk_text} and {0}"


@pytest.mark.parametrize(
    "template",
    [
        "{title_path}",
        "{chunk_text} {author}",
        "{chunk_text",
        "{chunk_text:d}",
        "{chunk_text!x}",
        "{chunk_text} {}",
    ],
)
def test_bad_templates_are_refused(template: str) -> None:
    with pytest.raises(ValueError):
        EnrichPostParams(template=template)


def test_a_chinese_passage_with_addresses_is_chinese() -> None:
    text = "见[指南](https://example.org/a/very/long/address/of/a/page/in/english)。"
    (one,) = enricher().enrich([ChunkToEnrich(text, ())], title=None, language="en")
    assert one.language == "zh"


def test_language_falls_back_to_the_document() -> None:
    chunks = [ChunkToEnrich(text, ()) for text in ("| 1 | 2 |", "中文", "Русский")]
    found = enricher().enrich(chunks, title=None, language="zh")
    assert [one.language for one in found] == ["zh", "zh", "other"]


def test_keywords_tell_chunks_of_a_document_apart() -> None:
    texts = [
        "The library stores vectors. Vectors are stored by the library.",
        "The library prints reports on [money](https://bank.example/loan). 火锅的做法，火锅好吃。",
    ]
    first, second = KeywordExtractor(5).keywords(texts)
    assert first[0] == "vectors"
    assert second[0] == "火锅"
    assert "the" not in first and "bank" not in second
    assert KeywordExtractor(5).keywords(texts) == [first, second]
    assert KeywordExtractor(0).keywords(texts) == [[], []]
