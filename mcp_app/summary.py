"""A document's summary as tools show it: sentences, each with the passage it stands in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from mcp_app.reading import Range, place_line, require
from rag_query.text.section_paths import PREAMBLE

if TYPE_CHECKING:
    from rag_query.library.places import Where
    from rag_query.library.snapshot import Snapshot
    from rag_query.summaries.extractive import Sentence, Style

SUMMARY_SCHEMA = {
    "type": "object",
    "properties": {
        "style": {"type": "string", "enum": ["short", "bullet", "detailed"]},
        "method": {"type": "string", "description": "extractive: the document's own sentences"},
        "text": {"type": "string"},
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["text", "chunk_id"],
                "properties": {
                    "text": {"type": "string"},
                    "chunk_id": {"type": "string"},
                    "section_path": {"type": "string"},
                    "page": {"type": "integer"},
                },
            },
        },
    },
}


def summary_of(
    snapshot: Snapshot, doc_id: str, version_id: str, style: Style, wanted: Range
) -> tuple[str, dict[str, Any]]:
    """The summary of a range of a version, as Markdown and as fields.

    Raises:
        ExcerptaError: ``INVALID_ARGUMENT`` when nothing lies in the range.
    """
    from rag_query.library.places import VersionPlaces
    from rag_query.summaries.extractive import summarize

    catalog = snapshot.catalog
    chunks = [c for c in catalog.document_chunks(doc_id, version_id) if wanted.holds(c)]
    found = summarize(require(chunks, catalog, doc_id, version_id, wanted), style)
    where = VersionPlaces(snapshot, version_id)
    sentences = [_placed(sentence, where) for sentence in found]
    fields = {
        "style": style,
        "method": "extractive",
        "text": " ".join(sentence.text for sentence in sentences),
        "sentences": [_shown(sentence) for sentence in sentences],
    }
    return _markdown(sentences, style), fields


def _placed(sentence: Sentence, where: Where) -> Sentence:
    """With the page its own words begin on; its passage may begin on an earlier one."""
    if sentence.page is None:
        return sentence
    return replace(sentence, page=where(sentence.chunk_id, sentence.start, sentence.end).page)


def _shown(sentence: Sentence) -> dict[str, Any]:
    shown = {"text": sentence.text, "chunk_id": sentence.chunk_id}
    if sentence.page is not None:
        shown["page"] = sentence.page  # type: ignore[assignment]
    return shown | {"section_path": sentence.section_path}


def _markdown(sentences: Sequence[Sentence], style: Style) -> str:
    """The sentences with the numbers of their passages, and the passages below."""
    if not sentences:
        return "There is no prose to summarise; read it with library_get_document."
    # A passage that runs over pages is cited once for each page, as a person has to turn to it.
    numbers = {source: n for n, source in enumerate(dict.fromkeys(map(_source, sentences)), 1)}
    cited = [(s, f"{s.text} [{numbers[_source(s)]}]") for s in sentences]
    if style == "short":
        body = " ".join(text for _, text in cited)
    elif style == "bullet":
        body = "\n".join(f"- {text}" for _, text in cited)
    else:
        parts = []
        for path, group in groupby(cited, key=lambda pair: pair[0].section_path):
            heading = "" if path == PREAMBLE else f"**{path}**\n\n"
            parts.append(heading + " ".join(text for _, text in group))
        body = "\n\n".join(parts)
    sources = "\n".join(
        f"[{number}] {'' if path == PREAMBLE else '§ '}{place_line(path, page, page)} · `{chunk}`"
        for (chunk, page, path), number in numbers.items()
    )
    return f"{body}\n\n{sources}"


def _source(sentence: Sentence) -> tuple[str, int | None, str]:
    """What has one number: a passage, and the page of it that words stand on."""
    return sentence.chunk_id, sentence.page, sentence.section_path
