"""Code: what stands where in its rows, and what Markdown would take for something else."""

import re
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from tests.fixtures.places import Pages, words_elsewhere
from tests.unit.loading.pdf.facts import check_anchors, load


def load_rows(path: Path, *rows: tuple[float, str], font: str = "cour") -> Loaded:
    """A page of rows, of which every word with more than two blanks before it is drawn apart."""
    document = pymupdf.open()
    page = document.new_page()
    for y, text in rows:
        at = 0
        for piece in text.split("   "):
            word = piece.lstrip()
            begins = text.index(word, at)
            page.insert_text((72 + 6 * begins, y), word, fontname=font, fontsize=10)
            at = begins + len(word)
    document.save(path)
    document.close()
    loaded = PdfLoader(PdfParams()).load(path, LoadRequest(path.name))
    anchors = [anchor._asdict() for anchor in loaded.anchors]
    assert words_elsewhere(loaded.md, anchors, Pages(path)) == []
    return loaded


def test_code_keeps_its_indentation_and_its_blank_lines(tmp_path: Path) -> None:
    code = "def level(x):\n    if x > 0:\n        return x\n\n    # none\n\ndef next():\n    pass"
    document = pymupdf.open()
    page = document.new_page()
    for row, line in enumerate(code.split("\n")):
        page.insert_text((72, 100 + 12 * row), line, fontname="cour", fontsize=10)
    document.save(tmp_path / "c.pdf")
    document.close()
    assert load(tmp_path / "c.pdf").md == f"```\n{code}\n```"
    check_anchors(load(tmp_path / "c.pdf"), tmp_path / "c.pdf")


def test_columns_in_code_keep_their_blanks(tmp_path: Path) -> None:
    rows = [
        "day          level    drift",
        "2005-02-10   43.78    NA",
        "2005-02-11   43.79    43.78",
    ]
    loaded = load_rows(tmp_path / "c.pdf", *((100 + 12 * n, row) for n, row in enumerate(rows)))
    assert loaded.md == "```\n" + "\n".join(rows) + "\n```"


@pytest.mark.parametrize("blanks", [8, 12])
def test_east_asian_text_in_code_makes_its_indentation_no_wider(
    blanks: int, tmp_path: Path
) -> None:
    """Programs take what a monospaced font lacks from another one, on the same line."""
    rows = ["def warn():", "    if dry:", " " * blanks + "print('泵房无水')", "    stop()"]
    document = pymupdf.open()
    page = document.new_page()
    writer = pymupdf.TextWriter(page.rect)
    for number, row in enumerate(rows):
        at = pymupdf.Point(72, 100 + 13 * number)
        for character in row:
            font = pymupdf.Font("cour" if character.isascii() else "china-s")
            _, at = writer.append(at, character, font=font, fontsize=10)
    writer.write_text(page)
    document.save(tmp_path / "c.pdf")
    document.close()
    assert load(tmp_path / "c.pdf").md == "```\n" + "\n".join(rows) + "\n```"


@pytest.mark.parametrize("row", ["R> plot(levels)", "$ ls", "# /etc/init.d/tides start"])
def test_a_command_behind_its_prompt_is_code_though_it_stands_alone(
    row: str, tmp_path: Path
) -> None:
    assert load_rows(tmp_path / "p.pdf", (100, row)).md == f"```\n{row}\n```"


@pytest.mark.parametrize("text", ["> fm1 was fitted", ">"])
def test_no_text_becomes_a_quotation(text: str, tmp_path: Path) -> None:
    loaded = load_rows(tmp_path / "q.pdf", (100, "The model was"), (140, text), font="helv")
    assert loaded.md == f"The model was\n\n\\{text}"


def write_in_font(path: Path, name: str, rows: list[str]) -> Path:
    """A page of rows in a font of a name, which is Helvetica."""
    document = pymupdf.open()
    page = document.new_page()
    for number, row in enumerate(rows):
        page.insert_text((72, 100 + 13 * number), row, fontname="helv", fontsize=10)
    [font] = page.get_fonts()
    document.xref_set_key(font[0], "BaseFont", f"/{name}")
    document.save(path)
    document.close()
    return path


@pytest.mark.parametrize(
    "font",
    [
        "NimbusMonL-Regu",
        "SFTT1000",
        "SFST0900",
        "CMITT10",
        "CMSLTT10",
        "cstt10",
        "t1xbtt",
        "Monaco",
    ],
)
def test_code_is_known_by_the_short_names_of_fonts(font: str, tmp_path: Path) -> None:
    rows = ["level = gauge.read()", "print(level)"]
    md = load(write_in_font(tmp_path / "n.pdf", font, rows)).md
    assert md == "```\nlevel = gauge.read()\nprint(level)\n```"


@pytest.mark.parametrize("font", ["CMVTT10", "SFVT1000", "CMTI10", "SFTI1000", "Swiss721TT"])
def test_text_is_no_code_for_fonts_named_much_like_those_of_code(font: str, tmp_path: Path) -> None:
    rows = ["The gauge is read", "at noon."]
    assert "```" not in load(write_in_font(tmp_path / "n.pdf", font, rows)).md


@pytest.mark.parametrize(
    "font", ["ArialUnicodeMS", "LucidaSansUnicode", "MonotypeCorsiva", "EncodeSans", "BarCodeText"]
)
def test_text_is_no_code_for_letters_in_the_name_of_its_font(font: str, tmp_path: Path) -> None:
    rows = ["The gauge is read", "at noon."]
    md = load(write_in_font(tmp_path / "n.pdf", font, rows)).md
    assert "```" not in md
    code = ["level = gauge.read()", "print(level)"]
    for name in ("SourceCodePro-Regular", "FiraCode", "DejaVuSansMono"):
        assert "```" in load(write_in_font(tmp_path / "n.pdf", name, code)).md


def test_code_in_a_shaded_box_is_no_table(tmp_path: Path) -> None:
    code = "int accumulate(int a,\n               int b) {\n    return a + b;\n}"
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "The gauges are added up as follows.", fontsize=10)
    page.draw_rect((66, 94, 500, 148), color=None, fill=(0.9, 0.9, 0.95))
    for row, text in enumerate(code.split("\n")):
        for word in re.finditer(r"\S+", text):
            at = (72 + 6 * word.start(), 106 + 12 * row)
            page.insert_text(at, word[0], fontname="cour", fontsize=10)
    document.save(tmp_path / "b.pdf")
    document.close()
    assert load(tmp_path / "b.pdf").md.endswith(f"\n\n```\n{code}\n```")
    check_anchors(load(tmp_path / "b.pdf"), tmp_path / "b.pdf")


@pytest.mark.parametrize(
    "rows",
    [
        [("Date", "Text", "Level"), ("03.05.", "Harbour", "-800.00"), ("04.05.", "Pier", "2.5")],
        [("Option", "Default"), ("--host", "localhost"), ("--port", "8080"), ("--workers", "4")],
    ],
    ids=["amounts", "options"],
)
def test_a_monospaced_table_in_a_shaded_box_is_one(
    rows: list[tuple[str, ...]], tmp_path: Path
) -> None:
    md = load(_boxed(tmp_path / "t.pdf", rows, 130)).md
    assert [line for line in md.split("\n") if line[:2] == "| "] == [
        f"| {' | '.join(row)} |" for row in rows
    ]


def test_columns_of_code_in_a_shaded_box_are_no_table(tmp_path: Path) -> None:
    rows = [("mov", "ax,", "level"), ("add", "ax,", "12"), ("cmp", "ax,", "40")]
    assert load(_boxed(tmp_path / "c.pdf", rows, 60)).md.startswith("```\nmov")


def write_blocks(path: Path, *blocks: tuple[float, str, list[str]]) -> Loaded:
    """A page of blocks of text, each from its height in a font; rows are 12 points apart."""
    document = pymupdf.open()
    page = document.new_page()
    for y, font, rows in blocks:
        page.insert_text((72, y), rows, fontname=font, fontsize=10, lineheight=1.2)
    document.save(path)
    document.close()
    loaded = load(path)
    check_anchors(loaded, path)
    return loaded


def test_a_row_of_code_that_begins_in_chinese_stays_in_it(tmp_path: Path) -> None:
    text = "The gauge is read by a program that runs at noon and once more in the evening."
    loaded = write_blocks(
        tmp_path / "c.pdf",
        (70, "helv", [text]),
        (100, "cour", ["level = read()", 'note = """']),
        (124, "china-s", ["水位在中午读取一次"]),
        (136, "cour", ['"""', "print(level)"]),
    )
    code = ["level = read()", 'note = """', "水位在中午读取一次", '"""', "print(level)"]
    assert loaded.md == "\n".join([text, "", "```", *code, "```"])


def test_chinese_text_below_code_is_none(tmp_path: Path) -> None:
    loaded = write_blocks(
        tmp_path / "c.pdf",
        (100, "cour", ["level = read()", "print(level)"]),
        (130, "china-s", ["水位在中午读取一次。"]),
        (160, "cour", ["drift = read()", "print(drift)"]),
    )
    assert loaded.md.count("```") == 4


def test_the_last_row_of_a_paragraph_that_begins_with_code_stays_in_it(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=400, height=400)
    text = "The gauge is read at noon and once more in the evening,"
    page.insert_text((72, 100), [text, text], fontsize=10, lineheight=1.2)
    page.insert_text((72, 124), "read_gauge()", fontname="cour", fontsize=10)
    page.insert_text((146, 124), "for each of them.", fontsize=10)
    page.insert_text(
        (72, 150), ["level = read_gauge()", "print(level)"], fontname="cour", fontsize=10
    )
    document.save(tmp_path / "p.pdf")
    document.close()
    md = load(tmp_path / "p.pdf").md
    assert md.endswith(
        "read_gauge() for each of them.\n\n```\nlevel = read_gauge()\nprint(level)\n```"
    )


def test_chinese_prose_with_commands_where_its_rows_begin_is_no_code(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    text = "水位在中午读取一次，晚上再读取一次，由值班员记录下来，"
    for row in range(4):
        # Far apart, rows are blocks of their own.
        y = 100 + 22 * row
        code = "read_gauge" if row % 3 else ""
        page.insert_text((72, y), code, fontname="cour", fontsize=10)
        page.insert_text(
            (72 + 6 * len(code), y), text[len(code) * 6 // 10 :], fontname="china-s", fontsize=10
        )
    document.save(tmp_path / "c.pdf")
    document.close()
    assert "```" not in load(tmp_path / "c.pdf").md


def test_a_line_of_code_that_was_broken_goes_on_behind_a_sign_of_another_font() -> None:
    rows = ["read | station | Whitby, Bergen,", "Ostend, Cuxhaven", "read | gauge   | float"]
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_font(fontname="signs", fontbuffer=pymupdf.Font("cjk").buffer)
        for at, row in enumerate(rows):
            y = 100 + 12 * at
            if at == 1:
                page.insert_text((72, y), "↳", fontname="signs", fontsize=5)
            page.insert_text((72 + 6 * (at == 1), y), row, fontname="cour", fontsize=10)
        md = load(document.tobytes()).md
    rows[1] = "↳" + rows[1]
    assert md == "\n".join(["```", *rows, "```"])


def _boxed(path: Path, rows: Sequence[Sequence[str]], width: int) -> Path:
    """Monospaced rows in a shaded box, the columns so many points wide."""
    document = pymupdf.open()
    page = document.new_page()
    page.draw_rect((70, 84, 470, 84 + 18 * len(rows)), color=None, fill=(0.9, 0.9, 0.95))
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            at = (76 + width * x, 97 + 18 * y)
            page.insert_text(at, cell, fontname="cour", fontsize=10)
    document.save(path)
    document.close()
    return path


@pytest.mark.parametrize(("shift", "indent"), [(0, 4), (3, 0)])
def test_code_that_goes_on_over_a_page_keeps_its_indentation(shift: float, indent: int) -> None:
    """Pages may have margins of their own."""
    with pymupdf.open() as document:
        for left, rows in ((72, ["def level(x):", "    if x > 0:"]), (72 + shift, LATER)):
            page = document.new_page()
            for at, row in enumerate(rows):
                page.insert_text((left, 700 + 12 * at), row, fontname="cour", fontsize=10)
        md = load(document.tobytes()).md
    later = "\n".join(" " * (indent - 4) + row if indent else row[4:] for row in LATER)
    assert md == f"```\ndef level(x):\n    if x > 0:\n```\n\n```\n{later}\n```"


LATER = ["        return x", "    return 0"]
