"""A pack as Markdown that stands alone: what was found, and where to look it up.

Shared by the command line and the MCP server (level L0 of DEV_SPEC 3.3.4.1). Text of documents
is shown as quotations, so it cannot pass for what the library itself says.
"""

from __future__ import annotations

import re

from rag_query.contracts.evidence import EvidenceItem
from rag_query.contracts.pack import EvidencePack
from rag_query.retrieval.leg_failure import is_stand_in
from rag_query.text.section_paths import PREAMBLE

_IMAGE = re.compile(r"!\[([^\]]*)\]\(asset://[0-9a-f]{64}\)")
_MARKUP = re.compile(r"([\\`*_\[\]<>])")


def pack_markdown(pack: EvidencePack, first: int = 1) -> str:
    """The evidences in order, numbered for citation from ``first`` on, then warnings.

    Each shows title, section, pages, the source's URI and the snippet. That words or meaning alone
    were searched is said before them: the same question may find other passages later.
    """
    alone = [warning for warning in pack.warnings if is_stand_in(warning)]
    parts = [f"> **{_searched(pack)}** {_one_line(warning)}" for warning in alone]
    parts += [
        evidence_markdown(evidence, number) for number, evidence in enumerate(pack.evidences, first)
    ] or ["No evidence was found."]
    if others := [warning for warning in pack.warnings if warning not in alone]:
        parts.append("\n".join(f"> Note: {_one_line(warning)}" for warning in others))
    return "\n\n".join(parts) + "\n"


def _searched(pack: EvidencePack) -> str:
    return "By words alone." if pack.explain.dense_failed else "By meaning alone."


def evidence_markdown(evidence: EvidenceItem, number: int) -> str:
    """One evidence: ``[n]``, what it is, where it is from, and its text as a quotation."""
    lines = [f"**[{number}] {_plain(evidence.title or evidence.source_uri)}**", citation(evidence)]
    if evidence.snippet:
        lines += ["", *(f"> {line}".rstrip() for line in readable(evidence.snippet).splitlines())]
    return "\n".join(lines)


def readable(snippet: str) -> str:
    """A snippet for reading: an image's 64-digit address gives way to what the image shows.

    The addresses stay in ``metadata.asset_ids`` (DEV_SPEC 3.3.4.1: level L0 shows placeholders).
    """
    return _IMAGE.sub(lambda match: f"[image: {match[1]}]" if match[1] else "[image]", snippet)


def citation(evidence: EvidenceItem) -> str:
    """One line: section, pages or lines, images, the source's URI, the evidence's id."""
    metadata = evidence.metadata
    parts = []
    section = metadata.section_path or metadata.section_title
    if section and section != PREAMBLE:
        # As a section filter takes it.
        parts.append(f"§ {_plain(section)}")
    if metadata.page is not None:
        parts.append(_pages(metadata.page, metadata.page_end, metadata.page_label))
    elif metadata.line_start is not None:
        lines = _span("line", metadata.line_start, metadata.line_end)
        parts.append(lines + of_the_text(evidence.source_uri))
    if metadata.from_ocr:
        parts.append("read by OCR")
    if metadata.asset_ids:
        images = len(metadata.asset_ids)
        parts.append("1 image" if images == 1 else f"{images} images")
    if metadata.is_latest is False:
        parts.append(f"older version {metadata.version_no}")
    # In code spans a URI is shown as it is, whatever characters it holds.
    parts += [f"`{evidence.source_uri}`", f"`{evidence.id}`"]
    return " · ".join(parts)


def of_the_text(source_uri: str) -> str:
    """Says whose lines are meant where they are not the file's: those of an HTML page or a record
    are of its parsed text."""
    path, _, fragment = source_uri.partition("#")
    html = path.lower().endswith((".html", ".htm"))
    return " of the text" if fragment or html else ""


def _pages(first: int, last: int | None, label: str | None) -> str:
    shown = _span("page", first, last)
    return f"{shown} (printed {_plain(label)})" if label and label != str(first) else shown


def _span(unit: str, first: int, last: int | None) -> str:
    return f"{unit} {first}" if last in (None, first) else f"{unit}s {first}-{last}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Text that Markdown shows as it stands."""
    return _MARKUP.sub(r"\\\1", _one_line(text))
