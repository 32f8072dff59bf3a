"""Headings that a Markdown text writes as HTML."""

from __future__ import annotations

import html
import re

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BREAK = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
_MAY_BE = re.compile(r"</h[1-6]", re.IGNORECASE)
#: A title has an end: what never closes is not looked through again and again.
_HEADING = r"<h({})(?=[\s>])[^<>]*>(.{{0,2000}}?)</h\1\s*>"
_ALONE = re.compile(rf"\s*{_HEADING.format('[1-6]')}\s*", re.IGNORECASE | re.DOTALL)
_OUTERMOST = re.compile(_HEADING.format("1"), re.IGNORECASE | re.DOTALL)
_ALT = re.compile(r"<img\b[^<>]*\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)


def may_hold_headings(text: str) -> bool:
    """Whether headings of HTML end somewhere in a text; most have none, and this is quick."""
    return "</h" in text or "</H" in text


def heading_alone(block: str) -> tuple[int, str] | None:
    """Level and title of the heading an HTML block consists of; None when it holds more or less."""
    found = _ALONE.fullmatch(_COMMENT.sub("", block)) if _MAY_BE.search(block) else None
    title = _words(found[2]) if found else ""
    return (int(found[1]), title) if found and title else None


def outermost_title(block: str) -> str:
    """The title of the first ``<h1>`` in an HTML block, or nothing."""
    found = _OUTERMOST.search(_COMMENT.sub("", block)) if _MAY_BE.search(block) else None
    return _words(found[2]) if found else ""


def _words(inner: str) -> str:
    """What a reader sees: the words, or what stands for pictures where there are none."""
    shown = html.unescape(_TAG.sub("", _BREAK.sub(" ", inner)))
    if not shown.strip():
        shown = " ".join(
            html.unescape(found[1] or found[2] or "") for found in _ALT.finditer(inner)
        )
    return " ".join(shown.split())
