"""Rows that are justified in a narrower column than was seen for them."""

from pathlib import Path

import pymupdf
import pytest

from tests.unit.loading.pdf.facts import load

WIDE = "A row that is as wide as the page tells how wide a column of it may be, and says no more."
PROSE = [
    "The harbour keeps a book of",
    "each measure that it takes of",
    "the sea and of the wind, and",
    "the keeper writes all of this",
    "down at noon.",
]


def write_rows(path: Path, rows: list[str], width: float = 138) -> Path:
    """Rows in the left of a page, blocks of their own, all but the last ``width`` points wide."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), WIDE, fontsize=10)
    drawn = []
    for at, row in enumerate(rows):
        room = width - pymupdf.get_text_length(row, fontsize=10)
        gap = 0 if row is rows[-1] else room / row.count(" ")
        drawn.append(f"BT /helv 10 Tf {gap} Tw 1 0 0 1 72 {720 - 17 * at} Tm ({row}) Tj ET")
    content = document.get_new_xref()
    document.update_object(content, "<<>>")
    document.update_stream(content, "\n".join(drawn).encode())
    shown = " ".join(f"{xref} 0 R" for xref in [*page.get_contents(), content])
    document.xref_set_key(page.xref, "Contents", f"[{shown}]")
    document.save(path)
    return path


def test_rows_that_end_below_each_other_are_one_paragraph(tmp_path: Path) -> None:
    assert " ".join(PROSE) in load(write_rows(tmp_path / "e.pdf", PROSE)).md


@pytest.mark.parametrize(
    "rows",
    [
        [f"{row} {number}" for number, row in enumerate(PROSE, 7)],
        [f"{row} ...... {number}%" for number, row in enumerate(PROSE, 7)],
        [f"{row}," for row in PROSE],
        [f"{number}. {row}" for number, row in enumerate(PROSE, 1)],
        [f"The value of all is {number}m" for number in range(5)],
        [
            "let depth be gauge.first one",
            "set level to depth.value now",
            "put bound to limit.least one",
            "run pumps on stage.every day",
            "end",
        ],
    ],
    ids=["contents", "leaders", "verse", "list", "statements", "code"],
)
def test_rows_that_end_alike_by_themselves_stay_apart(rows: list[str], tmp_path: Path) -> None:
    md = load(write_rows(tmp_path / "e.pdf", rows)).md
    assert [row for row in md.split("\n") if row] == [WIDE, *rows]


def test_a_row_that_reaches_further_goes_on_with_none(tmp_path: Path) -> None:
    rows = [*PROSE[:4], "down at noon, as it was done before"]
    md = load(write_rows(tmp_path / "e.pdf", rows)).md
    assert [row for row in md.split("\n") if row] == [WIDE, " ".join(rows[:4]), rows[4]]


def test_rows_that_are_set_to_the_right_stay_apart(tmp_path: Path) -> None:
    rows = [
        "Conference on Tides and Waves",
        "Department of the Harbours",
        "Faculty of Sea and of Wind",
        "University of the Northern Coast",
        "12 Long Street near the river",
    ]
    document = pymupdf.open()
    page = document.new_page()
    for at, row in enumerate(rows):
        left = 400 - pymupdf.get_text_length(row, fontsize=10)
        page.insert_text((left, 80 + 15 * at), row, fontsize=10)
    page.insert_text((72, 400), WIDE, fontsize=10)
    document.save(tmp_path / "r.pdf")
    md = load(tmp_path / "r.pdf").md
    assert [row for row in md.split("\n") if row] == [*rows, WIDE]


def write_placed(path: Path, rows: list[tuple[float, str]]) -> Path:
    """Rows of Chinese, 24 points below each other, each where it begins; the first is full."""
    document = pymupdf.open()
    page = document.new_page(width=144 + 30 * 14)
    page.insert_font(fontname="droid", fontbuffer=pymupdf.Font("cjk").buffer)
    for at, (x, row) in enumerate(rows):
        page.insert_text((x, 100 + 24 * at), row, fontsize=14, fontname="droid")
    document.save(path)
    return path


def test_who_signs_and_when_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    full = "如不服本判决，可以在判决书送达之日起十五日内，向本院递交上诉状并"
    right = ["审　判　员　　颜　冰", "二〇二四年八月十五日", "书　记　员　　邹　雨"]
    rows = [(72.0, full[:30]), (72.0, "按人数提出副本。")]
    rows += [(72.0 + 14 * (30 - len(row)), row) for row in right]
    loaded = load(write_placed(tmp_path / "s.pdf", [*rows, (72.0, "附：本案适用法条")]))
    assert [row for row in loaded.md.split("\n") if row][-4:] == [*right, "附：本案适用法条"]


def test_a_case_number_set_to_the_right_is_no_part_of_the_text_below_it(tmp_path: Path) -> None:
    number, text = (
        "（2024）云0903民初2217号",
        "原告：段宏宇，男，汉族，住青江市河东区民生路，是该公司执行董事。",
    )
    x = 72 + 14 * 30 - pymupdf.Font("cjk").text_length(number, 14)
    loaded = load(write_placed(tmp_path / "n.pdf", [(x, number), (72, text[:30])]))
    assert loaded.md.split("\n\n")[0] == number


def test_the_items_of_a_narrow_column_beside_another_are_each_one(tmp_path: Path) -> None:
    left = [
        "• 请勿将主体浸入水中或用流水冲",
        "洗，以免触电受伤。",
        "• 请使用十安以上的插座。",
        "• 烹饪时请勿触摸顶上的蒸汽阀，",
        "以免烫伤。",
    ]
    right = ["内胆变形时请停止使用，并与本公司", "的客户服务部联系。"]
    document = pymupdf.open()
    page = document.new_page(width=144 + 36 * 14)
    page.insert_font(fontname="droid", fontbuffer=pymupdf.Font("cjk").buffer)
    for x, texts in ((72, left), (72 + 18 * 14, right)):
        for at, row in enumerate(texts):
            begin = x if row[0] == "•" or texts is right else x + 14
            page.insert_text((begin, 100 + 20 * at), row, fontsize=14, fontname="droid")
    document.save(tmp_path / "c.pdf")
    items = [left[0] + left[1], left[2], left[3] + left[4]]
    found = load(tmp_path / "c.pdf").md.replace("\n\n", "\n").split("\n")
    assert found == [*(f"- {item[2:]}" for item in items), "".join(right)]


def test_lines_of_an_address_beside_a_text_stay_lines(tmp_path: Path) -> None:
    address = ["Harbour Office, Northern Pier", "12 Quay Street", "Whitby YO21 3PU"]
    document = pymupdf.open()
    page = document.new_page()
    for x, texts in ((72, address), (300, PROSE)):
        for at, row in enumerate(texts):
            page.insert_text((x, 100 + 12 * at), row, fontsize=10)
    document.save(tmp_path / "a.pdf")
    assert load(tmp_path / "a.pdf").md.startswith("\n".join(address))


def test_names_and_institutes_of_authors_beside_each_other_stay_apart(tmp_path: Path) -> None:
    authors = [
        ("Ann Shaw", "National Institute of Public", "Finance and Policy, Norway"),
        ("Achim Karl Ludwig von Zeiler", "Old University of Innsbruck"),
        ("Augustus Grothendieck", "Harbour and Pier Associates"),
    ]
    document = pymupdf.open()
    page = document.new_page()
    for number, rows in enumerate(authors):
        for at, row in enumerate(rows):
            middle = 150 + 145 * number - pymupdf.get_text_length(row, fontsize=10) / 2
            page.insert_text((middle, 100 + 13 * at), row, fontsize=10)
    page.insert_text((200, 70), "A Quick Reference of Tides", fontsize=14)
    for at, row in enumerate(PROSE):
        page.insert_text((72, 180 + 13 * at), f"{row} {row}", fontsize=10)
    document.save(tmp_path / "a.pdf")
    found = load(tmp_path / "a.pdf").md.split("\n")
    assert "Achim Karl Ludwig von Zeiler" in found and "Old University of Innsbruck" in found
