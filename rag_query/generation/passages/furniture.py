"""What leads through a text or says who owns it, and answers nothing: contents, links, notices."""

from __future__ import annotations

import re

#: An entry of a list of contents, from where its dots begin: the dots, and its page.
LEADERS = re.compile(
    r"(?:[.．·…⋯][ \t\xa0]?){8,}\s*(?:\d{1,4}|[ivxlcdm]{1,7})?(?!\w)"
    r"|(?:[.．·…⋯][ \t\xa0]?){4,}[ \t]*(?:\d{1,4}|[ivxlcdm]{1,7})[ \t]*$",
    re.MULTILINE,
)
#: A list item that leads elsewhere in the library.
_ENTRY = re.compile(
    r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\((?![a-zA-Z][a-zA-Z+.-]*:|//)[^\s()]*(?:\([^\s()]*\)[^\s()]*)*\)"
)
_LINKS = re.compile(r"(?:[\s|·•/>»,-]*\[[^\]]*\]\([^)]*\)[\s|·•/>»,-]*){2,}")
_NOTICE = re.compile(
    r"\W*(?:©|\(c\)\s|copyright\s*(?:©|\(c\)|\d{4}))|.*\ball rights reserved\b|.*版权所有",
    re.IGNORECASE | re.DOTALL,
)


def is_navigation_or_notice(raw: str, said: str, *, is_listed: bool) -> bool:
    """Whether a sentence is links to go elsewhere, an entry of a list of contents, or a notice of
    copyright.

    Args:
        raw: as it is written.
        said: as a reader sees it.
        is_listed: it is an item of a list.
    """
    return (
        _LINKS.fullmatch(raw) is not None
        or (is_listed and _ENTRY.fullmatch(raw) is not None)
        or LEADERS.search(raw) is not None
        or _NOTICE.match(said) is not None
    )
