"""``sectioner.ast_markdown``: sections are whole blocks of the syntax tree (DEV_SPEC 3.4.6.1).

They begin at headings as in ``sectioner.markdown_headings``; one that is longer than a bound goes
on in further sections of the same path, which begin between blocks. So a list, a table or a code
block is never in two sections, and a chunker sees it whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from pydantic import Field

from rag_assets.sections.base import Section
from rag_assets.sections.blocks import Block, scan_blocks
from rag_assets.sections.drafts import Draft, PreambleMode, merged_drafts
from rag_assets.sections.markdown_headings import section_headings
from rag_query.providers.registry import Params, register


class AstMarkdownParams(Params):
    """Parameters of ``sectioner.ast_markdown``."""

    max_section_level: int = Field(
        6, ge=1, le=6, description="deeper headings stay inside their section"
    )
    max_section_chars: int = Field(
        4000, ge=200, description="a longer section goes on in another one, between two blocks"
    )
    doc_preamble_mode: PreambleMode = "separate"
    min_section_chars: int = Field(
        200, ge=0, description="see sectioner.markdown_headings; 0 merges nothing"
    )


class AstMarkdown:
    """See the module."""

    def __init__(self, params: AstMarkdownParams) -> None:
        self._params = params

    def sections(self, md: str) -> list[Section]:
        """The sections of ``md``; one exceeds the bound only as a single block below headings."""
        headings = section_headings(md, self._params.max_section_level)
        drafts = merged_drafts(
            md, headings, self._params.doc_preamble_mode, self._params.min_section_chars
        )
        blocks = scan_blocks(md)
        starts = [block.start for block in blocks]
        out: list[Section] = []
        for draft in drafts:
            inside = blocks[bisect_left(starts, draft.start) : bisect_left(starts, draft.end)]
            title = draft.path[-1] if draft.level else None
            for start, end in self._parts(draft, inside):
                out.append(Section(draft.path, draft.level, title, start, end))
        return out

    def _parts(self, draft: Draft, blocks: list[Block]) -> Iterator[tuple[int, int]]:
        start = draft.start
        # A block is cut from what is before it above its headings; the first one never is.
        top: int | None = start
        for block in blocks:
            begins = block.start if top is None else top
            fits = block.end - start <= self._params.max_section_chars
            if begins > start and not fits:
                yield start, begins
                start = begins
            top = begins if block.kind == "heading" else None
        yield start, draft.end


register("sectioner.ast_markdown", version="9", params=AstMarkdownParams, build=AstMarkdown)
