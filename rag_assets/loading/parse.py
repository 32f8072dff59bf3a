"""Parsing one document, as it happens inside a child process.

What is returned is ready to become a row: JSON is made here, in parallel, and anchors are columns.
"""

from __future__ import annotations

import importlib
import json
import unicodedata
from array import array
from dataclasses import dataclass
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any

from rag_assets.loading.base import Anchor, Loaded, Loader, LoadRequest, MediaRef
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import REGISTRY
from rag_query.text.ids import canonical_json, sha256_text

TARGET = "rag_assets.loading.parse:parse_document"
#: Which module of this package registers a provider.
_BUILT_IN = {
    "loader.html": "html.loader",
    "loader.markdown": "markdown",
    "loader.pdf": "pdf.loader",
    "loader.pdf_layout": "pdf.layout",
    "loader.record": "record",
    "loader.text": "text",
}


@dataclass(frozen=True, slots=True)
class RawBytes:
    """Where a document's bytes lie: ``length`` bytes from ``offset`` of a file of ``raw/``."""

    path: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class ParsedColumns:
    """The cells of a ``ready`` row of ``parsed``; ``anchors`` holds one array for each member of
    :class:`~rag_assets.loading.base.Anchor`, NaN where a coordinate is unknown."""

    cells: dict[str, Any]
    anchors: tuple[array[Any], ...]
    media_refs: list[MediaRef]
    images: int
    text_chars: int


def parse_document(
    provider_id: str, params_json: str, raw: RawBytes, request: LoadRequest
) -> ParsedColumns:
    """Load a document with the provider a strategy names.

    Raises:
        ExcerptaError: the document's code. Other exceptions are the loader's faults.
    """
    loaded = _loader(provider_id, params_json).load(open_raw(raw), request)
    return _columns(loaded)


def open_raw(raw: RawBytes) -> Path | bytes:
    """A document's bytes, or its file when it fills the file. Raises OSError."""
    path = Path(raw.path)
    if raw.offset == 0 and path.stat().st_size == raw.length:
        return path
    file = _opened(raw.path)
    file.seek(raw.offset)
    data = file.read(raw.length)
    if len(data) != raw.length:
        raise ExcerptaError(ErrorCode.FILE_CHANGED, "The stored file is shorter than it was.")
    return data


@cache
def _loader(provider_id: str, params_json: str) -> Loader:
    # One of another package may be made of any of them.
    names = [_BUILT_IN[provider_id]] if provider_id in _BUILT_IN else _BUILT_IN.values()
    for name in names:
        importlib.import_module(f"rag_assets.loading.{name}")
    loader: Loader = REGISTRY.create(provider_id, json.loads(params_json))
    return loader


_LAST_OPENED: list[tuple[str, BufferedReader]] = []


def _opened(path: str) -> BufferedReader:
    """Records of one corpus come from one file, one after another; it stays open meanwhile."""
    if not _LAST_OPENED or _LAST_OPENED[0][0] != path:
        close_opened()
        _LAST_OPENED.append((path, Path(path).open("rb")))  # noqa: SIM115
    return _LAST_OPENED[0][1]


def close_opened() -> None:
    """Close the file :func:`open_raw` left open, if any."""
    while _LAST_OPENED:
        _LAST_OPENED.pop()[1].close()


def _columns(loaded: Loaded) -> ParsedColumns:
    md = _encodable(loaded.md)
    md_sha256 = sha256_text(md)
    images = len(loaded.media_refs)
    summary = {
        "pages": loaded.pages,
        "text_chars": len(md),
        "images": images,
        "headings": len(loaded.outline),
        "warnings": loaded.warnings,
        "md_sha256": md_sha256,
        **loaded.summary,
    }
    if loaded.links:
        # Rounded to what a box of a link can mean, a hundredth of a point.
        summary["links"] = [
            [round(v, 2) if isinstance(v, float) else v for v in link] for link in loaded.links
        ]
    cells: dict[str, Any] = {
        "title": _encodable(_one_line(loaded.title)) or None,
        "language": loaded.language,
        "md": md,
        "md_sha256": md_sha256,
        "pages": loaded.pages,
        "page_labels": loaded.page_labels and [_encodable(label) for label in loaded.page_labels],
        "outline": _json([item._asdict() for item in loaded.outline]),
        "metadata": _json(loaded.metadata),
        "tags": [_encodable(tag) for tag in loaded.tags],
        "furniture": _json([list(item) for item in loaded.furniture]),
        "parse_summary": _json(summary),
        "warnings": [_encodable(warning) for warning in loaded.warnings],
        "loader_name": loaded.loader_name,
        "loader_version": loaded.loader_version,
        "parser_engine": loaded.parser_engine,
        "engine_version": loaded.engine_version,
    }
    return ParsedColumns(cells, _anchor_columns(loaded.anchors), loaded.media_refs, images, len(md))


def _anchor_columns(anchors: list[Anchor]) -> tuple[array[Any], ...]:
    columns = zip(*anchors, strict=True) if anchors else ((),) * 7
    unknown = float("nan")
    return tuple(
        array("i", column)
        if number < 3
        else array("f", (unknown if value is None else value for value in column))
        for number, column in enumerate(columns)
    )


def _json(value: Any) -> str:
    return _encodable(canonical_json(value))


def _encodable(text: str) -> str:
    """``text`` without lone surrogates, which no UTF-8 column can hold; one character each."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _one_line(title: str) -> str:
    """Without line ends and controls, and without what cannot be seen but for the joiners."""
    if not title.isprintable():
        title = "".join(map(_shown, title))
    return " ".join(title.split())


def _shown(character: str) -> str:
    if character.isprintable() or character in "\u200c\u200d":
        return character
    return "" if unicodedata.category(character) == "Cf" else " "
