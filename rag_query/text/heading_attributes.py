"""Attributes behind a heading's words: ``{#id .class}`` of Pandoc and Docusaurus, ``{: #id}`` of
kramdown. They say what to call it and how to show it, and are none of its words."""

from __future__ import annotations

import re

_LIST = re.compile(r"\s*+\{\s*+(?::|[#.](?=[^\s{}]))[^{}]*+\}\s*+$")
_ID = re.compile(r"(?<=[\s{:])#([^\s{}]++)")


def without_attributes(title: str) -> str:
    """A title less the attributes at its end; one of nothing else stays as it is."""
    if not title.endswith("}"):
        return title
    return _LIST.sub("", title) or title


def id_of(title: str) -> str | None:
    """The id a title's attributes give it."""
    found = _LIST.search(title) if title.endswith("}") else None
    name = _ID.search(found[0]) if found else None
    return name[1] if name else None
