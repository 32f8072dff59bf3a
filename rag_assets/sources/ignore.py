"""``.excerptaignore``: gitignore syntax, at any level of a walked folder."""

from __future__ import annotations

from pathlib import Path

import pathspec

IGNORE_FILE = ".excerptaignore"


class IgnoreRules:
    """The rules in force inside one folder: its own and those of the folders above it.

    As in git, the deepest file that says anything about a path decides, and what lies in an
    excluded folder cannot be included again (the walk never enters it).
    """

    def __init__(self, levels: tuple[tuple[str, pathspec.GitIgnoreSpec], ...] = ()) -> None:
        self._levels = levels

    def within(self, rel_folder: str, ignore_file: Path) -> IgnoreRules:
        """The rules inside ``rel_folder`` (relative to the root, "" for it), which holds
        ``ignore_file``. Raises OSError when that cannot be read."""
        lines = ignore_file.read_text(encoding="utf-8", errors="replace").splitlines()
        spec = pathspec.GitIgnoreSpec.from_lines(lines)
        prefix = f"{rel_folder}/" if rel_folder else ""
        return IgnoreRules(((prefix, spec), *self._levels))

    def excludes(self, rel_path: str, *, folder: bool) -> bool:
        """Whether the rules leave ``rel_path`` (relative to the root) out."""
        for prefix, spec in self._levels:
            tail = rel_path[len(prefix) :] + ("/" if folder else "")
            decided: bool | None = spec.check_file(tail).include
            if decided is not None:
                return decided
        return False
