"""How far apart rows of one paragraph stand: not the same in every script of a document."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf

from tests.unit.loading.pdf.facts import load

ENGLISH = (
    "All employees shall record their working hours in the time system before noon",
    "on the following working day. Managers approve the records of their team each",
    "Friday.",
)
CHINESE = (
    "全体员工应于次日中午十二点前在考勤系统中登记工作时间，部门经理",
    "每周五审批本部门的考勤记录，薪酬部门于每月最后一个工作日下午五",
    "点关账。",
)


def write(path: Path, *paragraphs: tuple[Sequence[str], float]) -> Path:
    """A page of paragraphs, each with the pitch (font sizes) of its rows."""
    document = pymupdf.open()
    page = document.new_page()
    y = 80.0
    for rows, pitch in paragraphs:
        for row in rows:
            fontname = "helv" if row.isascii() else "china-s"
            page.insert_text((72, y), row, fontname=fontname, fontsize=11)
            y += 11 * pitch
        y += 10
    document.save(path)
    document.close()
    return path


def test_chinese_paragraphs_in_an_english_document_are_whole(tmp_path: Path) -> None:
    text = [(ENGLISH, 1.3), (CHINESE, 1.65)]
    path = write(tmp_path / "p.pdf", *text, *text[:1], *text)
    english, chinese = " ".join(ENGLISH), "".join(CHINESE)
    assert load(path).md.split("\n\n") == [english, chinese, english, english, chinese]


def test_rows_set_wide_fill_their_text_though_the_column_is_wider(tmp_path: Path) -> None:
    heading = ("江宁水文通讯二〇二六年第三期江宁水文学会主办编辑部地址南京市水文路八号电话",)
    assert len(heading[0]) > len(CHINESE[0]) + 5
    path = write(tmp_path / "p.pdf", (heading, 3), (CHINESE, 1.65), (CHINESE, 1.65))
    assert load(path).md.split("\n\n")[1:] == ["".join(CHINESE)] * 2


def test_entries_of_a_list_set_wide_stay_apart(tmp_path: Path) -> None:
    # As long as each other, and code.
    rows = [f"{n} \\setlength{{\\parskip}}{{{n}pt}} % of a gauge" for n in (11, 12, 13, 14)]
    path = write(tmp_path / "p.pdf", (ENGLISH, 1.3), (rows, 1.65))
    assert all(row in load(path).md.split("\n\n") for row in rows)
