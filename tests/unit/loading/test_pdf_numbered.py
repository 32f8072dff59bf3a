"""What is numbered, and stands in a font that is not the text's."""

from pathlib import Path

import pymupdf

from tests.unit.loading.pdf_facts import load

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
