"""How a heading is named as the target of a link."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


def heading_slug(title: str) -> str:
    """The anchor of a heading as GitHub writes it: lower case, hyphens for blanks."""
    return _NOT_IN_SLUG.sub("", title.strip().lower()).replace(" ", "-")


def fragment_slug(fragment: str) -> str:
    """The anchor an address names; ``^id``, which Obsidian gives a block, is no heading's."""
    slug = heading_slug(fragment)
    return f"^{slug}" if slug and fragment.startswith("^") else slug


def unique_slugs(titles: Iterable[str]) -> list[str]:
    """The anchors of all headings of a document in order, numbered where they would be the same.

    As GitHub numbers them: the second "Setup" is ``setup-1``, unless a heading before it is called
    so.
    """
    taken: dict[str, int] = {}
    slugs = []
    for slug in map(heading_slug, titles):
        unique = slug
        while unique in taken:
            taken[slug] += 1
            unique = f"{slug}-{taken[slug]}"
        taken[unique] = 0
        slugs.append(unique)
    return slugs
