"""The headings of a changelog on the levels that its releases have, whatever those they are written
with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rag_assets.sections.drafts import Heading
from rag_assets.version_headings import release

_DEEPEST = 6


def releases_in_place(md: str, headings: list[Heading]) -> list[Heading]:
    """``headings``, each release above what it brought and none below a later one."""
    named = [release(heading.title) for heading in headings]
    if not any(named):
        return headings
    return _as_peers(_above_their_parts(md, headings, named), named)


def _above_their_parts(
    md: str, headings: list[Heading], named: Sequence[tuple[int, int] | None]
) -> list[Heading]:
    """``headings``, a release that is set deeper than what it brought one level above that.

    ``## 3.2.0`` directly above ``# Highlights``: where most releases of that level stand so, all
    of them come up, and what stands below each begins one level below it.
    """
    raised = _raised(md, headings, named)
    if not raised:
        return headings
    found: list[Heading] = []
    over = outermost = down = 0  # The release above; of what it brought, the level as written.
    for heading, own in zip(headings, named, strict=True):
        level = heading.level
        if own:
            over, outermost, down = raised.get(level, 0), _DEEPEST + 1, 0
            level = over or level
        elif over:
            if level < over:
                over = down = 0
            elif level < outermost:
                outermost, down = level, over + 1 - level
            level = min(level + down, _DEEPEST)
        found.append(heading if level == heading.level else heading._replace(level=level))
    return found


def _raised(
    md: str, headings: Sequence[Heading], named: Sequence[tuple[int, int] | None]
) -> dict[int, int]:
    """The levels of releases that come up, by those they are written with."""
    opening = [
        (heading.level, following.level)
        for (heading, own), (following, other) in pairwise(zip(headings, named, strict=True))
        if own and not other and _opens(md, heading, following)
    ]
    # A version above the title of a text opens no part of it.
    if not opening or (len(opening) == 1 and named[0] and _opens(md, *headings[:2])):
        return {}
    releases = Counter(heading.level for heading, own in zip(headings, named, strict=True) if own)
    open_one = Counter(level for level, _ in opening)
    return {
        level: min(below for above, below in opening if above == level)
        for level, count in open_one.items()
        if count > 1 and count * 2 > releases[level]
    }


def _opens(md: str, heading: Heading, following: Heading) -> bool:
    """Whether a heading has nothing below it but one further out."""
    return following.level < heading.level and not md[heading.end : following.start].strip()


def _as_peers(headings: list[Heading], named: Sequence[tuple[int, int] | None]) -> list[Heading]:
    """``headings``, an earlier release of a changelog on the level of the one it stands below.

    Programs that write changelogs set those of patches deeper: 4.6.17 below 4.7.0, which was
    released later and is no part of it.
    """
    found: list[Heading] = []
    levels: list[int] = []  # As written: the last heading's and those it stands below.
    above: list[tuple[int, tuple[int, int] | None]] = []
    for heading, own in zip(headings, named, strict=True):
        while levels and levels[-1] >= heading.level:
            levels.pop()
            above.pop()
        levels.append(heading.level)
        level, over = above[-1] if above else (0, None)
        is_earlier = own is not None and over is not None and own < over
        placed = heading._replace(level=level) if is_earlier else heading
        above.append((placed.level, own))
        found.append(placed)
    return found
