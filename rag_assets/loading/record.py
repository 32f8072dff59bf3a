"""``loader.record``: one line of a ``.jsonl`` corpus, ``{_id, title, text, …}``.

A record's text is plain text. It becomes Markdown by one rule only: a line that Markdown would
read as a heading gets a backslash, so that a record has no headings but its own title.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from rag_assets.loading.base import Loaded, LoadRequest, OutlineItem
from rag_assets.loading.decoding import read_bytes
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params, register
from rag_query.text.fences import code_ranges
from rag_query.text.language import markdown_language

VERSION = "6"
_HEADING = re.compile(r"^( {0,3})(?=#{1,6}(?:[ \t]|$))", re.MULTILINE)
_MARKS = re.compile(r"^#{1,6}[ \t]+")
_UNDERLINE = re.compile(r"(?<=\S)([ \t]*\n {0,3})(?=(?:=+|-+)[ \t]*$)", re.MULTILINE)
_ABOUT = ("_id", "title", "text")


def plain_as_markdown(text: str) -> str:
    """``text`` with a backslash before what would be a heading (ATX or setext), but in code."""
    parts: list[str] = []
    at = 0
    for start, end in [*code_ranges(text), (len(text), len(text))]:
        parts += [_without_headings(text[at:start]), text[start:end]]
        at = end
    return "".join(parts)


def _without_headings(text: str) -> str:
    if "#" in text:
        text = _HEADING.sub(r"\1\\", text)
    if "\n" in text and ("=" in text or "-" in text):
        text = _UNDERLINE.sub(r"\1\\", text)
    return text


class RecordLoader:
    """A record; its title is the document's one heading, its other fields are metadata."""

    def __init__(self, params: Params) -> None:
        del params

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        """Raises ExcerptaError ``BAD_RECORD``."""
        del request
        record = _parse(read_bytes(data))
        text = record["text"].replace("\r\n", "\n").replace("\r", "\n")
        title = " ".join(str(record.get("title") or "").split())
        if not text.strip() and not title:
            raise ExcerptaError(ErrorCode.BAD_RECORD, "The record has neither title nor text.")
        body = plain_as_markdown(text)
        md = f"# {title}\n\n{body}" if title else body
        return Loaded(
            loader_name="loader.record",
            loader_version=VERSION,
            parser_engine="json",
            engine_version=VERSION,
            md=md,
            title=title or _first_words(text),
            language=markdown_language(f"{title} {text}"),
            outline=[OutlineItem(1, title, None, 0)] if title else [],
            metadata={key: value for key, value in record.items() if key not in _ABOUT},
        )


def _parse(data: bytes) -> dict[str, Any]:
    try:
        # Python writes and reads numbers JSON has not: NaN, and what is too large for a float.
        record = json.loads(data.decode("utf-8-sig"), parse_constant=str, parse_float=_finite)
    except (UnicodeDecodeError, ValueError, RecursionError) as exc:
        raise ExcerptaError(ErrorCode.BAD_RECORD, f"The line is not valid JSON: {exc}.") from exc
    if not isinstance(record, dict):
        raise ExcerptaError(ErrorCode.BAD_RECORD, "The line is not a JSON object.")
    if not isinstance(record.get("text"), str):
        raise ExcerptaError(ErrorCode.BAD_RECORD, 'The record has no "text" string.')
    return record


def _finite(written: str) -> float | str:
    number = float(written)
    return number if math.isfinite(number) else written


def _first_words(text: str) -> str:
    line = _MARKS.sub("", text.lstrip().split("\n", 1)[0]).strip()
    return line if len(line) <= 120 else line[:119].rstrip() + "…"


register("loader.record", version=VERSION, build=RecordLoader)
