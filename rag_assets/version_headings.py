"""Headings of changelogs that name a version: ``[4.7.0] (2021-05-13)``, ``v2.1.0-rc.1``."""

from __future__ import annotations

import re

_VERSION = re.compile(
    r"\[?[vV]?(\d+\.\d+)(?:\.\d+){0,2}(?:[-+.][\w.+-]+)?\]?(?:[\s(–—-]*\d{4}-\d\d-\d\d\)?)?"
)


def minor_version(title: str) -> str:
    """Major and minor version of a heading that is a version and a date at most; else empty."""
    found = _VERSION.fullmatch(title)
    return found[1] if found else ""
