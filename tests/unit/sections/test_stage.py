"""Sections know their lines, pages and paths, and only what changed is cut again."""

from pathlib import Path

from rag_assets.sections import stage
from tests.unit.sections.made_library import SHARD, MadeLibrary


def test_sections_know_their_lines_and_pages(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    md = "# A\n\nalpha\n\n## B\n\nbeta\n"
    anchors = [
        {"char_start": 5, "char_end": 10, "page": 3},
        {"char_start": 18, "char_end": 22, "page": 5},
    ]
    library.put("a.md", md, anchors=anchors, line_map=[11, 12, 13, 15, 16, 17, 18, 19])
    library.flush()
    result = stage.run(library.ctx, SHARD)
    rows = library.rows("sections")
    assert [row["section_path"] for row in rows] == ["A", "A / B"]
    assert [(row["line_start"], row["line_end"]) for row in rows] == [(11, 13), (16, 18)]
    assert [(row["page_start"], row["page_end"]) for row in rows] == [(3, 3), (5, 5)]
    assert all(row["text"] == md[row["char_start"] : row["char_end"]] for row in rows)
    assert result.details["section_count"] == 2


def test_equal_paths_are_told_apart(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", "# A\nx\n# A\nx\n")
    library.flush()
    stage.run(library.ctx, SHARD)
    rows = library.rows("sections")
    assert [row["ordinal"] for row in rows] == [0, 1]
    assert len({row["section_id"] for row in rows}) == 2


def test_only_what_changed_is_cut_again(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", "# A\n\nalpha\n")
    library.put("b.md", "# B\n\nbeta\n")
    library.flush()
    first = stage.run(library.ctx, SHARD)
    assert (first.computed, first.written) == (2, True)
    again = stage.run(library.ctx, SHARD)
    assert (again.computed, again.unchanged, again.written) == (0, 2, False)
    assert again.details["section_hash"] == first.details["section_hash"]
    library.put("b.md", "# B\n\nother\n")
    library.flush()
    changed = stage.run(library.ctx, SHARD)
    assert (changed.computed, changed.unchanged, changed.dropped) == (1, 1, 1)
    assert changed.details["structure_drift"] == 0
    library.remove("b.md")
    library.flush()
    assert stage.run(library.ctx, SHARD).rows == 1


def test_another_level_is_a_structure_drift(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", "# A\n\nalpha\n\n## B\n\nbeta\n")
    library.put("b.md", "# A\n\nalpha\n")
    library.flush()
    first = stage.run(library.ctx, SHARD)
    library.set_params("sectioner", max_section_level=1)
    second = stage.run(library.ctx, SHARD)
    assert second.computed == 2
    assert second.details["structure_drift"] == 1
    assert second.details["section_hash"] != first.details["section_hash"]
