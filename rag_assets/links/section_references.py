"""Words that name a numbered section of the same document: "see section 3.2", "参见第 3 章"."""

from __future__ import annotations

import re

from rag_assets.links.base import FoundLink
from rag_assets.markdown_tree import Spans
from rag_assets.sections.heading_lines import headings_of
from rag_query.text.ids import doc_id
from rag_query.text.slugs import unique_slugs

_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_ENDS = r"(?![A-Za-z0-9_%]|\.\d)"
_REFERENCE = re.compile(
    rf"(?:\b(?:sections?|sect?\.|chapters?|clauses?|articles?)\s+|(?<!§)§+\s*)(?P<en>{_NUMBER}){_ENDS}"
    rf"|第\s*(?P<zh>{_NUMBER})\s*[章节節条]"
    rf"|(?:参见|参阅|详见|参看|见)\s*(?P<see>\d{{1,3}}(?:\.\d{{1,3}}){{1,5}}){_ENDS}",
    re.IGNORECASE,
)
#: The number that "3. Rain" bears, and "3D printing" does not.
_OWN_NUMBER = re.compile(
    rf"(?:第\s*|(?:section|chapter|article|clause)\s+)?({_NUMBER}){_ENDS}", re.I
)
_NO_REFERENCES = frozenset({"Heading", "Code", "CodeBlock"})


def section_references(md: str, own_uri: str, most: int) -> list[FoundLink]:
    """References of ``md`` to its own numbered headings, in order, ``most`` at most.

    A number no heading has, or that several have, leads nowhere and is left out, as is what
    stands in headings and code.
    """
    found: list[FoundLink] = []
    if most < 1 or not _REFERENCE.search(md):
        return found
    anchors = _anchors(md)
    if not anchors:
        return found
    elsewhere = Spans(md, _NO_REFERENCES)
    target = doc_id(own_uri)
    for match in _REFERENCE.finditer(md):
        anchor = anchors.get(match["en"] or match["zh"] or match["see"])
        if anchor and not elsewhere.hold(match.start()):
            found.append(FoundLink(match.start(), "section", match[0], own_uri, target, anchor))
            if len(found) == most:
                break
    return found


def _anchors(md: str) -> dict[str, str | None]:
    """Number -> slug of the heading that bears it; None for one that several bear."""
    anchors: dict[str, str | None] = {}
    titles = [heading.title for heading in headings_of(md)]
    for title, slug in zip(titles, unique_slugs(titles), strict=True):
        if number := _OWN_NUMBER.match(title):
            anchors[number[1]] = None if number[1] in anchors else slug
    return anchors
