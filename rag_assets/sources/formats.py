"""Which file names are documents, and of which format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format a loader reads.

    Attributes:
        name: ``markdown | pdf | html | text | record``.
        mime: of one document of it.
    """

    name: str
    mime: str

    @property
    def holds_records(self) -> bool:
        """Whether one file is many documents, one a line."""
        return self.name == "record"


_MARKDOWN = FileFormat("markdown", "text/markdown")
_HTML = FileFormat("html", "text/html")
_TEXT = FileFormat("text", "text/plain")

#: Suffix in lower case -> format.
BY_SUFFIX: Final = {
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".mdx": _MARKDOWN,
    ".pdf": FileFormat("pdf", "application/pdf"),
    ".html": _HTML,
    ".htm": _HTML,
    ".txt": _TEXT,
    ".text": _TEXT,
    ".jsonl": FileFormat("record", "application/json"),
}
#: Suffixes of pictures: ``![[sketch.png]]`` shows one, and ``![[sketch]]`` could be a document.
_IMAGES: Final = frozenset(
    {".avif", ".bmp", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".svg", ".tif", ".tiff", ".webp"}
)


def format_of(rel_path: str) -> FileFormat | None:
    """The format of a file by its suffix; None when it is not supported."""
    return BY_SUFFIX.get(PurePosixPath(rel_path).suffix.lower())


def names_image(path: str) -> bool:
    """Whether a file is an image by its suffix."""
    return PurePosixPath(path).suffix.lower() in _IMAGES


def unsupported_message(rel_path: str) -> str:
    """One sentence that names what was met and what is supported."""
    suffix = PurePosixPath(rel_path).suffix
    kind = f"Files of type {suffix!r}" if suffix else "Files without a suffix"
    return f"{kind} are not supported; supported are {', '.join(sorted(BY_SUFFIX))}."
