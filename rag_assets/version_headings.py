"""Headings of changelogs that name a release: ``[4.7.0] (2021-05-13)``, ``v2.1.0-rc.1``."""

from __future__ import annotations

import re

_RELEASE = re.compile(
    r"\[?[vV]?(?P<major>\d{1,9})\.(?P<minor>\d{1,9})(?P<patch>(?:\.\d+){0,2})(?:[-+.][\w.+-]++)?\]?"
    r"(?P<date>[\s(（/–—-]*\d{4}-\d\d-\d\d[)）]?)?"
    r"(?:: [A-Z][a-z]+ Release)?"
)


def release(title: str) -> tuple[int, int] | None:
    """Major and minor number of a heading that is a version, a date and of what kind it is at most;
    None for others, and for two numbers alone, which may be those of a section."""
    found = _RELEASE.fullmatch(title)
    if found is None or not (found["patch"] or found["date"]):
        return None
    return int(found["major"]), int(found["minor"])
