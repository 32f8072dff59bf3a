"""Walks the registered roots: which files are there now. Reads names and stats, no content."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag_assets.sources.ignore import IGNORE_FILE, IgnoreRules
from rag_assets.sources.rows import storable
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.library.home import OWN_NAMES, Home
from rag_query.library.sources import INBOX_ROOT, SourceRoot, check_allowed

_DANGLING = "The link leads to nothing. Mend it, or remove it."
_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_Identity = tuple[int, int]
_MARKS_OF_A_LIBRARY = {Home(Path("/")).settings.name, Home(Path("/")).sources.name}


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file under a root.

    Attributes:
        rel_path: POSIX, relative to the root, as the file system gave it; the file lies there.
        explicit: registered by name, not found by walking.
    """

    root: SourceRoot
    rel_path: str
    size: int
    mtime_ns: int
    explicit: bool

    @property
    def path(self) -> str:
        """Absolute; not kept, as there may be many files."""
        return f"{self.root.path}/{self.rel_path}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that stands under a root but cannot be walked or opened.

    Attributes:
        no_file: it is no file at all, so nothing was lost: a link that leads nowhere, in a circle
            or out of what may be read, a pipe, a device.
    """

    root: SourceRoot
    rel_path: str
    code: ErrorCode
    message: str
    hint: str = ""
    no_file: bool = False


@dataclass(slots=True)
class Walk:
    """What the walk saw.

    Attributes:
        unseen: (root name, relative folder; "" for the whole root) that could not be looked
            into, so nothing can be said about what is gone there.
        emptied: likewise of those with nothing at all left in them, as where a disk was
            unmounted.
        warnings: sentences for a person.
    """

    files: list[FoundFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unseen: list[tuple[str, str]] = field(default_factory=list)
    emptied: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Folder:
    root: SourceRoot
    path: str
    rel: str
    rules: IgnoreRules
    ancestors: frozenset[_Identity]
    identity: _Identity

    def relative(self, name: str) -> str:
        return f"{self.rel}/{name}" if self.rel else name


def walk_roots(
    roots: Sequence[SourceRoot],
    allowed: list[Path],
    library: Path,
    held: Collection[tuple[str, str]] = (),
    held_at_ns: int = 0,
) -> Walk:
    """List the files of every root, sorted within each folder.

    A root whose folder cannot be found, or was walked and now holds nothing at all (as where a
    disk was unmounted), is left as it was, with a warning. The inbox may be emptied. So is a folder
    within a root that holds nothing and has not been changed since documents were seen in it:
    removing them would have changed it, so they were in another that was mounted over it.

    A folder that is itself a registered root belongs to that root only. Hidden names, what
    ``.excerptaignore`` names, the library's own folder and what any other library keeps for
    itself are left out. Symbolic links are
    followed while they stay under ``allowed``; a folder reached by a link is walked only when
    nothing else reached it before, so a loop ends.

    Args:
        held: folders (root name, relative path as it is stored; "" for the whole root) that the
            library has documents of, in them or below.
        held_at_ns: a moment after those documents were seen.
    """
    return _Walker(roots, allowed, library, held, held_at_ns).walk()


class _Walker:
    def __init__(
        self,
        roots: Sequence[SourceRoot],
        allowed: list[Path],
        library: Path,
        held: Collection[tuple[str, str]],
        held_at_ns: int,
    ) -> None:
        self._roots = roots
        self._allowed = allowed
        self._borders = {
            identity
            for path in (*(Path(root.path) for root in roots if root.whole), library)
            if (identity := _identity(path))
        }
        # Files registered by name inside a folder that another root walks belong to their root.
        self._named = {
            str(Path(root.path) / name) for root in roots if not root.whole for name in root.files
        }
        self._visited: set[_Identity] = set()
        self._linked: list[tuple[_Folder, str]] = []
        self._held = held
        self._held_at_ns = held_at_ns
        self._out = Walk()

    def walk(self) -> Walk:
        for root in self._roots:
            identity = _identity(Path(root.path))
            if identity is None:
                self._out.unseen.append((root.name, ""))
                self._keep(root, "", "cannot be found")
            elif root.whole:
                self._descend(_Folder(root, root.path, "", IgnoreRules(), frozenset(), identity))
            else:
                self._named_files(root)
        # Links last: what a folder's real name reaches is never listed under a link's name.
        while self._linked:
            self._follow(*self._linked.pop(0))
        return self._out

    def _keep(self, root: SourceRoot, rel: str, state: str) -> None:
        """Warn that a folder's documents stay though its files cannot be seen."""
        within, drop = (f"{rel!r} in", "Remove the folder and ingest again to drop them.")
        if not rel:
            within, drop = "of", f"`excerpta sources --forget {root.name!r}` drops it."
        self._out.warnings.append(
            f"The folder {within} {root.name!r} {state}; its documents are kept. {drop}"
        )

    def _named_files(self, root: SourceRoot) -> None:
        for name in root.files:
            path = Path(root.path) / name
            try:
                self._file(root, name, path.stat(), explicit=True)
            except OSError as exc:
                self._problem(root, name, exc)

    def _descend(self, top: _Folder) -> None:
        """Depth first, in the order of names."""
        stack = [top]
        while stack:
            folder = stack.pop()
            self._visited.add(folder.identity)
            stack.extend(reversed(self._list(folder)))

    def _list(self, folder: _Folder) -> list[_Folder]:
        try:
            with os.scandir(folder.path) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
            if not found and self._lost_its_disk(folder):
                self._out.emptied.append((folder.root.name, folder.rel))
                self._keep(folder.root, folder.rel, "is empty (is it mounted?)")
            if {entry.name for entry in found} >= _MARKS_OF_A_LIBRARY:
                found = [entry for entry in found if entry.name not in OWN_NAMES]
            rules = folder.rules
            if any(entry.name == IGNORE_FILE for entry in found):
                rules = rules.within(folder.rel, Path(folder.path) / IGNORE_FILE)
        except OSError as exc:
            self._out.unseen.append((folder.root.name, folder.rel))
            self._problem(folder.root, folder.rel or ".", exc, what="folder")
            return []
        inside: list[_Folder] = []
        for entry in found:
            if entry.name.startswith("."):
                continue
            try:
                self._entry(folder, entry, rules, inside)
            except OSError as exc:
                rel = folder.relative(entry.name)
                if not isinstance(exc, FileNotFoundError):
                    self._problem(folder.root, rel, exc)
                elif entry.is_symlink():
                    self._out.unseen.append((folder.root.name, rel))  # it may have led to a folder
                    self._no_file(folder.root, rel, ErrorCode.FILE_MISSING, _DANGLING)
                # Anything else went while its folder was read, and is gone like any other.
        return inside

    def _lost_its_disk(self, empty: _Folder) -> bool:
        """Whether an empty folder's documents were not removed, but can no longer be seen."""
        if (empty.root.name, storable(empty.rel)) not in self._held:
            return False
        if not empty.rel:
            return empty.root.name != INBOX_ROOT
        return Path(empty.path).stat().st_ctime_ns < self._held_at_ns

    def _entry(
        self, folder: _Folder, entry: os.DirEntry[str], rules: IgnoreRules, inside: list[_Folder]
    ) -> None:
        rel = folder.relative(entry.name)
        if entry.is_symlink():
            if not rules.excludes(rel, folder=False):
                self._link(folder, entry, rel, rules)
        elif entry.is_dir(follow_symlinks=False):
            child = self._child(folder, entry.path, rel, rules, entry.stat(follow_symlinks=False))
            if child.identity not in self._borders and not rules.excludes(rel, folder=True):
                inside.append(child)
        elif entry.path not in self._named and not rules.excludes(rel, folder=False):
            self._file(folder.root, rel, entry.stat(), explicit=False)

    def _link(self, folder: _Folder, entry: os.DirEntry[str], rel: str, rules: IgnoreRules) -> None:
        status = entry.stat()
        try:
            check_allowed(Path(entry.path), self._allowed)
        except ExcerptaError as exc:
            self._no_file(folder.root, rel, exc.code, "The link leads outside the allowed folders.")
            return
        if not stat.S_ISDIR(status.st_mode):
            self._file(folder.root, rel, status, explicit=False)
        elif not rules.excludes(rel, folder=True):
            self._linked.append((self._child(folder, entry.path, rel, rules, status), rel))

    def _follow(self, folder: _Folder, rel: str) -> None:
        if folder.identity in folder.ancestors:
            self._problem(folder.root, rel, OSError(errno.ELOOP, os.strerror(errno.ELOOP)))
        elif folder.identity not in self._visited and folder.identity not in self._borders:
            self._descend(folder)

    def _child(
        self, folder: _Folder, path: str, rel: str, rules: IgnoreRules, status: os.stat_result
    ) -> _Folder:
        return _Folder(
            folder.root,
            path,
            rel,
            rules,
            folder.ancestors | {folder.identity},
            (status.st_dev, status.st_ino),
        )

    def _file(self, root: SourceRoot, rel: str, status: os.stat_result, *, explicit: bool) -> None:
        if stat.S_ISREG(status.st_mode):
            found = FoundFile(root, rel, status.st_size, status.st_mtime_ns, explicit)
            self._out.files.append(found)
            return
        kind = next((name for test, name in _SPECIAL if test(status.st_mode)), "no regular file")
        code, message = ErrorCode.UNSUPPORTED_TYPE, f"This is {kind}; nothing is read from it."
        if explicit:
            self._out.problems.append(Problem(root, rel, code, message))
        else:
            self._no_file(root, rel, code, message)

    def _no_file(self, root: SourceRoot, rel: str, code: ErrorCode, message: str) -> None:
        self._out.problems.append(Problem(root, rel, code, message, no_file=True))

    def _problem(self, root: SourceRoot, rel: str, exc: OSError, what: str = "file") -> None:
        error = classify(exc, read=what)
        loop = error.code is ErrorCode.SYMLINK_LOOP
        self._out.problems.append(Problem(root, rel, error.code, error.message, error.hint, loop))


def _identity(path: Path) -> _Identity | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)
