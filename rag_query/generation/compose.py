"""The text of a reply, Markdown for a reader, from what was released."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rag_query.contracts.answer import Contradiction, Parent
from rag_query.generation.release import Released
from rag_query.generation.wording import Wording


def answer_text(
    released: Released,
    parent: Parent,
    found: Sequence[Contradiction],
    wording: Wording,
    *,
    structured: bool,
) -> str:
    """Sections with their sentences, the numbers of their chunks in brackets, then the source."""
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
            lines.append(f"{released.leads[index]}{entry.text} {marks}")
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
        f"[{number}] {chunk_id}{wording.pages(pages.get(chunk_id, ()))}"
        for chunk_id, number in numbers.items()
    ]
    return "\n".join(lines)


def _pages(released: Released) -> dict[str, list[int]]:
    """chunk id -> the pages the sentences taken from it stand on, ascending."""
    found: dict[str, set[int]] = defaultdict(set)
    for entry in released.generation_map:
        for span in entry.spans:
            found[span.chunk_id] |= {page for page in (span.page, span.page_end) if page}
    return {chunk_id: sorted(pages) for chunk_id, pages in found.items()}
