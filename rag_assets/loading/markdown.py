"""``loader.markdown``: CommonMark with tables, footnotes and front matter, also MDX.

The facts are the text as it is. Title, outline, metadata, tags and image references are read from
the syntax tree, so that a ``#`` in a code fence is no heading and an image in one no image.
"""

from __future__ import annotations

import datetime
import json
import math
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from rag_assets.loading.base import Furniture, Loaded, LoadRequest, MediaRef, OutlineItem
from rag_assets.loading.decoding import decode, read_bytes
from rag_assets.loading.markdown_syntax import FrontMatter, Heading, Image, Source, parse
from rag_assets.loading.unseen_code import unseen_code
from rag_query.providers.registry import Params, register
from rag_query.text.language import markdown_language
from rag_query.text.section_paths import SEPARATOR
from rag_query.text.yaml_faults import yaml_fault

VERSION = "12"
_SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: Values taken from front matter. More is a YAML bomb: aliases that unfold to millions.
_MAX_VALUES = 10_000
#: Python writes none from here on as decimal digits, though it reads it as hexadecimal ones.
_TOO_LARGE = 10**4300
#: ``key: value`` of a front matter, on a line of its own.
_SIMPLE = re.compile(r"([\w.-]+):(?:[ \t]+(.*))?")
#: A JSON object at the beginning without one of these is the text's own.
_TELLING = frozenset({"title", "date", "tags", "draft", "slug", "description"})


class MarkdownLoader:
    """Markdown of any flavour that CommonMark with tables can read."""

    def __init__(self, params: Params) -> None:
        del params

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        """Raises ExcerptaError ``EMPTY_FILE``, ``NOT_UTF8`` or ``BINARY_CONTENT``."""
        decoded = decode(read_bytes(data))
        md = decoded.text
        source = Source(md)
        mdx = request.name.lower().endswith(".mdx")
        syntax = parse(source, mdx=mdx)
        warnings = list(decoded.warnings)
        metadata = _metadata(md, syntax.front_matter, warnings)
        if metadata is None:
            syntax, metadata = parse(source, front_matter=False, mdx=mdx), {}
        furniture = []
        text_from = begin = syntax.front_matter.char_end if syntax.front_matter else 0
        if begin:
            furniture.append(Furniture(0, begin, "front_matter"))
        if syntax.modules:
            furniture.append(Furniture(*syntax.modules, "module"))
            begin = syntax.modules[1]
        furniture += [Furniture(*span, "code") for span in unseen_code(md, begin, mdx=mdx)]
        return Loaded(
            loader_name="loader.markdown",
            loader_version=VERSION,
            parser_engine="markdown-it-py",
            engine_version=_engine_version(),
            md=md,
            title=_words(metadata, "title") or syntax.title or _words(metadata, "name"),
            language=markdown_language(md[text_from:]),
            outline=[OutlineItem(h.level, h.title, None, h.char_start) for h in syntax.headings],
            metadata=metadata,
            tags=_tags(metadata),
            media_refs=_references(source, syntax.images, syntax.headings),
            furniture=furniture,
            warnings=warnings,
        )


def _words(metadata: dict[str, Any], key: str) -> str:
    words = metadata.get(key)
    return " ".join(str(words).split()) if isinstance(words, (str, int, float)) else ""


def _metadata(md: str, front: FrontMatter | None, warnings: list[str]) -> dict[str, Any] | None:
    """What a front matter says; None when it is none, but text of the document."""
    if front is None:
        return {}
    if front.form == "yaml":
        return _yaml(front, warnings)
    if front.form == "json" and not md[front.char_end :].strip():
        return None
    try:
        read = tomllib.loads(front.text) if front.form == "toml" else json.loads(front.text)
        plain = _jsonable(read, iter(range(_MAX_VALUES)))
    except (ValueError, RecursionError):
        return None
    return plain if front.form == "toml" or not _TELLING.isdisjoint(plain) else None


def _yaml(front: FrontMatter, warnings: list[str]) -> dict[str, Any] | None:
    """What stands between two rules; None when it is text.

    Front matter is a mapping that begins on its first line, as for Pandoc. Where YAML cannot read
    it, simple lines still count.
    """
    lines = front.text.split("\n")
    if not front.text.strip():
        return {}
    if not lines[0].strip():
        return None
    try:
        plain = _jsonable(yaml.load(front.text, Loader=_SafeLoader), iter(range(_MAX_VALUES)))
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        if not _SIMPLE.fullmatch(lines[0]) or not all(map(str.strip, lines)):
            return None
        warnings.append(f"FRONT_MATTER_INVALID: {yaml_fault(exc, first_line=2)[:200]}")
        simple = filter(None, map(_SIMPLE.fullmatch, lines))
        return {found[1]: found[2].strip() for found in simple if found[2]}
    return plain if isinstance(plain, dict) else None


def _jsonable(value: Any, budget: Iterator[int]) -> Any:
    """Values of YAML and TOML as JSON's: keys are strings, dates are ISO 8601.

    Raises ValueError when ``budget`` runs out, and for a number that JSON cannot carry.
    """
    if next(budget, None) is None:
        raise ValueError("too many values")
    if isinstance(value, dict):
        return {str(key): _jsonable(item, budget) for key, item in value.items()}
    if isinstance(value, set):
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple)):
        return [_jsonable(item, budget) for item in value]
    if isinstance(value, (datetime.date, datetime.datetime, datetime.time)):
        return value.isoformat()
    if isinstance(value, int) and abs(value) >= _TOO_LARGE:
        raise ValueError("a number has more than 4300 digits")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value


def _tags(metadata: dict[str, Any]) -> list[str]:
    given = metadata.get("tags", metadata.get("tag"))
    if isinstance(given, str):
        given = re.split(r"[,，;；]", given)
    if not isinstance(given, list):
        return []
    names = (str(item).strip() for item in given if isinstance(item, (str, int, float)))
    return list(dict.fromkeys(name for name in names if name))


def _references(source: Source, images: list[Image], headings: list[Heading]) -> list[MediaRef]:
    references: list[MediaRef] = []
    path: list[tuple[int, str]] = []
    following = iter(headings)
    upcoming = next(following, None)
    for order, image in enumerate(images):
        while upcoming is not None and upcoming.char_start <= image.char_start:
            path = [item for item in path if item[0] < upcoming.level]
            path.append((upcoming.level, upcoming.title))
            upcoming = next(following, None)
        line = source.line_at(image.char_start)
        references.append(
            MediaRef(
                ref_id=f"img-{order:04d}",
                source_type=image.source_type,
                origin_ref=image.src,
                alt=image.alt or None,
                char_start=image.char_start,
                char_end=image.char_end,
                order=order,
                heading_path=SEPARATOR.join(title for _, title in path) or None,
                line_start=line,
                line_end=line + source.text.count("\n", image.char_start, image.char_end),
            )
        )
    return references


@cache
def _engine_version() -> str:
    return version("markdown-it-py")


register("loader.markdown", version=VERSION, build=MarkdownLoader)
