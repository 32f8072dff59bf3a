"""Chunks lie where they say, and a change touches only the sections it is in."""

from pathlib import Path
from typing import Any

import pytest

from rag_assets.chunks import stage
from rag_assets.sections import stage as sections
from rag_query.text.canonical import content_hash
from tests.unit.sections.made_library import SHARD, MadeLibrary

LONG = "\n\n".join(f"Paragraph number {n} tells of things that happen. " * 4 for n in range(30))
ASSET = "ab" * 32


def cut(library: MadeLibrary) -> list[dict[str, Any]]:
    library.flush()
    sections.run(library.ctx, SHARD)
    stage.run(library.ctx, SHARD)
    return library.rows("chunks")


def test_chunks_lie_in_their_section_and_document(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    md = f"# 标题\n\n{LONG}\n\n## Two\n\n中文。{LONG}\n"
    line_map = [n + 7 for n in range(md.count("\n") + 1)]
    library.put("a.md", md, line_map=line_map)
    chunks = cut(library)
    texts = {row["section_id"]: row["text"] for row in library.rows("sections")}
    assert len(chunks) > 6
    for index, chunk in enumerate(chunks):
        text = chunk["chunk_text"]
        section = texts[chunk["section_id"]]
        assert text == section[chunk["section_start"] : chunk["section_end"]]
        assert text == md[chunk["char_start"] : chunk["char_end"]]
        assert chunk["chunk_fingerprint"] == content_hash(text)
        assert chunk["chunk_index"] == index
        assert chunk["line_start"] == md.count("\n", 0, chunk["char_start"]) + 7
        assert chunk["line_end"] == md.count("\n", 0, chunk["char_end"]) + 7
        assert chunk["page_start"] is None and chunk["anchors"] == []
    assert len({chunk["chunk_id"] for chunk in chunks}) == len(chunks)


def test_boxes_are_cut_to_the_chunk(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    md = "# A\n\nalpha beta\n\n## B\n\ngamma\n"
    box = {"x0": 1.0, "y0": 2.0, "x1": 3.0, "y1": 4.0}
    beta, gamma = md.index("beta"), md.index("gamma")
    library.put(
        "a.md",
        md,
        anchors=[
            {"char_start": 5, "char_end": 10, "page": 1, **box},
            {"char_start": beta, "char_end": gamma + 2, "page": 2, **box},
            {"char_start": gamma + 2, "char_end": gamma + 5, "page": 3},
        ],
    )
    first, second = cut(library)
    assert (first["page_start"], first["page_end"]) == (1, 2)
    assert (second["page_start"], second["page_end"]) == (2, 3)
    spans = [(a["char_start"], a["char_end"], a["page"]) for a in second["anchors"]]
    text = second["chunk_text"]
    assert spans == [(0, text.index("gamma") + 2, 2), (text.index("gamma") + 2, len(text), 3)]
    assert second["anchors"][0]["x1"] == 3.0 and second["anchors"][1]["x1"] is None


def test_every_document_of_a_shard_has_its_own_pages_lines_and_repetitions(
    tmp_path: Path,
) -> None:
    library = MadeLibrary(tmp_path)
    library.set_params("chunker", chunk_size=180, chunk_overlap=0)
    row = "Exactly the same sentence stands here again and again, all of it. " * 10
    texts = {name: f"# {name}\n\n" + f"{row}\n\n" * 4 + f"end of {name}\n" for name in "abc"}
    for page, (name, md) in enumerate(texts.items(), 1):
        boxes = [{"char_start": 5, "char_end": 9, "page": page}] * (page != 2)
        library.put(f"{name}.md", md, anchors=boxes)
    chunks = cut(library)
    for page, (name, md) in enumerate(texts.items(), 1):
        own = [chunk for chunk in chunks if chunk["section_path"] == name]
        pages = [page] if page != 2 else []
        assert [box["page"] for chunk in own for box in chunk["anchors"]] == pages
        assert own[0]["page_start"] == (page if pages else None)
        assert f"end of {name}" in own[-1]["chunk_text"]
        places = [place for chunk in own for place in chunk["also_at"]]
        assert places
        for place in places:
            assert place["line_start"] == md.count("\n", 0, place["char_start"]) + 1


def test_a_repeated_text_is_stored_once(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    row = "Exactly the same sentence stands here again and again, all of it. " * 10
    library.put("a.md", "# A\n\n" + f"{row}\n\n" * 4 + "end\n")
    library.set_params("chunker", chunk_size=180, chunk_overlap=0)
    chunks = cut(library)
    assert len({chunk["chunk_id"] for chunk in chunks}) == len(chunks)
    repeated = [chunk for chunk in chunks if chunk["also_at"]]
    assert repeated
    md = library.rows("normalized")[0]["md_norm"]
    for chunk in repeated:
        for place in chunk["also_at"]:
            assert md[place["char_start"] : place["char_end"]] == chunk["chunk_text"]
            assert place["line_start"] == md.count("\n", 0, place["char_start"]) + 1


def test_media_and_empty_texts(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", f"---\n\n# A\n\n![x](asset://{ASSET}) ![y](asset://{ASSET})\n")
    chunks = cut(library)
    assert [chunk["asset_ids"] for chunk in chunks] == [[ASSET]]


def test_inserting_a_paragraph_changes_only_its_section(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    body = "".join(f"# Part {n}\n\n{LONG}\n\n" for n in range(3))
    library.put("a.md", body)
    before = cut(library)
    library.put("a.md", body.replace("# Part 0\n\n", "# Part 0\n\nA new paragraph at the top.\n\n"))
    after = cut(library)

    def ids(rows: list[dict[str, Any]], part: str) -> list[str]:
        return [row["chunk_id"] for row in rows if (row["section_path"] == part)]

    assert ids(before, "Part 0") != ids(after, "Part 0")
    for part in ("Part 1", "Part 2"):
        assert ids(before, part) == ids(after, part)


def test_sections_of_other_extent_are_a_structure_drift_though_their_names_stay(
    tmp_path: Path,
) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", "# A\n\nsome text\n\n# B\n\nother text\n")
    cut(library)
    library.set_params("sectioner", include_heading=False)
    assert sections.run(library.ctx, SHARD).details["structure_drift"] == 1
    details = stage.run(library.ctx, SHARD).details
    assert (details["structure_drift"], details["drift"]) == (1, "structure")


def test_other_cuts_of_a_section_that_ends_with_a_repetition_are_no_structure_drift(
    tmp_path: Path,
) -> None:
    last = "Keep clear of the moving shutter always."
    library = MadeLibrary(tmp_path)
    library.put("a.md", f"# A\n\n{LONG}\n\n{last}\n\n{last}\n")
    sizes = {"chunk_overlap": 0, "length_function": "chars", "whole_size": None}
    library.set_params("chunker", chunk_size=300, **sizes)
    cut(library)
    library.set_params("chunker", chunk_size=64, **sizes)
    details = stage.run(library.ctx, SHARD).details
    assert (details["length_drift"], details["structure_drift"]) == (1, 0)


@pytest.mark.parametrize("size", [60, 200, 2000])
def test_a_table_that_must_be_cut_records_its_header(tmp_path: Path, size: int) -> None:
    rows = "".join(f"| {n} | value number {n} |\n" for n in range(20))
    code = "```python\n# no heading\nprint('whole')\n```"
    library = MadeLibrary(tmp_path)
    library.put("a.md", f"# A\n\n{code}\n\n| key | value |\n|---|---|\n{rows}\nThe end.\n")
    library.set_params("chunker", chunk_size=size, chunk_overlap=0, length_function="chars")
    chunks = cut(library)
    # The code fits, so it is whole; the table is whole where it fits, and repeats no text.
    assert any(code in chunk["chunk_text"] for chunk in chunks)
    parts = [chunk for chunk in chunks if "value number" in chunk["chunk_text"]]
    assert [chunk["header_row"] for chunk in parts] == [None] + ["| key | value |"] * (
        len(parts) - 1
    )
    assert sum(chunk["chunk_text"].count("| key | value |") for chunk in chunks) == 1
    assert (len(parts) == 1) is (size == 2000)


def test_drift_is_named_by_its_cause(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", f"# A\n\n{LONG}\n\n## B\n\n{LONG}\n")
    library.put("b.md", "# Small\n\ntext\n")
    cut(library)
    profile = stage.chunk_build_profile_id(library.strategy)
    library.set_params("chunker", chunk_size=200)
    result = stage.run(library.ctx, SHARD)
    assert (result.details["length_drift"], result.details["structure_drift"]) == (1, 0)
    library.set_params("sectioner", max_section_level=1)
    assert sections.run(library.ctx, SHARD).details["structure_drift"] == 1
    result = stage.run(library.ctx, SHARD)
    assert (result.details["length_drift"], result.details["structure_drift"]) == (0, 1)
    assert stage.chunk_build_profile_id(library.strategy) != profile
    assert result.details["drift"] == "structure"
    again = stage.run(library.ctx, SHARD)
    assert (again.computed, again.written) == (0, False)
    assert again.details["drift"] == "none"
    assert again.details["chunk_hash_before"] == result.details["chunk_hash"]
    assert result.details["chunk_hash_before"] != result.details["chunk_hash"]
    assert again.details["chunk_hash"] == result.details["chunk_hash"]
