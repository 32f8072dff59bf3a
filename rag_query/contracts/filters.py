"""What a plan may limit a search to: hard conditions on documents and their chunks.

``retrieval/filters.py`` turns them into queries of the indexes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, field_validator, model_validator

from rag_query.contracts.plan_part import PlanPart, no_boolean

MAX_FILTER_VALUES = 10_000
#: Of a section path or the beginning of a source URI. What is longer takes too long to look for.
MAX_PREFIX_CHARS = 1_000
#: The greatest number a column of pages holds.
MAX_PAGE = 2**31 - 1

SourceType = Literal["url", "file", "manual", "memory_snapshot", "other"]
LanguageCode = Literal["zh", "en", "other"]

_DATE_ONLY = re.compile(r"\d{4}-\d\d-\d\d")


def _as_list(value: Any) -> Any:
    """A single value is a list of one; an empty list filters nothing, like a missing field."""
    if value is None or isinstance(value, list | tuple):
        return value or None
    return [value]


def _primary_language(value: Any) -> Any:
    """``zh-CN`` and ``EN`` are accepted for ``zh`` and ``en``."""
    values = _as_list(value)
    if not isinstance(values, list | tuple):
        return values
    return [v.lower().split("-")[0] if isinstance(v, str) else v for v in values]


_Page = Annotated[int, Field(ge=1, le=MAX_PAGE), BeforeValidator(no_boolean)]
_Text = Annotated[str, Field(min_length=1, max_length=4096)]
_Many = Annotated[list[_Text], Field(max_length=MAX_FILTER_VALUES)]
_Texts = Annotated[_Many | None, BeforeValidator(_as_list)]
_Prefix = Annotated[str, Field(min_length=1, max_length=MAX_PREFIX_CHARS)]
_ManyPrefixes = Annotated[list[_Prefix], Field(max_length=MAX_FILTER_VALUES)]
_Prefixes = Annotated[_ManyPrefixes | None, BeforeValidator(_as_list)]


class TimeRange(PlanPart):
    """Documents first seen between two moments, both included; a side left out is open.

    Times without a zone are UTC. A bare date means its first moment in ``from`` and its last
    in ``to``.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    from_: datetime | None = Field(None, alias="from")
    to: datetime | None = None

    @field_validator("to", mode="before")
    @classmethod
    def _end_of_day(cls, value: Any) -> Any:
        if isinstance(value, str) and _DATE_ONLY.fullmatch(value):
            return f"{value}T23:59:59.999999Z"
        return value

    @field_validator("from_", "to")
    @classmethod
    def _in_utc(cls, value: datetime | None) -> datetime | None:
        if value is None:
            return None
        try:
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
        except OverflowError as exc:
            raise ValueError("in UTC this moment is outside the years 1 to 9999") from exc

    @model_validator(mode="after")
    def _ordered(self) -> TimeRange:
        if self.from_ and self.to and self.from_ > self.to:
            raise ValueError("`from` is later than `to`")
        return self


class PageRange(PlanPart):
    """*Extension.* Chunks that touch pages ``from`` to ``to`` (1-based, inclusive)."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    from_: _Page = Field(1, alias="from")
    to: _Page | None = None

    @model_validator(mode="after")
    def _ordered(self) -> PageRange:
        if self.to is not None and self.from_ > self.to:
            raise ValueError("`from` is greater than `to`")
        return self


class Filters(PlanPart):
    """Hard conditions, all of which must hold; within one field any value suffices.

    An unknown field is refused: a condition that cannot be executed would give answers it
    forbids (DEV_SPEC 3.2.8.3).

    Attributes:
        document_ids: ``doc_…`` ids.
        tag_ids: tags of a document.
        topic_ids: topics of a document.
        source_type: kinds of source.
        source_uri_prefix: beginnings of a source URI.
        language: ``zh``, ``en`` or ``other``.
        time_range: when the document was first seen.
        version: *extension.* ``latest`` (the default), ``all``, or a list of ``ver_…`` ids.
        collection: *extension.* Names of collections.
        section_path: *extension.* Section paths ("A / B"); what lies below is included.
        block_type: *extension.* ``paragraph``, ``table``, ``code``, …
        has_image: *extension.* Whether the chunk shows an image.
        page_range: *extension.* Pages; chunks without pages never match.
    """

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    document_ids: _Texts = None
    tag_ids: _Texts = None
    topic_ids: _Texts = None
    source_type: Annotated[list[SourceType] | None, BeforeValidator(_as_list)] = None
    source_uri_prefix: _Prefixes = None
    language: Annotated[list[LanguageCode] | None, BeforeValidator(_primary_language)] = None
    time_range: TimeRange | None = None
    version: Literal["latest", "all"] | list[_Text] | None = None
    collection: _Texts = None
    section_path: _Prefixes = None
    block_type: _Texts = None
    has_image: bool | None = None
    page_range: PageRange | None = None

    @field_validator("version", mode="before")
    @classmethod
    def _version_list(cls, value: Any) -> Any:
        return (
            [value] if isinstance(value, str) and value not in ("latest", "all") else value or None
        )

    def merged(self, narrower: Filters | None) -> Filters:
        """These filters with those of one query: its fields replace, the others stand."""
        if narrower is None:
            return self
        return self.model_copy(update=dict(narrower.given()))

    def given(self) -> Iterator[tuple[str, Any]]:
        """(field, value) of every field that filters."""
        for name in type(self).model_fields:
            if (value := getattr(self, name)) is not None:
                yield name, value
