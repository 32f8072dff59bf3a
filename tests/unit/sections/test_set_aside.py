"""A document on which a stage fails in a way nobody foresaw costs no other document anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.sections import stage
from rag_assets.sections.base import Section
from rag_assets.sections.markdown_headings import MarkdownHeadings
from tests.unit.sections.made_library import SHARD, MadeLibrary


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeLibrary:
    """Whose sectioner cannot stand the word ``cursed``."""
    cut = MarkdownHeadings.sections

    def sections(self: MarkdownHeadings, md: str) -> list[Section]:
        if "cursed" in md:
            raise RecursionError("too deep")
        return cut(self, md)

    monkeypatch.setattr(MarkdownHeadings, "sections", sections)
    return MadeLibrary(tmp_path)


def test_one_document_is_set_aside_by_name(library: MadeLibrary) -> None:
    for name in "abcdefg":
        library.put(f"{name}.md", f"# {name}\n\nfine\n")
    cursed = library.put("x.md", "# x\n\ncursed\n")
    library.flush()
    result = stage.run(library.ctx, SHARD)
    assert (result.computed, result.rows) == (7, 7)
    (failed,) = result.failed
    assert (failed.source_uri, failed.code) == ("file://inbox/x.md", "INTERNAL")
    assert failed.message == "Sections: RecursionError: too deep"
    parsed = {row["version_id"]: row for row in library.rows("parsed")}
    assert parsed.pop(cursed)["status"] == "failed"
    assert {row["status"] for row in parsed.values()} == {"ready"}


def test_the_next_run_tries_it_again(library: MadeLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    library.put("a.md", "# a\n\nfine\n")
    cursed = library.put("x.md", "# x\n\ncursed\n")
    library.flush()
    before = library.ctx.store.head("parsed", SHARD)
    stage.run(library.ctx, SHARD)
    after = library.ctx.store.head("parsed", SHARD)
    assert before is not None and after is not None
    # It is parsed anew, and no other document is.
    assert {v for v, made in after.inputs.items() if before.inputs[v] != made} == {cursed}
    assert len(stage.run(library.ctx, SHARD).failed) == 1
    monkeypatch.undo()
    result = stage.run(library.ctx, SHARD)
    assert (result.computed, result.rows, list(result.failed)) == (1, 2, [])


def test_nothing_that_stood_is_set_aside(library: MadeLibrary) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            MarkdownHeadings, "sections", lambda _, md: [Section(("x",), 1, "x", 0, len(md))]
        )
        library.put("x.md", "# x\n\ncursed\n")
        library.flush()
        stage.run(library.ctx, SHARD)
    library.set_params("sectioner", max_section_level=1)
    with pytest.raises(RecursionError):
        stage.run(library.ctx, SHARD)
    assert len(library.rows("sections")) == 1
