"""``sectioner.markdown_headings``: sections begin at headings (DEV_SPEC 3.1.5.1).

Headings are those of the syntax tree that stand outside lists, quotes, code, HTML and boxes between
``:::``, and those that are a block of HTML of their own. A section runs to the next heading of the
levels that count, so sections cover the text without a gap. Deeper headings with nothing below them
but one of the deepest level that counts name what follows: they begin its section and stand in its
path. So does a deeper one above the title at the beginning of a text, but for the path.
"""

from __future__ import annotations

from pydantic import Field

from rag_assets.markdown_dialects import boxed_headings
from rag_assets.sections.base import Section
from rag_assets.sections.blocks import Block
from rag_assets.sections.drafts import Heading, PreambleMode, merged_drafts, sections_of
from rag_assets.sections.heading_lines import headings_of
from rag_assets.sections.releases import releases_in_place
from rag_query.providers.registry import Params, register
from rag_query.text.heading_attributes import without_attributes


class MarkdownHeadingsParams(Params):
    """Parameters of ``sectioner.markdown_headings``; the defaults are the specification's."""

    max_section_level: int = Field(
        3, ge=1, le=6, description="deeper headings stay inside their section"
    )
    include_heading: bool = Field(
        True,
        description="the heading's line is part of the text; the headings inside, deeper ones and "
        "those of sections that were merged, always are",
    )
    doc_preamble_mode: PreambleMode = "separate"
    min_section_chars: int = Field(
        200,
        ge=0,
        description="a section with less text below its heading is merged with the sibling or "
        "child that follows it, else with the sibling or parent before it; 1 merges only "
        "headings without any text of their own",
    )


def tree_headings(md: str, max_level: int) -> list[Heading]:
    """The headings of the syntax tree up to a level that stand in no box between ``:::``, their
    titles without attributes."""
    boxes = boxed_headings(md)
    return [
        Heading(block.start, block.end, block.level, _title(md, block))
        for block in headings_of(md, max_level)
        if not (boxes and any(start <= block.start < end for start, end in boxes))
    ]


def section_headings(md: str, max_level: int) -> list[Heading]:
    """:func:`tree_headings`, those of the last level from the deeper ones directly above them on.

    Above a heading further out a deeper one is rather the empty end of its own section; where a
    text begins it says of what kind that is which the heading names, and belongs to its section.
    """
    found: list[Heading] = []
    over: list[Heading] = []
    for heading in _opened(md, releases_in_place(md, tree_headings(md, 6)), max_level):
        if over and md[over[-1].end : heading.start].strip():
            over.clear()
        if heading.level > max_level:
            over.append(heading)
            continue
        if over and heading.level == max_level:
            titles = tuple(above.title for above in over)
            found.append(heading._replace(start=over[0].start, over=titles))
        else:
            found.append(heading)
        over.clear()
    return found


def _opened(md: str, headings: list[Heading], max_level: int) -> list[Heading]:
    """``headings``, a first one with nothing below it but one further out as part of that."""
    if len(headings) > 1:
        first, second = headings[:2]
        further_out = second.level < min(first.level, max_level)
        if further_out and not (md[: first.start] + md[first.end : second.start]).strip():
            return [second._replace(start=first.start), *headings[2:]]
    return headings


def _title(md: str, block: Block) -> str:
    title = block.title
    if title[-1] != "}" or md[block.end - 1] == "`":  # In code, braces are words.
        return title
    return without_attributes(title)


class MarkdownHeadings:
    """See the module."""

    def __init__(self, params: MarkdownHeadingsParams) -> None:
        self._params = params

    def sections(self, md: str) -> list[Section]:
        """The sections of ``md``; a text without headings is one section, the preamble."""
        headings = section_headings(md, self._params.max_section_level)
        given = self._params
        drafts = merged_drafts(md, headings, given.doc_preamble_mode, given.min_section_chars)
        return sections_of(drafts, include_heading=given.include_heading)


register(
    "sectioner.markdown_headings",
    version="8",
    params=MarkdownHeadingsParams,
    build=MarkdownHeadings,
)
