"""What an asset normalizer is given and what it returns (DEV_SPEC 3.1.4, 3.6.3.1).

It turns the references a loader saw into content: bytes named by their sha256, once for the whole
library, with a thumbnail. It runs in a child process, so everything here can be pickled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rag_assets.loading.parse import RawBytes
from rag_query.contracts.errors import ExcerptaError


@dataclass(frozen=True, slots=True)
class DocumentMedia:
    """Some references of one document version.

    Attributes:
        home: root of the library.
        raw: the document's own bytes, for images that lie in it.
        root: folder of its source; no image outside of it is read. Null when there is none.
        folder: the document's folder, relative to ``root``.
        references: (ref_id, origin_ref), every origin once. A local file that is not there is
            none of them.
        max_pixels: larger images are refused.
        max_bytes: the same, for files.
        remote_s: for the remote ones together, at most: what a job may last bounds it.
    """

    home: str
    raw: RawBytes
    root: str | None
    folder: str
    references: list[tuple[str, str]]
    max_pixels: int
    max_bytes: int
    remote_s: float


class Stored(NamedTuple):
    """Content that lies under ``media/``; ``width`` and ``height`` in pixels when known."""

    asset_id: str
    mime: str
    size: int
    width: int | None
    height: int | None
    has_thumb: bool
    is_new: bool


class Resolved(NamedTuple):
    """One reference: ``stored``, or the ``error`` why its bytes could not be had."""

    ref_id: str
    stored: Stored | None
    error: ExcerptaError | None


class AssetNormalizer(Protocol):
    """A provider of type ``asset_normalizer``."""

    def normalize(self, document: DocumentMedia) -> list[Resolved]:
        """Every reference given, in order. One bad reference never raises; one that takes all
        memory may (``MemoryError``), and is then tried apart from the others."""
        ...
