"""A pack as Markdown that stands alone: what was found, and where to look it up.

Shared by the command line and the MCP server (level L0 of DEV_SPEC 3.3.4.1). Text of documents
is shown as quotations, so it cannot pass for what the library itself says.
"""

from __future__ import annotations

import re

from rag_query.contracts.evidence import EvidenceItem
from rag_query.contracts.pack import EvidencePack
from rag_query.retrieval.citation import Citation, plain_markdown
from rag_query.retrieval.leg_failure import is_stand_in
from rag_query.text.pictures import ASSET_SCHEME

_IMAGE = re.compile(rf"!\[([^\]]*)\]\({ASSET_SCHEME}[0-9a-f]{{64}}\)")


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
    lines = [
        f"**[{number}] {plain_markdown(evidence.title or evidence.source_uri)}**",
        citation(evidence),
    ]
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
    where = evidence.metadata
    return Citation(
        chunk_id=evidence.id,
        source_uri=evidence.source_uri,
        section=where.section_path or where.section_title,
        page=where.page,
        page_end=where.page_end,
        page_label=where.page_label,
        line_start=where.line_start,
        line_end=where.line_end,
        from_ocr=bool(where.from_ocr),
        images=len(where.asset_ids),
        older_version=where.version_no if where.is_latest is False else None,
    ).line(shown=plain_markdown)


def _one_line(text: str) -> str:
    return " ".join(text.split())
