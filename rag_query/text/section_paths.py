"""Section paths: how they are shown, and what a person means by one that was shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

#: Separates the headings of a stored path.
SEPARATOR = " / "
#: The path of what stands before the first heading, and of a text without headings (DEV_SPEC
#: 3.1.5.1).
PREAMBLE = "__preamble__"
BEFORE_HEADINGS = "(before the first heading)"
#: As headings are separated where a passage is shown.
_SHOWN_SEPARATOR = " › "


def shown_path(path: str) -> str:
    """A stored section path for a reader."""
    return BEFORE_HEADINGS if path == PREAMBLE else path


def headings_below(title: str, path: str | None) -> list[str]:
    """The headings of a stored path that are shown behind a document's title: without the title,
    which is very often the first of them."""
    return [part for part in (path or "").split(SEPARATOR) if part not in ("", PREAMBLE, title)]


def shown_place(title: str, path: str | None) -> str:
    """Where a passage stands, on one line: ``Handbook › Storms › At night``."""
    return _SHOWN_SEPARATOR.join([title, *headings_below(title, path)])


def meant_path(text: str, paths: Iterable[str]) -> str | None:
    """The stored path, or beginning of stored paths, that a text means.

    A path as it is stored goes before any reading of it. It may also be written as results show
    it: with ``›`` between headings, with the document's title before the first heading, and
    without the heading that stands above all others where only one fits.

    Returns:
        None when none is meant, or not only one.
    """
    known = {beginning for path in paths for beginning in _beginnings(path)}
    for form in _forms(text.strip()):
        if form in known:
            return form
    plain = text.strip().replace(_SHOWN_SEPARATOR, SEPARATOR)
    below = [path for path in known if path.partition(SEPARATOR)[2] == plain]
    return below[0] if plain and len(below) == 1 else None


def paths_ending_in(text: str, paths: Iterable[str]) -> list[str]:
    """The stored paths, and beginnings of stored paths, that end in a heading, or in several as
    results show them, each once."""
    end = SEPARATOR + text.strip().replace(_SHOWN_SEPARATOR, SEPARATOR)
    known = dict.fromkeys(beginning for path in paths for beginning in _beginnings(path))
    return [path for path in known if path.endswith(end)]


def _beginnings(path: str) -> Iterator[str]:
    parts = path.split(SEPARATOR)
    return (SEPARATOR.join(parts[:n]) for n in range(1, len(parts) + 1))


def _forms(text: str) -> Iterator[str]:
    """What a text may stand for, the surest first."""
    yield text
    if text == BEFORE_HEADINGS:
        yield PREAMBLE
    yield text.replace(_SHOWN_SEPARATOR, SEPARATOR)
    title, mark, rest = text.partition(_SHOWN_SEPARATOR)
    if title and mark:
        yield rest.replace(_SHOWN_SEPARATOR, SEPARATOR)
