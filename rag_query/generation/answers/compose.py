"""The text of a reply, Markdown for a reader, from what was released."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from rag_query.contracts.answer import Contradiction, Parent
from rag_query.generation.answers.release import Released
from rag_query.generation.answers.wording import Wording
from rag_query.generation.passages.sentences import SourceChunk
from rag_query.retrieval.citation import Citation


def answer_text(
    released: Released,
    parent: Parent,
    chunks: Mapping[str, SourceChunk],
    found: Sequence[Contradiction],
    wording: Wording,
    *,
    structured: bool,
) -> str:
    """Sections with their sentences, the numbers of their chunks in brackets, then the sources.

    Args:
        chunks: chunk id -> chunk, of the evidence.
    """
    numbers: dict[str, int] = {}
    for entry in released.generation_map:
        for chunk_id in entry.used_chunks:
            numbers.setdefault(chunk_id, len(numbers) + 1)
    lines: list[str] = []
    for section in released.sections:
        if len(released.sections) > 1 or structured:
            lines += [f"**{section.title}**", ""]
        for index in section.sentences:
            entry = released.generation_map[index]
            marks = "".join(f"[{numbers[c]}]" for c in entry.used_chunks)
            heading = f"{entry.heading} — " if entry.heading else ""
            lines.append(f"{released.leads[index]}{heading}{entry.text} {marks}")
            if not released.leads[index]:
                lines.append("")
        if lines and lines[-1]:
            lines.append("")
    lines += [f"> {wording.contradiction(each)}" for each in found]
    if found:
        lines.append("")
    lines.append(wording.source(parent))
    pages = _pages(released)
    lines += [
        f"[{number}] {_cited(chunks[chunk_id], parent, pages.get(chunk_id, ()), wording)}"
        for chunk_id, number in numbers.items()
    ]
    return "\n".join(lines)


def _cited(chunk: SourceChunk, parent: Parent, pages: Sequence[int], wording: Wording) -> str:
    """A source as ``query`` cites it, with the pages its sentences stand on."""
    return Citation(
        chunk_id=chunk.chunk_id,
        source_uri=parent.source_uri,
        section=chunk.section_path,
        page=pages[0] if pages else None,
        page_end=pages[-1] if pages else None,
        line_start=chunk.line_start,
        line_end=chunk.line_end,
        from_ocr=chunk.is_read,
        older_version=None if parent.is_latest else parent.version_no,
    ).line(chinese=wording.chinese)


def _pages(released: Released) -> dict[str, list[int]]:
    """chunk id -> the pages the sentences taken from it stand on, ascending."""
    found: dict[str, set[int]] = defaultdict(set)
    for entry in released.generation_map:
        for span in entry.spans:
            found[span.chunk_id] |= {page for page in (span.page, span.page_end) if page}
    return {chunk_id: sorted(pages) for chunk_id, pages in found.items()}
