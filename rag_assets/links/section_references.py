"""Words that name a numbered section of the same document: "see section 3.2", "参见第 3 章"."""

from __future__ import annotations

import re
from bisect import bisect_right

from rag_assets.links.base import FoundLink
from rag_assets.sections.blocks import Block, scan_blocks
from rag_assets.sections.heading_lines import headings_of
from rag_query.text.ids import doc_id
from rag_query.text.slugs import heading_slug

_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_ENDS = r"(?![A-Za-z0-9_%]|\.\d)"
_REFERENCE = re.compile(
    rf"(?:\b(?:sections?|sect?\.|chapters?|clauses?|articles?)\s+|§+\s*)(?P<en>{_NUMBER}){_ENDS}"
    rf"|第\s*(?P<zh>{_NUMBER})\s*[章节節条]"
    rf"|(?:参见|参阅|详见|参看|见)\s*(?P<see>\d{{1,3}}(?:\.\d{{1,3}}){{1,5}}){_ENDS}",
    re.IGNORECASE,
)
_OWN_NUMBER = re.compile(
    rf"(?:第\s*|(?:section|chapter|article|clause)\s+)?({_NUMBER})(?![\d%])", re.I
)
_CODE_SPAN = re.compile(r"(`+)[^`].*?\1")


def section_references(md: str, own_uri: str) -> list[FoundLink]:
    """References of ``md`` to its own numbered headings, in order.

    A number no heading has, or that several have, leads nowhere and is left out, as is what
    stands in headings and code.
    """
    written = list(_REFERENCE.finditer(md))
    if not written:
        return []
    anchors = _anchors(md)
    if not anchors:
        return []
    blocks = scan_blocks(md)
    starts = [block.start for block in blocks]
    target = doc_id(own_uri)
    found: list[FoundLink] = []
    for match in written:
        anchor = anchors.get(match["en"] or match["zh"] or match["see"])
        index = bisect_right(starts, match.start()) - 1
        if anchor and index >= 0 and _says(md, blocks[index], match.start()):
            found.append(FoundLink(match.start(), "section", match[0], own_uri, target, anchor))
    return found


def _anchors(md: str) -> dict[str, str | None]:
    """Number -> slug of the heading that bears it; None for one that several bear."""
    anchors: dict[str, str | None] = {}
    for heading in headings_of(md):
        if number := _OWN_NUMBER.match(heading.title):
            known = number[1] in anchors
            anchors[number[1]] = None if known else heading_slug(heading.title)
    return anchors


def _says(md: str, block: Block, place: int) -> bool:
    if block.kind in ("heading", "code"):
        return False
    line = md.rfind("\n", 0, place) + 1
    end = md.find("\n", place)
    spans = _CODE_SPAN.finditer(md, line, len(md) if end < 0 else end)
    return not any(span.start() <= place < span.end() for span in spans)
