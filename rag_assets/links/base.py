"""What a linker finds, and how a heading is named as a target."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class FoundLink:
    """One link as written.

    Attributes:
        start: of the link in the text, in code points.
        kind: link, reference, wiki or external; section for words such as "see section 3.2".
        text: what a reader sees.
        target_uri: a document's ``source_uri`` when the target lies inside the root, else the
            target as written.
        target_doc_id: for targets inside the root, whether such a document exists or not.
        target_anchor: slug of a heading there.
    """

    start: int
    kind: str
    text: str
    target_uri: str
    target_doc_id: str | None
    target_anchor: str | None


def heading_slug(title: str) -> str:
    """The anchor of a heading as GitHub writes it: lower case, hyphens for blanks."""
    return _NOT_IN_SLUG.sub("", title.strip().lower()).replace(" ", "-")
