"""``sectioner.markdown_headings``: sections begin at headings (DEV_SPEC 3.1.5.1).

Headings are those of the syntax tree that stand outside lists, quotes, code and HTML. A section
runs to the next heading of the levels that count, so sections cover the text without a gap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from rag_assets.sections.base import PREAMBLE, TITLE_JOINT, Section
from rag_assets.sections.blocks import FRONT_MATTER, scan_headings
from rag_query.providers.registry import Params, register


class MarkdownHeadingsParams(Params):
    """Parameters of ``sectioner.markdown_headings``; the defaults are the specification's."""

    max_section_level: int = Field(
        3, ge=1, le=6, description="deeper headings stay inside their section"
    )
    include_heading: bool = Field(True, description="the heading's line is part of the text")
    doc_preamble_mode: Literal["separate", "merge_into_first", "drop"] = "separate"
    min_section_chars: int = Field(
        200,
        ge=0,
        description="a section with less text below its heading is merged with the sibling or "
        "child that follows it, else with the sibling or parent before it; 1 merges only "
        "headings without any text of their own",
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A section before merging.

    Attributes:
        own: the titles of its last heading; ``path`` may name merged siblings as well.
        text_from: where the text below the first heading begins.
        weight: characters below its headings.
    """

    path: tuple[str, ...]
    own: tuple[str, ...]
    level: int
    start: int
    text_from: int
    end: int
    weight: int


class MarkdownHeadings:
    """See the module."""

    def __init__(self, params: MarkdownHeadingsParams) -> None:
        self._params = params

    def sections(self, md: str) -> list[Section]:
        """The sections of ``md``; a text without headings is one section, the preamble."""
        drafts = self._drafts(md)
        if self._params.min_section_chars:
            drafts = _merge(drafts, self._params.min_section_chars)
        include = self._params.include_heading
        return [
            Section(
                draft.path,
                draft.level,
                draft.path[-1] if draft.level else None,
                draft.start if include else draft.text_from,
                draft.end,
            )
            for draft in drafts
        ]

    def _drafts(self, md: str) -> list[_Draft]:
        front = FRONT_MATTER.match(md)
        skipped = front.end() if front else 0
        headings = [
            block
            for block in scan_headings(md[skipped:] if skipped else md)
            if block.level <= self._params.max_section_level
        ]
        drafts: list[_Draft] = []
        bounds = [block.start + skipped for block in headings] + [len(md)]
        if md[: bounds[0]].strip():
            drafts.append(_preamble(md, bounds[0]))
        open_levels: list[tuple[int, str]] = []
        for block, start, end in zip(headings, bounds, bounds[1:], strict=False):
            while open_levels and open_levels[-1][0] >= block.level:
                open_levels.pop()
            open_levels.append((block.level, block.title))
            path = tuple(title for _, title in open_levels)
            newline = md.find("\n", block.end + skipped, end)
            below = newline + 1 if newline >= 0 else end
            weight = len(md[below:end].strip())
            drafts.append(_Draft(path, path, block.level, start, below, end, weight))
        return self._place_preamble(drafts)

    def _place_preamble(self, drafts: list[_Draft]) -> list[_Draft]:
        mode = self._params.doc_preamble_mode
        if mode == "separate" or len(drafts) < 2 or drafts[0].level:
            return drafts
        preamble, first, *rest = drafts
        if mode == "drop":
            return [first, *rest]
        return [
            replace(
                first,
                start=preamble.start,
                text_from=preamble.start,
                weight=preamble.weight + first.weight,
            ),
            *rest,
        ]


def _preamble(md: str, end: int) -> _Draft:
    weight = len(md[:end].strip())
    return _Draft((PREAMBLE,), (PREAMBLE,), 0, 0, 0, end, weight)


def _merge(drafts: list[_Draft], least: int) -> list[_Draft]:
    """Join sections that are too short with a neighbour of the same branch."""
    done: list[_Draft] = []
    pending: _Draft | None = None
    for draft in drafts:
        current = draft
        if pending is not None:
            if joined := _join_following(pending, draft):
                current = joined
            else:
                _close(done, pending)
        pending = None
        if current.level and current.weight < least:
            pending = current
        else:
            done.append(current)
    if pending is not None:
        _close(done, pending)
    return done


def _join_following(short: _Draft, following: _Draft) -> _Draft | None:
    """``short`` with the child or sibling after it, or None when that is neither."""
    if following.own[: len(short.own)] == short.own and len(following.own) > len(short.own):
        path = short.path + following.own[len(short.own) :]
    elif _siblings(short, following):
        path = (*short.path[:-1], short.path[-1] + TITLE_JOINT + following.own[-1])
    else:
        return None
    return replace(
        following,
        path=path,
        start=short.start,
        text_from=short.text_from,
        weight=short.weight + following.weight,
    )


def _close(done: list[_Draft], short: _Draft) -> None:
    """Join ``short`` with the sibling or parent before it; alone when that is neither."""
    before = done[-1] if done else None
    if before is not None and before.level:
        weight = before.weight + short.weight
        if short.own[:-1] == before.own:
            done[-1] = replace(before, end=short.end, weight=weight)
            return
        if _siblings(before, short):
            path = (*before.path[:-1], before.path[-1] + TITLE_JOINT + short.path[-1])
            done[-1] = replace(before, path=path, own=short.own, end=short.end, weight=weight)
            return
    done.append(short)


def _siblings(one: _Draft, other: _Draft) -> bool:
    return one.own[:-1] == other.own[:-1] and one.level == other.level


def _build(params: MarkdownHeadingsParams) -> MarkdownHeadings:
    return MarkdownHeadings(params)


register("sectioner.markdown_headings", version="1", params=MarkdownHeadingsParams, build=_build)
