"""``sources.json``: where a library's documents come from, and what was deleted of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.edited_json import read_edited
from rag_query.library.files import write_json
from rag_query.library.home import Home
from rag_query.library.settings import LibrarySettings, settings_lock

ALLOWED_ROOTS_VARIABLE = "EXCERPTA_ALLOWED_ROOTS"
INBOX_ROOT = "inbox"


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


def load_sources(home: Home) -> Sources:
    """The registered roots, whose paths are absolute here, and tombstones.

    Raises ExcerptaError ``LIBRARY_INCOMPATIBLE`` when ``sources.json`` cannot be read.
    """
    try:
        sources = read_edited(
            home.sources,
            Sources,
            hint="Mend sources.json, or put it back from a copy of the library: it says which "
            "folders are read and what was deleted.",
        )
    except FileNotFoundError:
        return Sources()
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

    A path inside a registered folder adds nothing; a file that was deleted comes back, which the
    folder it lies in does not ask for (:func:`deleted_below`). What was deleted of a folder that is
    registered no more is nothing to a new root that takes its name: it may be another folder.
    ``collection`` is the root's name by default. ``tags`` are of what lies at the path, and stay
    when it is registered again. Returns the root the path belongs to.

    Raises:
        ExcerptaError: ``PATH_NOT_FOUND``; ``INVALID_ARGUMENT`` when the path belongs to a root
            with another collection.
    """
    real = Path(os.path.abspath(path))
    if not real.exists():
        raise ExcerptaError(ErrorCode.PATH_NOT_FOUND, f"There is no file or folder {path.name!r}.")
    with settings_lock(home):
        sources = load_sources(home)
        before = {root.name for root in sources.roots}
        root = _root_for(sources, real, collection, tags or [])
        if root.name not in before:
            _clear_tombstones(sources, source_uri(root.name, ""))
        elif not real.is_dir():
            _clear_tombstones(sources, source_uri(root.name, os.path.relpath(real, root.path)))
        save_sources(home, sources)
        return root


def deleted_below(home: Home, paths: Iterable[Path]) -> list[str]:
    """The source URIs of what was deleted and whose file is still there, in registered folders at
    some paths or below them: it stays out until its file is named, or it is brought back."""
    sources = load_sources(home)
    folders = [Path(os.path.abspath(path)) for path in paths if path.is_dir()]
    below = []
    for root in sources.roots:
        prefix = source_uri(root.name, "")
        for uri in sources.deleted:
            if uri.startswith(prefix):
                rel = unquote(uri.partition("#")[0][len(prefix) :], errors="surrogateescape")
                file = Path(root.path, rel)
                if os.access(file, os.F_OK) and not set(folders).isdisjoint(file.parents):
                    below.append(uri)
    return below


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


def _clear_tombstones(sources: Sources, place: str) -> None:
    """``place``: the URI of a file, or of a root, which ends in a slash."""
    for uri in list(sources.deleted):
        if uri.partition("#")[0] == place or (place.endswith("/") and uri.startswith(place)):
            del sources.deleted[uri]
            # It is wanted again, so the next run must not purge it.
            sources.purge.pop(uri, None)
