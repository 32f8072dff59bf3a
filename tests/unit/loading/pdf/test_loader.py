"""PDF facts: structure, titles and places."""

from pathlib import Path

import pymupdf
import pytest

from tests.fixtures.pdfs import write_pdf
from tests.unit.loading.pdf.facts import check_anchors, load

SAMPLES = Path(__file__).parents[4] / "data" / "samples"


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.pdf")), ids=lambda path: path.name)
def test_samples_are_read_to_the_character(path: Path) -> None:
    loaded = load(path)
    check_anchors(loaded, path)
    covered = sum(anchor.char_end - anchor.char_start for anchor in loaded.anchors)
    assert covered >= sum(ch.isalnum() for ch in loaded.md)
    assert loaded.warnings == []
    with pymupdf.open(path) as document:
        raw = "".join(page.get_text() for page in document)
    assert loaded.pages and loaded.pages >= 2
    squeezed = "".join(loaded.md.split())
    words = raw.split()
    assert sum(word in squeezed for word in words) >= 0.99 * len(words)


def test_the_english_sample_keeps_its_structure() -> None:
    loaded = load(SAMPLES / "annual-report-2025.pdf")
    lines = loaded.md.split("\n")
    assert "# Annual Report 2025" in lines
    assert "## Extreme levels" in lines
    assert "| Month | Mean (m) | Highest (m) | Lowest (m) |" in lines
    assert "| January | 2.951 | 5.213 | 0.702 |" in lines
    assert any("missing day, 11 November" in line and "one missing" in line for line in lines)
    assert loaded.language == "en"
    kinds = {item.kind for item in loaded.furniture}
    assert kinds == {"header", "page_number"}
    assert len(loaded.furniture) == 2 * (loaded.pages or 0)
    (image,) = loaded.media_refs
    assert image.origin_ref.startswith("pdf:xref=")
    assert loaded.md[image.char_start : image.char_end] == f"![]({image.origin_ref})"
    assert image.page is not None and image.x0 is not None
    for item in loaded.outline:
        assert item.char_start is not None
        assert loaded.md[item.char_start :].startswith("#" * item.level + " " + item.title)


def test_chinese_lines_are_joined_without_blanks() -> None:
    loaded = load(SAMPLES / "校准记录.pdf")
    assert loaded.language == "zh"
    assert "每次校准由两人共同完成，在平潮时进行，水位在十分钟内的变化必须小于五毫米。" in loaded.md
    assert {loaded.md[item.char_start : item.char_end] for item in loaded.furniture} == {
        "黑貂湾潮位站 校准记录",
        "第 1 页",
        "第 2 页",
    }


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_end_where_their_page_does(tmp_path: Path, rotation: int) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for x, y in ((72, 102), (20, 300), (400, 400), (72, 499)):
        page.insert_text((x, y), "the gauge is read at noon and at midnight", fontsize=16)
    page.set_cropbox((40, 100, 500, 500))
    page.set_rotation(rotation)
    document.save(tmp_path / "c.pdf")
    document.close()
    loaded = load(tmp_path / "c.pdf")
    assert len(loaded.anchors) == 4
    for anchor in loaded.anchors:
        assert None not in (anchor.x0, anchor.y0, anchor.x1, anchor.y1)
        assert 0 <= (anchor.x0 or 0) < (anchor.x1 or 0) <= 460
        assert 0 <= (anchor.y0 or 0) < (anchor.y1 or 0) <= 400


def test_lists_stay_lists_and_hash_marks_stay_text(tmp_path: Path) -> None:
    text = "Bring with you:\n• a lamp\n• a rope\n1. first\n2. second\n# not a heading"
    loaded = load(write_pdf(tmp_path / "l.pdf", [text]))
    lines = loaded.md.split("\n")
    assert {"- a lamp", "- a rope", "1. first", "2. second", "\\# not a heading"} <= set(lines)


def test_titles(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 90), "Set in large letters", fontsize=24)
    page.insert_text((72, 130), "A body text that is much longer than its title is.", fontsize=10)
    document.set_metadata({"title": "Microsoft Word - draft.docx", "author": "N. N."})
    document.save(tmp_path / "t.pdf")
    loaded = load(tmp_path / "t.pdf")
    assert loaded.title == "Set in large letters"
    assert loaded.metadata["author"] == "N. N."
    document.set_metadata({"title": "(anonymous)"})
    document.save(tmp_path / "r.pdf")
    assert load(tmp_path / "r.pdf").title == "Set in large letters"
    document.set_metadata({"title": "Named in its properties"})
    document.save(tmp_path / "u.pdf")
    document.close()
    assert load(tmp_path / "u.pdf").title == "Named in its properties"


def test_page_labels_and_outline(tmp_path: Path) -> None:
    document = pymupdf.open(write_pdf(tmp_path / "a.pdf", ["Preface", "Start", "End"]))
    document.set_page_labels(
        [
            {"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1},
            {"startpage": 1, "prefix": "A-", "style": "D", "firstpagenum": 1},
        ]
    )
    document.set_toc([[1, "Start", 2], [2, "Nowhere", 3]])
    document.save(tmp_path / "b.pdf")
    document.close()
    loaded = load(tmp_path / "b.pdf")
    assert loaded.page_labels == ["i", "A-1", "A-2"]
    assert [(i.level, i.title, i.page, i.char_start) for i in loaded.outline][1] == (
        2,
        "Nowhere",
        3,
        None,
    )
    assert load(tmp_path / "a.pdf").page_labels is None
