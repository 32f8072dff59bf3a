"""``library.json`` (what a library is) and ``sources.json`` (where its documents come from)."""

from __future__ import annotations

import codecs
import os
import re
import uuid
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import exclusive, write_json
from rag_query.library.home import Home
from rag_query.library.own_places import refuse_occupied

SETTINGS_VERSION = 1
MAX_SHARDS = 64
#: A thousand years stand for "for ever": so far back, and not much further, dates can be told.
MAX_DAYS = 365_000
MAX_HOURS = MAX_DAYS * 24
ALLOWED_ROOTS_VARIABLE = "EXCERPTA_ALLOWED_ROOTS"
INBOX_ROOT = "inbox"


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


class SourceRoot(BaseModel):
    """A folder that is walked, or a folder of which only some files were registered.

    ``name`` is the authority of its documents' URIs: ``file://<name>/<relative path>``.
    """

    model_config = ConfigDict(extra="forbid")

    name: str
    path: str = Field(description="absolute; in the file relative to the library if inside it")
    collection: str
    tags: list[str] = Field(default_factory=list, description="of every document of the root")
    whole: bool = Field(description="walk everything, not only `files`")
    files: list[str] = Field(default_factory=list, description="relative paths, when not whole")
    path_tags: dict[str, list[str]] = Field(
        default_factory=dict,
        description="relative path of a file or folder -> tags of what lies there",
    )

    def tags_of(self, rel_path: str) -> list[str]:
        """Tags of the document at a path: the root's and those given to the path or to a folder
        above it, sorted."""
        if not self.path_tags:
            return list(self.tags)
        parts = rel_path.split("/")
        above = ("/".join(parts[:n]) for n in range(1, len(parts) + 1))
        return sorted(
            {*self.tags, *(tag for path in above for tag in self.path_tags.get(path, ()))}
        )

    def add_tags(self, path: Path, tags: list[str]) -> None:
        """Tag what lies at an absolute path under the root, and nothing beside it."""
        rel = os.path.relpath(path, self.path)
        if rel == ".":
            self.tags = sorted({*self.tags, *tags})
        elif tags:
            self.path_tags[rel] = sorted({*self.path_tags.get(rel, ()), *tags})


class Sources(BaseModel):
    """``sources.json``."""

    model_config = ConfigDict(extra="forbid")

    roots: list[SourceRoot] = Field(default_factory=list)
    deleted: dict[str, str] = Field(
        default_factory=dict,
        description="source_uri or version_id -> when it was deleted (ISO 8601)",
    )
    purge: dict[str, str] = Field(
        default_factory=dict,
        description="of those, what the next run is to remove from every store -> since when",
    )
    kept: dict[str, str] = Field(
        default_factory=dict,
        description="source_uri of a document that was brought back without its file -> when",
    )


def create_library(home: Home, *, shards: int = 8, strategy: str = "default") -> LibrarySettings:
    """Make an empty library.

    Raises:
        ExcerptaError: ``LIBRARY_EXISTS``; ``INVALID_ARGUMENT`` when there can be no folder here,
            or other files lie in it.
        OSError: the disk refused.
    """
    try:
        home.root.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError, FileNotFoundError, PermissionError) as exc:
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"No folder can be made for the library: {exc.strerror}.",
            hint="Name another one with --home or EXCERPTA_HOME.",
        ) from exc
    if not home.settings.exists():
        refuse_occupied(home)
    with settings_lock(home):
        if home.settings.exists():
            raise ExcerptaError(
                ErrorCode.LIBRARY_EXISTS,
                "There is a library here already.",
                hint="Use it as it is (`excerpta ingest PATH` adds to it), or name another folder "
                "with --home or EXCERPTA_HOME.",
            )
        settings = LibrarySettings(
            library_id="lib_" + uuid.uuid4().hex[:24],
            created_at=datetime.now(UTC),
            shards=shards,
            strategy=strategy,
        )
        for folder in (home.inbox, home.raw, home.media, home.tables, home.snapshots, home.traces):
            folder.mkdir(parents=True, exist_ok=True)
        inbox = SourceRoot(name=INBOX_ROOT, path=str(home.inbox), collection=INBOX_ROOT, whole=True)
        save_sources(home, Sources(roots=[inbox]))
        write_json(home.settings, settings.model_dump(mode="json"))
        return settings


def settings_lock(home: Home) -> AbstractContextManager[None]:
    """Held by whoever changes ``library.json`` or ``sources.json``."""
    return exclusive(home.locks / "settings.lock")


def load_settings(home: Home) -> LibrarySettings:
    """Raises ExcerptaError ``LIBRARY_NOT_FOUND`` or ``LIBRARY_INCOMPATIBLE``."""
    try:
        settings = LibrarySettings.model_validate_json(_json_of(home.settings))
    except (FileNotFoundError, NotADirectoryError):
        raise ExcerptaError(
            ErrorCode.LIBRARY_NOT_FOUND,
            f"There is no library in the folder {home.root.name!r}.",
            hint="`excerpta ingest PATH` makes one, `excerpta init` an empty one; another is named "
            "with --home or EXCERPTA_HOME.",
        ) from None
    except ValidationError as exc:
        raise ExcerptaError(
            ErrorCode.LIBRARY_INCOMPATIBLE,
            f"library.json cannot be read: {_problems(exc)}.",
            hint="Mend library.json, or use the Excerpta that wrote it.",
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


def load_sources(home: Home) -> Sources:
    """The registered roots, whose paths are absolute here, and tombstones.

    Raises ExcerptaError ``LIBRARY_INCOMPATIBLE`` when ``sources.json`` cannot be read.
    """
    try:
        sources = Sources.model_validate_json(_json_of(home.sources))
    except FileNotFoundError:
        return Sources()
    except ValidationError as exc:
        raise ExcerptaError(
            ErrorCode.LIBRARY_INCOMPATIBLE,
            f"sources.json cannot be read: {_problems(exc)}.",
            hint="Mend sources.json, or put it back from a copy of the library: it says which "
            "folders are read and what was deleted.",
        ) from None
    left = _left_behind(home, sources)
    for root in sources.roots:
        path = Path(root.path)
        if left is not None and path.is_relative_to(left):
            path = path.relative_to(left)
        root.path = str(home.root / path)
    return sources


def save_sources(home: Home, sources: Sources) -> None:
    """Write ``sources.json``. A folder inside the library is named relative to it, so that it
    goes along when the library is moved or copied. Raises OSError."""
    stored = sources.model_copy(deep=True)
    for root in stored.roots:
        if Path(root.path).is_relative_to(home.root):
            root.path = home.relative(Path(root.path))
    write_json(home.sources, stored.model_dump(mode="json"))


def register_path(
    home: Home, path: Path, *, collection: str | None = None, tags: list[str] | None = None
) -> SourceRoot:
    """Register a folder (walked from now on) or a file (with its folder as root).

    A path inside a registered folder adds nothing but clears its tombstones. ``collection`` is
    the root's name by default. ``tags`` are of what lies at the path, and stay when it is
    registered again. Returns the root the path belongs to.

    Raises:
        ExcerptaError: ``PATH_NOT_FOUND``; ``INVALID_ARGUMENT`` when the path belongs to a root
            with another collection.
    """
    real = Path(os.path.abspath(path))
    if not real.exists():
        raise ExcerptaError(ErrorCode.PATH_NOT_FOUND, f"There is no file or folder {path.name!r}.")
    with settings_lock(home):
        sources = load_sources(home)
        root = _root_for(sources, real, collection, tags or [])
        _clear_tombstones(sources, root, real)
        save_sources(home, sources)
        return root


def source_uri(root: str, rel_path: str, fragment: str | None = None) -> str:
    """``file://<root>/<relative path>[#<record>]``: no absolute path ever leaves the library.

    Letters of every script stay readable; control characters, those that turn the direction of
    what follows, blanks and the characters that delimit a URI are percent-encoded.
    """
    uri = f"file://{_quote(root)}/{'/'.join(_quote(part) for part in rel_path.split('/'))}"
    return uri if fragment is None else f"{uri}#{_quote(fragment)}"


def registered_paths(sources: Sources) -> list[str]:
    """The folders that are walked, and the files registered by name."""
    named = [root.path for root in sources.roots if root.whole]
    return named + [
        str(Path(root.path) / name)
        for root in sources.roots
        if not root.whole
        for name in root.files
    ]


def allowed_roots(settings: LibrarySettings, sources: Sources) -> list[Path]:
    """What a client may ingest from: the registered folders and files, ``allowed_roots`` of the
    settings and ``EXCERPTA_ALLOWED_ROOTS`` (separated as in ``PATH``).

    Of a folder of which only files were registered, nothing but those files is allowed.

    Raises ExcerptaError ``INVALID_ARGUMENT`` for a relative path in the variable.
    """
    named = [p for p in os.environ.get(ALLOWED_ROOTS_VARIABLE, "").split(os.pathsep) if p]
    if not all(map(os.path.isabs, named)):
        raise ExcerptaError(
            ErrorCode.INVALID_ARGUMENT,
            f"Every folder in {ALLOWED_ROOTS_VARIABLE} must be an absolute path.",
            hint="Correct it in the environment that starts the program.",
        )
    named += registered_paths(sources) + settings.allowed_roots
    return [Path(os.path.realpath(p)) for p in named]


def check_allowed(path: Path, roots: list[Path]) -> None:
    """Raises ExcerptaError ``PATH_NOT_ALLOWED`` when ``path`` (links followed) is under no root."""
    real = Path(os.path.realpath(path))
    if not any(real == root or root in real.parents for root in roots):
        raise ExcerptaError(
            ErrorCode.PATH_NOT_ALLOWED,
            f"{path.name!r} is outside the folders this library may ingest from.",
            hint="Run `excerpta ingest PATH` yourself once, or add its folder to "
            f"{ALLOWED_ROOTS_VARIABLE}.",
        )


def _left_behind(home: Home, sources: Sources) -> Path | None:
    """Where the library was before it was moved or copied, when ``sources.json`` is of a release
    that named its inbox by an absolute path; None when nothing says that it was elsewhere.

    An inbox that is there, in a folder that is no library, was chosen by the library's owner. A
    library inside this one's folders (``sides/``) takes the inbox of the library around it.
    """
    for root in sources.roots:
        path = Path(root.path)
        if root.name != INBOX_ROOT or not path.is_absolute() or path.name != home.inbox.name:
            continue
        old = Home(path.parent)
        moved = old.root != home.root and old.root not in home.root.parents
        if moved and (old.settings.exists() or not path.exists()):
            return old.root
    return None


def _json_of(path: Path) -> bytes:
    """What stands in a file that people edit: some editors put a byte order mark before it.

    Raises OSError; ExcerptaError ``LIBRARY_INCOMPATIBLE`` where the mark tells of UTF-16.
    """
    written = path.read_bytes()
    if written.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ExcerptaError(
            ErrorCode.LIBRARY_INCOMPATIBLE,
            f"{path.name} is saved in UTF-16.",
            hint="Save it in UTF-8.",
        )
    return written.removeprefix(codecs.BOM_UTF8)


def _problems(exc: ValidationError) -> str:
    """Which fields are wrong and why, without what they hold: that may be a path."""
    errors = exc.errors(include_input=False, include_url=False, include_context=False)
    said = [
        f"`{'.'.join(map(str, error['loc']))}`: {error['msg']}" if error["loc"] else error["msg"]
        for error in errors[:3]
    ]
    more = len(errors) - len(said)
    return "; ".join(said + ([f"and {more} more"] if more else []))


def _quote(text: str) -> str:
    return re.sub(
        r"[\x00-\x20\x7f-\x9f%#?\"'<>\\^`{|}\[\]]|[^\S ]|[\ud800-\udfff\u202a-\u202e\u2066-\u2069]",
        lambda m: "".join(f"%{b:02X}" for b in m[0].encode("utf-8", "surrogateescape")),
        text,
    )


def _root_for(sources: Sources, real: Path, collection: str | None, tags: list[str]) -> SourceRoot:
    folder = real if real.is_dir() else real.parent
    holders = [
        root
        for root in sources.roots
        if Path(root.path) == folder or (root.whole and Path(root.path) in folder.parents)
    ]
    if holders:
        root = max(holders, key=lambda r: len(r.path))
        if collection and collection != root.collection:
            raise ExcerptaError(
                ErrorCode.INVALID_ARGUMENT,
                f"{real.name!r} lies in a folder whose documents belong to the collection "
                f"{root.collection!r}, and a folder has one collection.",
                hint=f"Leave --collection out, or use {root.collection!r}; to tell its documents "
                "apart, give tags.",
            )
        root.add_tags(real, tags)
        if Path(root.path) == folder:
            _widen(root, real)
        return root
    taken = {root.name for root in sources.roots}
    base = folder.name or "root"
    name = next(
        n for i in range(1, len(taken) + 2) if (n := base if i == 1 else f"{base}-{i}") not in taken
    )
    root = SourceRoot(name=name, path=str(folder), collection=collection or name, whole=False)
    root.add_tags(real, tags)
    _widen(root, real)
    sources.roots.append(root)
    return root


def _widen(root: SourceRoot, real: Path) -> None:
    if real.is_dir():
        root.whole, root.files = True, []
    elif not root.whole:
        root.files = sorted({*root.files, real.name})


def _clear_tombstones(sources: Sources, root: SourceRoot, real: Path) -> None:
    rel = os.path.relpath(real, root.path)
    prefix = f"file://{_quote(root.name)}/" if rel == "." else source_uri(root.name, rel)
    for uri in list(sources.deleted):
        exact = uri == prefix or uri.startswith(prefix + "#")
        if exact or (real.is_dir() and uri.startswith(prefix.rstrip("/") + "/")):
            del sources.deleted[uri]
            # It is wanted again, so the next run must not purge it.
            sources.purge.pop(uri, None)
