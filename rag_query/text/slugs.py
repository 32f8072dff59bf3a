"""How a heading is named as the target of a link."""

from __future__ import annotations

import re

_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


def heading_slug(title: str) -> str:
    """The anchor of a heading as GitHub writes it: lower case, hyphens for blanks."""
    return _NOT_IN_SLUG.sub("", title.strip().lower()).replace(" ", "-")
