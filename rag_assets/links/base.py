"""What a linker finds."""

from __future__ import annotations

from dataclasses import dataclass


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
