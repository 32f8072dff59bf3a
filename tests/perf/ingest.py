"""Ingest of a large tree of Markdown, and the run after it that has nothing to do."""

from __future__ import annotations

from collections.abc import Iterator

from tests.perf.library import Work, data, excerpta
from tests.perf.table import Row


def markdown_rows(work: Work) -> Iterator[Row]:
    """All of ``md``: no file lost; nothing done the second time."""
    tree = data() / "md"
    files = sum(path.suffix in (".md", ".mdx") for path in tree.rglob("*") if path.is_file())
    home = str(work.home("markdown-default"))
    first, took = excerpta(work, "ingest", str(tree), "--home", home)
    status, _ = excerpta(work, "status", "--home", home)
    counts = status["counts"]
    held = counts["documents"] + counts.get("duplicates", 0)
    yield Row("markdown", "Markdown files lost", files - held, "files", 0, False, f"of {files}")
    yield Row("markdown", "full ingest", took, "s", notes=f"{counts['chunks']} chunks")
    again, took = excerpta(work, "ingest", str(tree), "--home", home)
    yield Row("markdown", "the same run again", took, "s", 10, False)
    yield Row("markdown", "versions computed again", again["computed"], "", 0, False)
    assert first["snapshot"] == again["snapshot"], "a run with nothing to do published"
