"""Sections by headings, whatever a heading is: paths, the preamble, and merging what is short."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Literal, NamedTuple

from rag_assets.sections.base import TITLE_JOINT, Section
from rag_query.text.section_paths import PREAMBLE

PreambleMode = Literal["separate", "merge_into_first", "drop"]


class Heading(NamedTuple):
    """``md[start:end]`` is a heading; the text below it begins on the next line.

    Attributes:
        over: titles of deeper headings that stand directly above it, in ``md[start:end]`` as well.
    """

    start: int
    end: int
    level: int
    title: str
    over: tuple[str, ...] = ()


class Draft(NamedTuple):
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


def merged_drafts(
    md: str, headings: Sequence[Heading], mode: PreambleMode, least: int
) -> list[Draft]:
    """:func:`drafts_of`, those with less text than ``least`` merged; 0 merges none."""
    drafts = drafts_of(md, headings, mode)
    return merge_short(drafts, least) if least else drafts


def sections_of(drafts: Sequence[Draft], *, include_heading: bool) -> list[Section]:
    """A section a draft, with its first heading's line or without.

    The text is a slice of the document (DEV_SPEC 3.1.6.2.1), so headings below the first one stay
    in it: deeper ones, and those of sections that were merged.
    """
    return [
        Section(
            draft.path,
            draft.level,
            draft.path[-1] if draft.level else None,
            draft.start if include_heading else draft.text_from,
            draft.end,
        )
        for draft in drafts
    ]


def drafts_of(md: str, headings: Sequence[Heading], mode: PreambleMode) -> list[Draft]:
    """One draft a heading, from its start to the next one's, and the preamble before them."""
    drafts: list[Draft] = []
    bounds = [heading.start for heading in headings] + [len(md)]
    if md[: bounds[0]].strip():
        drafts.append(_preamble(md, bounds[0]))
    levels: list[int] = []
    titles: list[tuple[str, ...]] = []
    for heading, start, end in zip(headings, bounds, bounds[1:], strict=False):
        while levels and levels[-1] >= heading.level:
            levels.pop()
            titles.pop()
        levels.append(heading.level)
        titles.append((*heading.over, heading.title))
        path = tuple(chain.from_iterable(titles))
        newline = md.find("\n", heading.end, end)
        below = newline + 1 if newline >= 0 else end
        weight = len(md[below:end].strip())
        drafts.append(Draft(path, path, heading.level, start, below, end, weight))
    return _place_preamble(drafts, mode)


def _place_preamble(drafts: list[Draft], mode: PreambleMode) -> list[Draft]:
    if mode == "separate" or len(drafts) < 2 or drafts[0].level:
        return drafts
    preamble, first, *rest = drafts
    if mode == "drop":
        return [first, *rest]
    merged = first._replace(
        start=preamble.start,
        text_from=preamble.start,
        weight=preamble.weight + first.weight,
    )
    return [merged, *rest]


def _preamble(md: str, end: int) -> Draft:
    weight = len(md[:end].strip())
    return Draft((PREAMBLE,), (PREAMBLE,), 0, 0, 0, end, weight)


def merge_short(drafts: list[Draft], least: int) -> list[Draft]:
    """Join sections that are too short with a neighbour of the same branch."""
    done: list[Draft] = []
    pending: Draft | None = None
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


def _join_following(short: Draft, following: Draft) -> Draft | None:
    """``short`` with the child or sibling after it, or None when that is neither."""
    if following.own[: len(short.own)] == short.own and len(following.own) > len(short.own):
        path = short.path + following.own[len(short.own) :]
    elif _siblings(short, following):
        path = (*short.path[:-1], short.path[-1] + TITLE_JOINT + following.own[-1])
    else:
        return None
    return following._replace(
        path=path,
        start=short.start,
        text_from=short.text_from,
        weight=short.weight + following.weight,
    )


def _close(done: list[Draft], short: Draft) -> None:
    """Join ``short`` with the sibling or parent before it; alone when that is neither."""
    before = done[-1] if done else None
    if before is not None and before.level:
        weight = before.weight + short.weight
        if short.own[:-1] == before.own:
            done[-1] = before._replace(end=short.end, weight=weight)
            return
        if _siblings(before, short):
            path = (*before.path[:-1], before.path[-1] + TITLE_JOINT + short.path[-1])
            done[-1] = before._replace(path=path, own=short.own, end=short.end, weight=weight)
            return
    done.append(short)


def _siblings(one: Draft, other: Draft) -> bool:
    return one.own[:-1] == other.own[:-1] and one.level == other.level
