"""``transformer.enrich_post``: what is searched besides the text of a chunk (DEV_SPEC 3.1.7).

The chunk's own text is never changed. What is added lies in fields of its own and in the
retrieval text, which the indexes read and nobody cites.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, field_validator

from rag_assets.enrichment.keywords import KeywordExtractor
from rag_query.providers.registry import Params, register
from rag_query.text.canonical import canonical
from rag_query.text.ids import sha256_text
from rag_query.text.language import Language, markdown_language
from rag_query.text.pictures import without_addresses, words_of
from rag_query.text.section_paths import PREAMBLE, SEPARATOR

_FIELDS = frozenset({"title_path", "chunk_text", "keywords", "captions", "ocr_text", "summary"})
_GAPS = re.compile(r"\n{3,}")
#: Where in a chunk its own heading would stand.
_HEADING_CHARS = 400
#: Scripts written without blanks between words.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class EnrichPostParams(Params):
    """Parameters of ``transformer.enrich_post``."""

    template: str = Field(
        "{title_path}\n\n{chunk_text}\n\n{summary}\n\n{captions}\n\n{ocr_text}",
        description="of the retrieval text; {title_path} are the document's title and the "
        "headings above the chunk that it does not hold itself; {keywords} may be used too",
    )
    keywords: int = Field(8, ge=0, le=50, description="at most so many for a chunk")
    caption_parts: tuple[Literal["summary", "key_points", "entities", "numbers"], ...] = Field(
        ("summary", "key_points", "entities"), description="of a caption, in the retrieval text"
    )
    caption_max_chars: int = Field(1500, ge=0, description="of one caption's text")
    ocr_max_chars: int = Field(
        20_000, ge=0, description="of the text read from pictures that one chunk takes"
    )
    embedding_view: Literal["chunk_text", "chunk_text_or_ocr", "titled_text", "retrieval_text"] = (
        Field(
            "chunk_text",
            description="what is embedded, without the addresses of pictures where there are words "
            "too; chunk_text_or_ocr: of a chunk that is nothing but pictures, the text read from "
            "them (DEV_SPEC 3.1.7.4 keeps both out by default); titled_text: the same, under the "
            "titles above the chunk that it does not hold itself",
        )
    )

    @field_validator("template")
    @classmethod
    def _known_fields(cls, template: str) -> str:
        fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
        names = {name for _, name, _, _ in fields if name is not None}
        if unknown := names - _FIELDS:
            raise ValueError(f"unknown fields {sorted(unknown)}; known: {sorted(_FIELDS)}")
        if "chunk_text" not in names:
            raise ValueError("{chunk_text} must be part of the retrieval text")
        if any(spec or conversion for _, _, spec, conversion in fields):
            raise ValueError("a field is its name alone, without ':' or '!': {chunk_text}")
        return template


@dataclass(frozen=True, slots=True)
class ChunkToEnrich:
    """One chunk and what is known around it.

    Attributes:
        path: titles of the sections above, outermost first.
        captions: (asset_id, what is known of the picture) of the chunk's media.
        ocr_text: what was read from its pages and images.
        summary: what a model made of it.
    """

    text: str
    path: tuple[str, ...]
    captions: tuple[tuple[str, str], ...] = ()
    ocr_text: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Enriched:
    """The columns of ``enriched`` that are computed."""

    language: Language
    retrieval_text: str
    keywords: list[str]
    captions: list[str]
    embedding_text: str
    content_hash: str


class EnrichPost:
    """See the module."""

    def __init__(self, params: EnrichPostParams) -> None:
        self._params = params
        self._keywords = KeywordExtractor(params.keywords)

    @property
    def ocr_max_chars(self) -> int:
        """See :class:`EnrichPostParams`."""
        return self._params.ocr_max_chars

    def caption_text(self, caption: Mapping[str, Any]) -> str:
        """The parts of a stored caption that are searched, one line each kind."""
        lines = [caption["summary"]]
        lines = lines if "summary" in self._params.caption_parts else []
        for part in self._params.caption_parts:
            if part == "numbers":
                numbers = caption.get(part, [])
                lines.append("; ".join(_number(number) for number in numbers))
            elif part != "summary":
                lines.append("; ".join(caption.get(part, [])))
        return "\n".join(filter(None, lines))[: self._params.caption_max_chars]

    def enrich(
        self, chunks: Sequence[ChunkToEnrich], *, title: str | None, language: str | None
    ) -> list[Enriched]:
        """Enrich all chunks of one document version; a pure function of its arguments.

        Args:
            title: the document's.
            language: the document's, for chunks without letters.
        """
        words = self._keywords.keywords([words_of(chunk.text, chunk.ocr_text) for chunk in chunks])
        return [
            self._one(chunk, keywords, title, language)
            for chunk, keywords in zip(chunks, words, strict=True)
        ]

    def _one(
        self, chunk: ChunkToEnrich, keywords: list[str], title: str | None, language: str | None
    ) -> Enriched:
        captions = [text for _, text in chunk.captions]
        unsaid = [(asset, text) for asset, text in chunk.captions if text not in chunk.text]
        titles = _unsaid_titles(chunk, title)
        retrieval_text = self._params.template.format(
            title_path=SEPARATOR.join(titles),
            chunk_text=chunk.text,
            keywords=" ".join(keywords),
            captions="\n".join(f"[image_caption asset_id={a}] {text}" for a, text in unsaid),
            ocr_text=chunk.ocr_text,
            summary=chunk.summary,
        )
        retrieval_text = _GAPS.sub("\n\n", retrieval_text).strip()
        words = words_of(chunk.text, chunk.ocr_text)
        embedding_text = canonical(self._embedded(chunk.text, words, titles, retrieval_text))
        return Enriched(
            language=_language(words, language),
            retrieval_text=retrieval_text,
            keywords=keywords,
            captions=captions,
            embedding_text=embedding_text,
            content_hash=sha256_text(embedding_text),
        )

    def _embedded(self, text: str, words: str, titles: list[str], retrieval_text: str) -> str:
        match self._params.embedding_view:
            case "chunk_text":
                return without_addresses(text)
            case "chunk_text_or_ocr":
                return without_addresses(words)
            case "titled_text":
                return _titled(titles, without_addresses(words))
            case "retrieval_text":
                return without_addresses(retrieval_text)


def _number(number: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (number["name"], number["value"], number.get("unit"))))


def _unsaid_titles(chunk: ChunkToEnrich, title: str | None) -> list[str]:
    """The titles above a chunk; one it begins with is not said twice."""
    head = chunk.text[:_HEADING_CHARS]
    titles = [title] if title else []
    titles += [part for part in chunk.path if part != PREAMBLE]
    return [part for part in dict.fromkeys(titles) if not _says(head, part)]


def _titled(titles: list[str], text: str) -> str:
    """A text under the titles it does not begin with.

    A loader makes a title of the first words where there is none. Words count twice then, as they
    do in a title; a vector only loses by it.
    """
    head = " ".join(text[:_HEADING_CHARS].split())
    above = []
    for title in titles:
        said = title.removesuffix("…")
        if not _says(head, " ".join(said.split()), cut=said != title):
            above.append(title)
    return f"{' / '.join(above)}\n\n{text}"


def _says(text: str, title: str, *, cut: bool = False) -> bool:
    """Whether a text says a title, not only a longer word that holds it: "Go" is not in "Good", nor
    马 in 马上. One that a loader ``cut`` goes on in the text."""
    at = text.find(title)
    while at >= 0:
        beside = text[at - 1 : at] + text[at + len(title) :][:1]
        if cut or not any(_is_of_word(character, title) for character in beside):
            return True
        at = text.find(title, at + 1)
    return False


def _is_of_word(character: str, title: str) -> bool:
    """Whether a word goes on with ``character`` beside a title. In scripts without blanks that
    cannot be told of more than one character."""
    return character.isalnum() and (len(title) == 1 or not _UNSPACED.match(character))


def _language(text: str, document: str | None) -> Language:
    found = markdown_language(text)
    if found == "other" and document in ("zh", "en") and not any(map(str.isalpha, text)):
        return "zh" if document == "zh" else "en"
    return found


register("transformer.enrich_post", version="5", params=EnrichPostParams, build=EnrichPost)
