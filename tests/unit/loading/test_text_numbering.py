"""Numbered titles of a text are its headings; items of lists and lists of contents are none."""

import time

import pytest

from rag_assets.loading.text_headings import text_as_markdown
from tests.unit.loading.test_text_headings import outline

WORDS = "The gauge was read on that day by the one\nwho had the key, and it was kept.\n\n"
RFC = """\
Postel Memo                                          June 2024

   1. Introduction .................................. 1
   2. Format ........................................ 2

1.  Introduction

   The protocol is simple.

1.1.  Terms

   A message is never sent.

2.  Format

   1. one

   2. two

   The rest is padding.

Appendix A.  Numbers

   None.
"""


def test_sections_of_a_memo_are_headings() -> None:
    assert outline(RFC) == [
        (1, "1. Introduction"),
        (2, "1.1. Terms"),
        (1, "2. Format"),
        (1, "Appendix A. Numbers"),
    ]


def test_sections_of_chapters_are_below_them_however_they_count() -> None:
    text = (
        "Contents\n\nChapter 1. Tide\nChapter 2. Radar\n\n"
        "Chapter 1. Tide\n\n1.1. Gauge\n1.2. Log\n\n1.1. Gauge\n\nText.\n\n1.2. Log\n\nText.\n\n"
        "Chapter 2. Radar\n\nText.\n\n2.1. Mast\n\nText.\n"
    )
    assert outline(text) == [
        (1, "Chapter 1. Tide"),
        (2, "1.1. Gauge"),
        (2, "1.2. Log"),
        (1, "Chapter 2. Radar"),
        (2, "2.1. Mast"),
    ]
    anew = (
        "CHAPTER I\n\nText.\n\n1. Gauge\n\nText.\n\n2. Log\n\nText.\n\n"
        "CHAPTER II\n\n1. Mast\n\nText.\n"
    )
    assert outline(anew) == [
        (1, "CHAPTER I"),
        (2, "1. Gauge"),
        (2, "2. Log"),
        (1, "CHAPTER II"),
        (2, "1. Mast"),
    ]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("第一章 概述\n\n本标准规定方法。\n第二章 要求\n\n水温应为二十度。\n",
         ["第一章 概述", "第二章 要求"]),
        ("   第一回　灵根育孕\n\n　　诗曰。\n\n   第二回　悟彻菩提\n\n　　话表。\n",
         ["第一回 灵根育孕", "第二回 悟彻菩提"]),
        ("第 9 章 前\n\n第 1 章 潮位\n\n正文。\n\n1.1. 仪器\n\n正文。\n\n第 2 章 雷达\n\n正文。\n",
         ["第 1 章 潮位", "1.1. 仪器", "第 2 章 雷达"]),
        ("第十九章 甲\n正文。\n", []),
        ("第一卷 初入江湖 第一章 天下第一\n正文。\n第一卷 初入江湖　第二章　山雨\n正文。\n",
         ["第一卷 初入江湖 第一章 天下第一", "第一卷 初入江湖 第二章 山雨"]),
        ("卷一：江 第一章 山\n正文。\n卷一：江 第二章 雨\n正文。\n卷二：海 第一章 风\n正文。\n",
         ["卷一：江 第一章 山", "卷一：江 第二章 雨", "卷二：海 第一章 风"]),
        ("【第一章】山雨\n正文。\n【第二章】大江\n正文。\n", ["【第一章】山雨", "【第二章】大江"]),
        ("===第1章 归来===\n正文。\n===第2章 潮===\n正文。\n", ["第1章 归来", "第2章 潮"]),
        ("第一章 山\n正文。\n第二章 雨\n正文。\n番外一 旧事\n正文。\n番外之二\n正文。\n",
         ["第一章 山", "第二章 雨", "番外一 旧事", "番外之二"]),
    ],
)  # fmt: skip
def test_chapters_of_a_chinese_text_are_headings(text: str, titles: list[str]) -> None:
    assert [title for _, title in outline(text)] == titles


def test_numbered_titles_stand_below_the_title_of_the_text() -> None:
    text = "Tide\n====\n\n1. Gauge\n\nText.\n\n2. Log\n\nText.\n\n3. Mast\n\nText.\n"
    assert outline(text) == [(1, "Tide"), (2, "1. Gauge"), (2, "2. Log"), (2, "3. Mast")]


@pytest.mark.parametrize(
    "text",
    [
        "1. Buy milk\n\n2. Call the harbour\n\n3. Ask Eve\n\nThat is all.\n",
        "1. Read the gauge\nand write it down\n\n2. Close\nit\n\n3. Go\nhome\n\nBye.\n",
        "1. Read it.\n\nText.\n\n2. Close it.\n\nText.\n\n3. Go home.\n\nText.\n",
        "1. Gauge\n\nText.\n\n2. Log\n\nText.\n",
        "1. Gauge     4\n\nText.\n\n2. Log     5\n\nText.\n\n3. Mast     7\n\nText.\n",
        "3 Mast\n\nText.\n\n4 Log\n\nText.\n\n5 Gauge\n\nText.\n",
        "1 metre\n\nText.\n\n2 metres\n\nText.\n\n3 metres\n\nText.\n",
        "Part D\n\nText.\n\nThe next part.\n",
        "```\n1. Gauge\n\nText.\n\n2. Log\n\nText.\n\n3. Mast\n\nText.\n```\n",
    ],
)
def test_items_and_entries_are_no_headings(text: str) -> None:
    assert outline(text) == []


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (f"CHAPTER I.\nDown the Rabbit-Hole\n\n{WORDS}CHAPTER II.\nWho Stole the Tarts?\n\n{WORDS}",
         ["CHAPTER I. Down the Rabbit-Hole", "CHAPTER II. Who Stole the Tarts?"]),
        (f"CHAPTER I\n\nTHE JOURNAL OF EVE\n\n{WORDS}CHAPTER II\n\nTHE GAUGE\n\n{WORDS}",
         ["CHAPTER I THE JOURNAL OF EVE", "CHAPTER II THE GAUGE"]),
        (f"CHAPTER I\n\n“Eve!”\n\nNo answer.\n\n{WORDS}CHAPTER II\n\nIt was late.\n\n{WORDS}",
         ["CHAPTER I", "CHAPTER II"]),
        ("1.  Scope\n\n   Text.\n\n"
         "2.  Requirements for a Title That Is Long and Does Not Fit on One\n    Line\n\n"
         "   Text.\n\n2.1.  Ends\n\n   Text.\n",
         ["1. Scope", "2. Requirements for a Title That Is Long and Does Not Fit on One Line",
          "2.1. Ends"]),
        ("第一回\n灵根育孕\n\n　　诗曰。\n\n第二回\n悟彻菩提\n\n　　话表。\n",
         ["第一回 灵根育孕", "第二回 悟彻菩提"]),
    ],
)  # fmt: skip
def test_a_title_on_two_lines_is_one_heading(text: str, titles: list[str]) -> None:
    assert [title for _, title in outline(text)] == titles


def test_parts_chapters_and_roman_numbers_are_headings_in_their_order() -> None:
    text = (
        f"Contents\n\n  I.   The Eve\n  II.  The Star\n  III. The Pit\n\n"
        f"Prologue\n\n{WORDS}BOOK ONE—THE SEA\n\nI. THE EVE\n\n{WORDS}II. THE STAR.\n\n{WORDS}"
        f"BOOK TWO—THE LAND\n\nI. THE PIT\n\n{WORDS}Epilogue\n\n{WORDS}"
    )
    assert outline(text) == [
        (1, "Prologue"),
        (1, "BOOK ONE—THE SEA"),
        (2, "I. THE EVE"),
        (2, "II. THE STAR."),
        (1, "BOOK TWO—THE LAND"),
        (2, "I. THE PIT"),
        (2, "Epilogue"),
    ]
    story = (
        f"I. THE EVE\n\nI.\n\n{WORDS}II.\n\n{WORDS}II. THE STAR\n\n{WORDS}III. THE PIT\n\n{WORDS}"
    )
    assert outline(story) == [
        (1, "I. THE EVE"),
        (2, "I."),
        (2, "II."),
        (1, "II. THE STAR"),
        (1, "III. THE PIT"),
    ]


@pytest.mark.parametrize(
    "titles",
    [
        [f"Section {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXY"],
        [f"Appendix {letter}: Gauges" for letter in "ABCDEFGHIJKL"],
        [f"Appendix {number}" for number in ("I", "II", "III")],
        [f"ANNEX {number}" for number in ("I", "II", "III", "IV", "V")],
        ["CHAPTER ONE", "CHAPTER TWO", "Section A", "Section B", "Section C", "Section D"],
        [f"Chapter {number}" for number in ("I", "II", "III", "IV", "V", "VI")],
        [f"Part {mark}" for mark in ("A", "B", "I", "II")],
        ["Annex I", "1. Gauges", "1.1. Tide", "Annex II", "1. Logs", "1.1. Tide"],
    ],
)
def test_a_letter_that_may_be_a_roman_number_is_what_those_beside_it_are(titles: list[str]) -> None:
    assert [title for _, title in outline("\n\n".join(f"{t}\n\n{WORDS}" for t in titles))] == titles


def test_chapters_of_a_list_of_contents_are_none_though_blank_lines_part_them() -> None:
    text = (
        "CHAPTER 1. Loomings.\n\nCHAPTER 2. The Bag.\n\nThe words of the one who has it.\n\n"
        f"CHAPTER 1. Loomings.\n\n{WORDS}CHAPTER 2. The Bag.\n\n{WORDS}"
    )
    assert outline(text) == [(1, "CHAPTER 1. Loomings."), (1, "CHAPTER 2. The Bag.")]


def test_entries_of_lists_of_contents_are_none_and_do_not_count() -> None:
    listed = (
        "Table of Contents\n\n1. Tide\n\n    1.1. Gauges\n    1.2. Old logs of the\n"
        "      harbour\n\n2. Radar\n\n    2.1. {mast,radar}/mounts\n\nA. Numbers\n\n"
    )
    of_chapter = "Table of Contents\n\n1.1. Gauges\n\n1.2. Old logs of the harbour\n\n"
    text = (
        f"{listed}Chapter 1. Tide\n\n{of_chapter}1.1. Gauges\n\n{WORDS}"
        f"1.2. Old logs of the harbour\n\n{WORDS}Chapter 2. Radar\n\nTable of Contents\n\n"
        f"2.1. {{mast,radar}}/mounts\n\n2.1. {{mast,radar}}/mounts\n\n{WORDS}"
        f"Appendix A. Numbers\n\n{WORDS}"
    )
    titles = [
        (1, "Chapter 1. Tide"),
        (2, "1.1. Gauges"),
        (2, "1.2. Old logs of the harbour"),
        (1, "Chapter 2. Radar"),
        (2, "2.1. {mast,radar}/mounts"),
        (1, "Appendix A. Numbers"),
    ]
    assert outline(text) == titles
    lines = [heading.line for heading in text_as_markdown(text).headings]
    assert lines == [text[: text.rindex(f"{title}\n")].count("\n") for _, title in titles]


def test_titles_that_come_again_in_the_next_chapter_are_no_entries() -> None:
    sections = f"1. Purpose\n\n1.1. Scope\n\n{WORDS}1.2. Terms\n\n{WORDS}"
    text = f"PART I. Sea\n\n{sections}PART II. Land\n\n{sections}"
    below = [(2, "1. Purpose"), (3, "1.1. Scope"), (3, "1.2. Terms")]
    assert outline(text) == [(1, "PART I. Sea"), *below, (1, "PART II. Land"), *below]


def test_a_japanese_manual_has_its_chapters_and_appendices() -> None:
    text = (
        f"第1章はじめに\n\n{WORDS}第2章次のステップ\n\n{WORDS}2.1. ログ\n\n{WORDS}"
        f"付録A 潮位表\n\n{WORDS}"
    )
    assert outline(text) == [
        (1, "第1章はじめに"),
        (1, "第2章次のステップ"),
        (2, "2.1. ログ"),
        (1, "付録A 潮位表"),
    ]


def test_a_chinese_novel_has_its_rolls_its_chapters_and_what_is_around_them() -> None:
    text = (
        "石头记\n\n序\n\n　　此书很好。\n\n楔子\n　　从前有座山。\n第一卷 山雨\n"
        "第一回 甄士隐梦幻识通灵\n　　此开卷第一回也。\n第二回贾夫人仙逝扬州城\n　　诗云。\n"
        "第二卷 大江\n第三回 他来了……\n　　却说。\n尾声\n　　完了。\n"
    )
    assert outline(text) == [
        (1, "序"),
        (1, "楔子"),
        (1, "第一卷 山雨"),
        (2, "第一回 甄士隐梦幻识通灵"),
        (2, "第二回贾夫人仙逝扬州城"),
        (1, "第二卷 大江"),
        (2, "第三回 他来了……"),
        (2, "尾声"),
    ]
    assert outline("第一回合没有进球\n\n正文。\n\n第二回合也没有\n\n正文。\n") == []


STEPS = (
    "1. Open the box near the gauge\n\n   The key hangs in the office.\n\n"
    "2. Read the number\n\n   It is in metres.\n\n3. Close the box\n\n   Do it well.\n"
)


@pytest.mark.parametrize(
    "text",
    [
        STEPS,
        STEPS.replace(" near the gauge", ""),
        f"How to read it\n\nFirst look at the gauge, and then do this.\n\n{STEPS}\nThen go home.\n",
        f"1. Words\n\nFirst look.\n\n2. Steps\n\nThen do it.\n\n{STEPS}\n3. Ends\n\nThat is all.\n",
    ],
)
def test_steps_with_paragraphs_of_their_own_are_no_headings(text: str) -> None:
    titles = [title for _, title in outline(text)]
    assert titles in ([], ["1. Words", "2. Steps", "3. Ends"])


@pytest.mark.parametrize("margin", ["   ", "    "])
@pytest.mark.parametrize(
    "titles",
    [
        ("Introduction", "Care", "Faults of old pumps"),
        ("About the pump", "Using it", "Faults"),
        ("总则", "维护", "故障"),
    ],
)
def test_sections_whose_text_stands_below_their_titles_are_headings(
    margin: str, titles: tuple[str, ...]
) -> None:
    told = [f"{number}. {title}" for number, title in enumerate(titles, 1)]
    text = "".join(f"{title}\n\n{margin}Oil it daily. It is old.\n\n" for title in told)
    assert [title for _, title in outline(f"Pump manual\n\n{text}")] == told


@pytest.mark.parametrize("word", ["Firſt", "Sıx", "Fİve"])
def test_a_chapter_in_letters_that_are_those_of_no_number_is_text(word: str) -> None:
    assert outline(f"Chapter the {word}\n\nText.\n\nChapter the {word}\n\nText.\n") == []


def test_sections_whose_paragraphs_begin_further_in_are_headings() -> None:
    text = "".join(
        f"     {n}. Gauge of the pier\n\n          The gauge is read each hour, and it\n"
        "     is kept in the log of the pier.\n\n"
        for n in range(1, 5)
    )
    assert len(outline(text)) == 4


def test_chinese_numbers_of_letters_and_minutes_are_headings() -> None:
    text = (
        "关于改造工程的会议纪要\n\n一、会议议题\n\n（一）工程进度\n\n土建完成八成。\n\n（二）预算\n\n有调整。\n\n"
        "二、会议内容\n1、张华汇报：设备到货。\n2、李明指出：须复测。\n\n（一）复测\n\n由第三方承担。\n\n"
        "1.仪器\n\n用水准仪。\n\n三、为了加强城镇排水与污水处理的管理，保障设施安全运行，防治城镇水污染\n和内涝灾害，制定。\n"
    )  # fmt: skip
    assert outline(text) == [
        (1, "一、会议议题"),
        (2, "（一）工程进度"),
        (2, "（二）预算"),
        (1, "二、会议内容"),
        (2, "（一）复测"),
        (3, "1.仪器"),
    ]


@pytest.mark.parametrize("stop", [".", "．", "、"])
def test_chinese_needs_no_blank_behind_a_number(stop: str) -> None:
    parts = (f"1{stop}概述", "这是概述。", f"2{stop}安装", "2小时。", "2.1工具", "扳手。")
    text = "\n\n".join([*parts, f"3{stop}维护", "每月。"])
    assert outline(text) == [
        (1, f"1{stop}概述"),
        (1, f"2{stop}安装"),
        (2, "2.1工具"),
        (1, f"3{stop}维护"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "一、水准仪\n二、扳手\n三、绳子\n",
        "一、带好水准仪。\n\n用后收回。\n\n二、带好扳手。\n\n用后收回。\n\n三、带好绳子。\n\n收回。\n",
        "Part A-11 is the pawl.\n\nIt holds.\n\nPart A-12 is the bolt.\n\nIt turns.\n",
    ],
)
def test_lists_in_chinese_numbers_are_no_headings(text: str) -> None:
    assert outline(text) == []


def test_many_prefaces_are_read_quickly() -> None:
    chapters = "第一章 甲\n\n一。\n\n第二章 乙\n\n二。\n"
    begun = time.process_time()
    outline("前言\n\n有。\n\n" * 12_000 + chapters)
    assert time.process_time() - begun < 2
