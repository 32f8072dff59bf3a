"""Radicals that stand for ideographs."""

from pathlib import Path

import pymupdf

from rag_assets.loading.pdf.extraction.radicals import as_ideographs
from tests.unit.loading.pdf.facts import load


def test_words_written_with_radicals_are_found_by_their_ideographs(tmp_path: Path) -> None:
    font = pymupdf.Font("cjk")
    document = pymupdf.open()
    writer = pymupdf.TextWriter(document.new_page().rect)
    writer.append((72, 100), "第一条 人民政府主管部门", font=font)
    writer.write_text(document[0])
    # Says of three of its glyphs that they are radicals.
    names = "".join(
        f"<{font.has_glyph(ord(ideograph)):04x}> <{ord(radical):04x}>\n"
        for ideograph, radical in zip("人民门", "⼈⺠⻔", strict=True)
    )
    for number in range(1, document.xref_length()):
        stream = document.xref_stream(number) or b""
        if b"endcmap" in stream:
            more = f"3 beginbfchar\n{names}endbfchar\nendcmap".encode()
            document.update_stream(number, stream.replace(b"endcmap", more))
    document.save(tmp_path / "r.pdf")
    document.close()
    with pymupdf.open(tmp_path / "r.pdf") as written:
        assert "⼈⺠政府主管部⻔" in written[0].get_text()
    assert load(tmp_path / "r.pdf").md == "第一条 人民政府主管部门"


def test_all_radicals_are_one_character_before_and_behind() -> None:
    radicals = [chr(code) for code in (*range(0x2E81, 0x2E9A), *range(0x2E9B, 0x2EF4))]
    radicals += [chr(code) for code in range(0x2F00, 0x2FD6)]
    found = as_ideographs("".join(radicals).encode()).decode()
    assert len(found) == len(radicals)
    assert not set(found) & set(radicals)
    assert as_ideographs("⻛⻅⻝⼯".encode()).decode() == "风见食工"


def test_other_text_is_as_it_was() -> None:
    text = "“Tide” — 潮汐 ⸺ ⿰ ⺀".encode()
    assert as_ideographs(text) == text
