"""``library.json``: what a library is."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.edited_json import read_edited
from rag_query.library.files import exclusive, write_json
from rag_query.library.home import Home

SETTINGS_VERSION = 1
MAX_SHARDS = 64
#: A thousand years stand for "for ever": so far back, and not much further, dates can be told.
MAX_DAYS = 365_000
MAX_HOURS = MAX_DAYS * 24


class Limits(BaseModel):
    """Resource limits of ingestion (DESIGN 7)."""

    model_config = ConfigDict(extra="forbid")

    max_file_bytes: int = Field(512 * 1024 * 1024, ge=1)
    max_pages: int = Field(5000, ge=1)
    max_image_pixels: int = Field(100_000_000, ge=1)
    parse_timeout_s: float = Field(120.0, gt=0)
    parse_memory_bytes: int = Field(2 * 1024**3, ge=256 * 1024**2)
    parse_workers: int = Field(2, ge=1, le=64)


class LibrarySettings(BaseModel):
    """``library.json``. ``shards`` never changes after creation (DESIGN 2)."""

    model_config = ConfigDict(extra="forbid")

    settings_version: int = SETTINGS_VERSION
    library_id: str
    created_at: datetime
    shards: int = Field(8, ge=1, le=MAX_SHARDS)
    strategy: str = "default"
    allowed_roots: list[str] = Field(default_factory=list, description="absolute paths")
    limits: Limits = Field(default_factory=Limits)
    keep_snapshots: int = Field(3, ge=1, description="older ones may be collected after retention")
    retention_hours: float = Field(24.0 * 7, ge=0, le=MAX_HOURS)
    conversation_days: float = Field(
        30.0,
        ge=0,
        le=MAX_DAYS,
        description="a conversation unused for longer no longer keeps its snapshots",
    )
    trace_days: int = Field(
        90, ge=1, le=MAX_DAYS, description="older traces are removed by the clean-up"
    )
    undelete_hours: float = Field(
        24.0 * 30,
        ge=0,
        le=MAX_HOURS,
        description="how long the bytes of a removed document are kept",
    )

    @field_validator("allowed_roots")
    @classmethod
    def _absolute(cls, roots: list[str]) -> list[str]:
        # A relative one would be another folder for each process that reads it.
        if not all(map(os.path.isabs, roots)):
            raise ValueError("every folder must be an absolute path")
        return roots

    @property
    def shard_names(self) -> list[str]:
        return [f"s{number:02d}" for number in range(self.shards)]


def settings_lock(home: Home) -> AbstractContextManager[None]:
    """Held by whoever changes ``library.json`` or ``sources.json``."""
    return exclusive(home.locks / "settings.lock")


def load_settings(home: Home) -> LibrarySettings:
    """Raises ExcerptaError ``LIBRARY_NOT_FOUND`` or ``LIBRARY_INCOMPATIBLE``."""
    try:
        settings = read_edited(
            home.settings,
            LibrarySettings,
            hint="Mend library.json, or use the Excerpta that wrote it.",
        )
    except (FileNotFoundError, NotADirectoryError):
        raise ExcerptaError(
            ErrorCode.LIBRARY_NOT_FOUND,
            f"There is no library in the folder {home.root.name!r}.",
            hint="`excerpta ingest PATH` makes one, `excerpta init` an empty one; another is named "
            "with --home or EXCERPTA_HOME.",
        ) from None
    if settings.settings_version != SETTINGS_VERSION:
        raise ExcerptaError(
            ErrorCode.LIBRARY_INCOMPATIBLE,
            f"This library has settings version {settings.settings_version}; "
            f"this program knows {SETTINGS_VERSION}.",
            hint="Use the Excerpta that wrote it, or make a new library and ingest again.",
        )
    return settings


def update_settings(home: Home, **changes: Any) -> LibrarySettings:
    """Change fields of ``library.json`` (never ``shards`` or ``library_id``)."""
    fixed = {"shards", "library_id", "created_at", "settings_version"} & changes.keys()
    if fixed:
        raise ValueError(f"fixed at creation: {sorted(fixed)}")
    with settings_lock(home):
        merged = load_settings(home).model_dump() | changes
        settings = LibrarySettings.model_validate(merged)
        write_json(home.settings, settings.model_dump(mode="json"))
        return settings
