"""Links belong to the chunk that says them, and follow documents that move."""

from pathlib import Path

import pytest

from rag_assets.chunks import stage as chunks
from rag_assets.links import stage
from rag_assets.sections import stage as sections
from rag_query.text.ids import doc_id
from tests.unit.sections.made_library import SHARD, MadeLibrary


def test_links_belong_to_the_chunk_that_says_them(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put(
        "a.md", "# A\n\nsee [b](b.md#x) and [b again](b.md#x)\n\n# B\n\n[out](https://e.org)\n"
    )
    library.put("b.md", "nothing\n")
    library.flush()
    sections.run(library.ctx, SHARD)
    chunks.run(library.ctx, SHARD)
    result = stage.run(library.ctx, SHARD)
    rows = library.rows("links")
    first, second = library.rows("chunks")[:2]
    assert [(row["chunk_id"], row["kind"], row["weight"]) for row in rows] == [
        (first["chunk_id"], "link", 2.0),
        (second["chunk_id"], "external", 1.0),
    ]
    assert rows[0]["target_doc_id"] == doc_id("file://inbox/b.md")
    assert rows[0]["section_id"] == first["section_id"]
    kinds = {"external": 1, "link": 1}
    assert result.details == {"link_count": 2, "anchor_count": 2, "kinds": kinds}
    assert stage.run(library.ctx, SHARD).written is False


def test_only_links_to_what_moved_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", "see [b](b.md)\n")
    library.put("c.md", "see [d](d.md)\n")
    library.flush()
    sections.run(library.ctx, SHARD)
    chunks.run(library.ctx, SHARD)
    stage.run(library.ctx, SHARD)
    at_b = doc_id("file://inbox/b.md")
    for stands, computed, leads in (({at_b: "doc_x"}, 1, "doc_x"), ({}, 1, at_b), ({}, 0, at_b)):
        monkeypatch.setattr(stage, "identities", lambda _, stands=stands: stands)
        assert stage.run(library.ctx, SHARD).computed == computed
        assert library.rows("links")[0]["target_doc_id"] == leads


def test_links_of_repeated_texts_and_of_overlap_count_where_they_stand() -> None:
    found_at = [3, 12, 25]
    from rag_assets.links.base import FoundLink

    found = [FoundLink(place, "link", "t", "u", None, None) for place in found_at]
    places = [
        {"chunk_id": "c1", "section_id": "s", "char_start": 0, "char_end": 15,
         "also_at": [{"char_start": 20, "char_end": 35}]},
        {"chunk_id": "c2", "section_id": "s", "char_start": 10, "char_end": 18, "also_at": []},
    ]  # fmt: skip
    rows = stage.link_rows(found, places, "v", "d")
    assert [(row["chunk_id"], row["weight"]) for row in rows] == [("c1", 3.0)]


def test_links_in_wide_overlap_belong_to_the_first_chunk_that_holds_them(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    said = " ".join(f"Sentence number {n} [l{n}](x{n}.md) is here now." for n in range(60))
    library.put("a.md", f"# A\n\n{said}\n")
    library.flush()
    library.set_provider("chunker", "chunker.sentence_window", chunk_size=400, overlap_sentences=20)
    sections.run(library.ctx, SHARD)
    chunks.run(library.ctx, SHARD)
    stage.run(library.ctx, SHARD)
    ordered = sorted(library.rows("chunks"), key=lambda row: row["char_start"])
    rows = library.rows("links")
    assert len(rows) == 60
    for row in rows:
        first = next(chunk for chunk in ordered if f"[{row['text']}]" in chunk["chunk_text"])
        assert row["chunk_id"] == first["chunk_id"]


def link_by_terms(library: MadeLibrary, parts: list[str]) -> None:
    library.put("a.md", "\n".join(parts))
    library.flush()
    library.set_params("linker", shared_terms=2)
    for run in (sections.run, chunks.run, stage.run):
        run(library.ctx, SHARD)


def test_chunks_that_share_rare_terms_are_linked_both_ways(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    parts = [f"# P{n}\n\nplain words of part {n}\n" for n in range(6)]
    parts[1] += "\nThe Kelvin bearing by Tesla.\n"
    parts[4] += "\nTesla ordered a Kelvin bearing.\n"
    link_by_terms(library, parts)
    ids = [row["chunk_id"] for row in library.rows("chunks")]
    rows = [(row["chunk_id"], row["target_anchor"]) for row in library.rows("links")]
    assert sorted(rows) == sorted([(ids[1], ids[4]), (ids[4], ids[1])])
    assert {row["kind"] for row in library.rows("links")} == {"term"}
    # As they stand there, not as stems.
    assert [row["text"] for row in library.rows("links")] == ["Kelvin, bearing, Tesla"] * 2


def test_shared_chinese_terms_are_shown_as_words_of_the_text(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    parts = [f"# P{n}\n\n第{n}部分的一般文字\n" for n in range(6)]
    parts[1] += "\n機械密封由特斯拉公司製造。\n"
    parts[4] += "\n特斯拉公司更換了機械密封。\n"
    link_by_terms(library, parts)
    shown = {row["text"] for row in library.rows("links")}
    assert len(shown) == 1
    assert {"機械", "密封"} <= set(shown.pop().split(", "))
