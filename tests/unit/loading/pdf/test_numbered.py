"""What is numbered, and stands in a font that is not the text's."""

from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import load

CLAUSES = [
    ("", "根据有关法律法规的规定，甲乙双方在平等、自愿、公平、诚实信用的"),
    ("", "基础上，就离心泵机组的采购与安装，经协商一致，订立本合同。"),
    ("1.1", " 乙方按照本合同的约定向甲方提供下列设备并负责安装调试，货物"),
    ("", "的名称、规格型号、数量及价款见附件一。"),
    ("1.2", " 上述价款为含税价，包括设备价款、包装费、运输费、装卸费、运"),
    ("", "输保险费、安装调试费、技术培训费以及质量保证期内的维修费。"),
    ("1.3", " 货物应当符合国家标准，并达到双方签署的技术协议所列的全部性"),
    ("", "能指标。"),
    ("1.4", " 乙方保证货物是全新的、未使用过的，采用优质材料和先进工艺制"),
    ("", "造，在正确安装、正常使用和保养条件下，具有满意的性能。"),
]


def test_clauses_whose_digits_have_a_font_of_their_own_are_text(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=144 + 31 * 14)
    page.insert_font(fontname="droid", fontbuffer=pymupdf.Font("cjk").buffer)
    for at, (number, text) in enumerate(CLAUSES):
        # So far apart, each row is a block of its own.
        y = 100 + 23 * at
        page.insert_text((72, y), number, fontsize=14, fontname="tiro")
        x = 72 + pymupdf.get_text_length(number, "tiro", 14)
        page.insert_text((x, y), text, fontsize=14, fontname="droid")
    document.save(tmp_path / "c.pdf")
    document.close()
    loaded = load(tmp_path / "c.pdf")
    assert loaded.outline == []
    assert "货物的名称、规格型号" in loaded.md


LAW = [
    ("", "目　录"),
    ("", "第一章　总则"),
    ("", "第二章　规划与建设"),
    ("", "第三章　附则"),
    ("part", "第一章　总则"),
    ("", "第一条　为了加强城镇排水设施的管理，保障设施安全运行，根据本条例第"),
    ("", "二章的规定，制定本办法。"),
    ("part", "第二章　规划与建设"),
    ("division", "第一节　规划"),
    ("", "第二条　城镇排水设施覆盖范围内的单位和个人，应当按照规定排放污水。"),
    ("division", "第二节　建设"),
    ("", "第三条　建设单位应当按照规划建设排水设施，所需经费列入财政预算内的"),
    ("", "资金。"),
    ("part", "第三章　附则"),
    ("", "第四条　本办法自公布之日起施行，由城镇排水主管部门负责解释和监督。"),
]


@pytest.mark.parametrize("apart", ["font", "place"])
def test_the_chapters_of_a_law_are_headings_in_another_font_or_centred(
    apart: str, tmp_path: Path
) -> None:
    document = pymupdf.open()
    width = 12 * max(len(text) for _, text in LAW)
    page = document.new_page(width=144 + width)
    page.insert_font(fontname="droid", fontbuffer=pymupdf.Font("cjk").buffer)
    for at, (kind, text) in enumerate(LAW):
        fontname = "china-s" if kind and apart == "font" else "droid"
        x = 72 + (width - 12 * len(text)) / 2 if kind and apart == "place" else 72
        page.insert_text((x, 80 + 26 * at), text, fontsize=12, fontname=fontname)
    document.save(tmp_path / "l.pdf")
    document.close()
    found = [(item.level, item.title) for item in load(tmp_path / "l.pdf").outline]
    assert found == [(1 + (kind == "division"), text) for kind, text in LAW if kind]


def write_paper(left: float | None) -> bytes:
    """A paper whose sections count in the font of the text, centred or beginning at ``left``."""
    prose = "The gauge was read at noon and once more in the evening of each day of the week."
    document = pymupdf.open()
    page = document.new_page(width=72 + pymupdf.get_text_length(prose, fontsize=10) + 72)
    page.insert_text((72, 60), prose[:30], fontsize=9)
    y = 80
    for section in PAPER:
        half = pymupdf.get_text_length(section, fontsize=10) / 2
        x = page.rect.width / 2 - half if left is None else left
        page.insert_text((x, y), section, fontsize=10)
        for number in range(4):
            page.insert_text((72, y + 22 + 13 * number), prose, fontsize=10)
        y += 100
    return document.tobytes()


PAPER = ["Introduction", "1. A simple example", "2. Details", "3. Applications", "References"]


def test_sections_whose_numbers_count_in_the_middle_of_their_column_are_headings() -> None:
    assert [item.title for item in load(write_paper(None)).outline] == PAPER


def test_items_whose_numbers_count_at_the_left_are_none() -> None:
    assert load(write_paper(72)).outline == []
