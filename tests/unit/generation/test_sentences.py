"""Sentences of evidence: word for word, each once, with their places."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from rag_query.generation.passages.sentences import readable, sentences_of, statements_of
from tests.unit.generation.conftest import MakeChunk

STEPS = (
    "## 操作\n\n建议先看[糖色](./糖色.md)教程\n\n1. `五花肉`切块\n2. 分为两包：\n\n"
    "  - **A包**：2 片姜\n"
    "  - B包\n\n3. 炖 50 分钟。收汁。\n\n![图](./a.png)\n"
)


def test_list_items_are_sentences_with_number_and_depth(chunk: MakeChunk) -> None:
    made = chunk(STEPS, "operation")
    found = sentences_of([made])
    assert [(s.text, s.number, s.indent) for s in found] == [
        ("建议先看糖色教程", None, -1),
        ("五花肉切块", 1, 0),
        ("分为两包：", 2, 0),
        ("A包：2 片姜", None, 2),
        ("B包", None, 2),
        ("炖 50 分钟。收汁。", 3, 0),
    ]
    for sentence in found:
        assert readable(made.text[sentence.start : sentence.end]) == sentence.text


def test_what_two_overlapping_chunks_share_comes_once(chunk: MakeChunk) -> None:
    first = chunk("Tea is steamed. It is green.")
    second = replace(
        chunk("It is green. It is not oxidised."), char_start=16, char_end=48, chunk_index=1
    )
    assert [s.text for s in sentences_of([second, first])] == [
        "Tea is steamed.",
        "It is green.",
        "It is not oxidised.",
    ]


def test_a_row_of_a_table_is_read_with_its_heads_and_they_are_no_sentence(
    chunk: MakeChunk,
) -> None:
    made = chunk("| name | size |\n|---|---|\n| **a** | 3 `cm` |\n\nEnd.", "table")
    found = sentences_of([made])
    assert [s.text for s in found] == ["a — size: 3 cm", "End."]
    assert made.text[found[0].start : found[0].end] == "| **a** | 3 `cm` |"
    assert found[0].cells == ("a", "3 cm") and not found[1].cells


def test_a_later_part_of_a_cut_table_has_the_heads_of_its_first(chunk: MakeChunk) -> None:
    later = replace(chunk("| b | 4 cm |", "table"), header_row="| name | size |\n|---|---|")
    assert [s.text for s in sentences_of([later])] == ["b — size: 4 cm"]


def test_a_row_is_read_with_the_label_drawn_over_it(chunk: MakeChunk) -> None:
    made = chunk(
        "| 类别 | 天数 | 审批 |\n|---|---|---|\n| 事假 | 1 天以内 | 上级 |\n"
        "|  | 3 天以上 | 总经理 |\n| Leave | 1 day | lead |\n| | 3 days | head |\n\n"
        "| 部件 | 价格 |\n|---|---|\n| | 5 元 |",
        "table",
    )
    assert [s.text for s in sentences_of([made])] == [
        "事假 — 天数: 1 天以内; 审批: 上级", "事假 — 天数: 3 天以上; 审批: 总经理",
        "Leave — 天数: 1 day; 审批: lead", "Leave — 天数: 3 days; 审批: head", "价格: 5 元",
    ]  # fmt: skip


DASHED = """| Part | Price | Stock |
| --- | --- | --- |
| Pump | 300 | 4 |
| - | - | - |
| Valve | 20 | 7 |"""


def test_a_row_of_dashes_in_a_table_begins_no_other(chunk: MakeChunk) -> None:
    rows = ["Pump — Price: 300; Stock: 4", "Valve — Price: 20; Stock: 7"]
    assert [s.text for s in sentences_of([chunk(DASHED)])] == rows
    other = "| Person | Room |\n| - | - |\n| Ann | 4 |"
    both = sentences_of([chunk(f"{DASHED}\n\n{other}")])
    assert [s.text for s in both] == [*rows, "Ann — Room: 4"]
    head, _, *later = DASHED.split("\n")
    cut = replace(chunk("\n".join(later)), header_row=head)
    assert [s.text for s in sentences_of([cut])] == rows


@pytest.mark.parametrize(
    "part", ["| a | b |\n| - | - |\n", "| a | b |\n| - | - |\n\n", "| Name | b |\n", "| | b 3 |\n"]
)
def test_many_rows_of_dashes_are_read_quickly(chunk: MakeChunk, part: str) -> None:
    long = chunk("| Name | c |\n| - | - |\n" + part * 4000)
    began = time.process_time()
    sentences_of([long])
    assert time.process_time() - began < 5


def test_a_table_whose_first_row_holds_values_loses_none(chunk: MakeChunk) -> None:
    made = chunk("| tank | 2 l |\n|---|---|\n| pump | 9 kg |", "table")
    assert [s.text for s in sentences_of([made])] == ["tank | 2 l", "pump | 9 kg"]


def test_text_without_marks() -> None:
    assert readable("> a <b>bold</b> word ![x](y.png)") == "a bold word"


def test_links_to_go_elsewhere_and_notices_answer_nothing(chunk: MakeChunk) -> None:
    made = chunk(
        "[Home](/) | [All incidents](/x)\n\n© Example Pay\n\nSee the [guide](g.md).\n\n"
        "Copyright lasts 70 years.\n\n版权所有 2025 某公司"
    )
    assert [s.text for s in statements_of([made])] == [
        "See the guide.",
        "Copyright lasts 70 years.",
    ]
    assert [s.text for s in statements_of([chunk("© Example Pay")])] == ["© Example Pay"]


def test_a_program_is_no_list_and_no_heading_and_its_fence_is_not_said(chunk: MakeChunk) -> None:
    made = chunk("Run it:\n\n```yaml\n# keys\n- name: *a\n\n1. x\n```\n\n- done")
    assert [(s.text, s.indent) for s in sentences_of([made])] == [
        ("Run it:", -1),
        ("# keys", -1),
        ("- name: *a", -1),
        ("1. x", -1),
        ("done", 0),
    ]


@pytest.mark.parametrize(
    ("fence", "language"),
    [("python", "python"), ("", ""), ("js title=x.js", "js"), ("{code-block} python", "python")],
)
def test_code_is_of_the_language_its_fence_names(
    chunk: MakeChunk, fence: str, language: str
) -> None:
    made = chunk(f"Run it:\n\n```{fence}\nx = 1\n```\n\nDone.")
    assert [s.about for s in sentences_of([made])] == ["", language, ""]


def test_the_rest_of_a_program_that_was_cut_is_quoted_as_it_stands(chunk: MakeChunk) -> None:
    inner = chunk("f(*a, **b)\n\n* g*", "code")
    last = chunk("x = f(*a, *b)\n```\n\nThat *is* all.", "code")
    assert [s.text for s in sentences_of([inner, last])] == [
        "f(*a, **b)",
        "* g*",
        "x = f(*a, *b)",
        "That is all.",
    ]


def test_an_indented_list_of_a_text_file_is_a_list(chunk: MakeChunk) -> None:
    made = replace(chunk("    * one\n    * two", "code"), format="text")
    assert [(s.text, s.indent) for s in sentences_of([made])] == [("one", 4), ("two", 4)]


def test_emphasis_over_several_sentences_is_taken_off_each(chunk: MakeChunk) -> None:
    made = chunk("Now: **Close it. Lock it.** Go.")
    assert [s.text for s in sentences_of([made])] == [
        "Now: Close it.",
        "Lock it.",
        "Go.",
    ]


def test_bars_in_cells_are_read(chunk: MakeChunk) -> None:
    made = chunk("| key | values |\n|---|---|\n| mode | `a \\| b**2` |", "table")
    assert [s.text for s in sentences_of([made])] == ["mode — values: a | b**2"]


def test_a_number_or_dots_alone_say_nothing(chunk: MakeChunk) -> None:
    made = chunk("> 1. Shut the valve.\n> 2. Go.\n\n42\n\n. . .\n\n- 7\n\n3.5 %\n\n7 天")
    found = [(s.text, s.number) for s in sentences_of([made])]
    assert found == [("Shut the valve.", 1), ("Go.", 2), ("3.5 %", None), ("7 天", None)]


def test_a_list_of_contents_answers_nothing(chunk: MakeChunk) -> None:
    dots = " ." * 30
    made = chunk(
        f"1.1 Driving force{dots} 1\n\n1.2 工具.{dots} 12 1.3 Docs{dots} xii\n\n"
        "Appendix A ...... 7\n\n- [Install](#install)\n- [Use](./use.md)\n- [Site](https://a.b)\n\n"
        "He waited...... then left."
    )
    assert [s.text for s in statements_of([made])] == ["Site", "He waited...... then left."]
    entries = sentences_of([made])
    assert sum(s.is_furniture for s in entries) == 6 and len(entries) == 8


def test_the_headings_above_a_sentence_are_known(chunk: MakeChunk) -> None:
    made = chunk("### A\n\none\n\n#### *B* ##\n\ntwo\n\n##### C\n\nthree\n\n#### D\n\nfour")
    assert [(s.text, s.headings) for s in sentences_of([made])] == [
        ("one", ("A",)),
        ("two", ("A", "B")),
        ("three", ("A", "B", "C")),
        ("four", ("A", "D")),
    ]


def test_a_component_around_text_is_no_sentence(chunk: MakeChunk) -> None:
    made = chunk('<Tabs>\n\n<TabItem label="npm">\n\nRun it.\n\n</TabItem></Tabs>')
    assert [s.text for s in sentences_of([made])] == ["Run it."]


def test_a_question_is_read_with_the_sentence_after_it_in_its_section(chunk: MakeChunk) -> None:
    asked = chunk("Is it wet? Yes. It drips.\n\nIs it blue?", section="A")
    other = chunk("Tea is green.", section="B")
    assert [(s.text, s.asked) for s in statements_of([asked, other])] == [
        ("Yes.", "Is it wet?"),
        ("It drips.", ""),
        ("Tea is green.", ""),
    ]
    assert [s.text for s in statements_of([chunk("Is it wet?")])] == ["Is it wet?"]


def test_what_begins_as_an_item_of_a_list_is_one(chunk: MakeChunk) -> None:
    items = ("（一）修建建筑物；", "(2) nets", "(a) nets", "③ 挖坑", "4、打桩", "5.爆破", "• nets")
    prose = ("6.1 质量保证期为 24 个月。", "（以下称甲方）负责。", "3.5 m is deep.", "A pier.")
    assert [s.is_item for text in items for s in sentences_of([chunk(text)])] == [True] * 7
    assert [s.is_item for text in prose for s in sentences_of([chunk(text)])] == [False] * 4


def test_a_small_heading_that_ends_a_chunk_is_above_what_the_next_begins_with(
    chunk: MakeChunk,
) -> None:
    chunks = [
        chunk("## Uploads\n\nOne at a time.\n\n#### Resuming"),
        chunk("It goes on from its last block.\n\n#### Limits\n\nTwo a day."),
        chunk("Ask first.", section="B"),
    ]
    assert [s.headings for s in sentences_of(chunks)] == [
        ("Uploads",),
        ("Uploads", "Resuming"),
        ("Uploads", "Limits"),
        (),
    ]
    # What stands between two chunks is not known.
    assert sentences_of([chunks[0], replace(chunks[1], chunk_index=5)])[1].headings == ()


def test_what_is_written_line_by_line_is_read_so(chunk: MakeChunk) -> None:
    text = (
        'File "pump.py", line 12\n'
        "2024-03-05T09:00:00Z INFO job=1000 took 0ms\n2024-03-05T09:00:01Z ERROR job=1001 E7731\n\n"
        "[05/03/2024, 09:13:05] Anna: thanks\n<Media omitted>\n[06/03/2024, 10:01:00] Cy: who?\n\n"
        "2\n00:00:04,500 --> 00:00:08,200\nThe wheel turns six times\na minute.\n"
    )
    assert [s.text for s in sentences_of([replace(chunk(text), format="text")])] == [
        'File "pump.py", line 12',
        "2024-03-05T09:00:00Z INFO job=1000 took 0ms",
        "2024-03-05T09:00:01Z ERROR job=1001 E7731",
        "[05/03/2024, 09:13:05] Anna: thanks <Media omitted>",
        "[06/03/2024, 10:01:00] Cy: who?",
        "The wheel turns six times a minute.",
    ]


def test_the_headings_of_a_page_in_a_row_answer_nothing(chunk: MakeChunk) -> None:
    row = "Home Products Support Introduction Benefits of Ticket Routing Defining the Task Example "
    row += "Data Prompting Claude for Ticket Routing Scaling to Many Classes Evaluating the Model "
    row += "Deploying the Classifier More Resources"
    (kept,) = statements_of([chunk(f"{row}\n\nThe task is to name a class for each ticket.")])
    assert kept.text == "The task is to name a class for each ticket."
    lower = row.lower()  # A transcript without marks is text.
    assert [each.text for each in statements_of([chunk(lower)])] == [lower]


@pytest.mark.parametrize(
    ("first", "second", "are_entries"),
    [
        ("2.2 牛顿法 3", "2.3 割线法 5", True),
        ("2.3 割线法 5", "3.1 插值 9", True),
        ("- 2.2 牛顿法 3", "- 2.2.1 收敛性 3", True),
        ("第二章 非线性方程求根 12", "第三章 插值 30", True),
        ("3.1 Newton's method 41", "3.2 The secant method 44", True),
        ("Chapter 4 The harbour 41", "Chapter 5 The pier 60", True),
        ("2.5 牛顿法是二阶收敛的。", "2.6 割线法不是。", False),
        ("2.2 The pump needs 3 bolts", "2.3 The valve needs 4 bolts", False),
        ("2.2 牛顿法 5", "2.3 割线法 3", False),
        ("9.30 Opening in hall 2", "12.30 Lunch in canteen 3", False),
        ("9.30 Opening in hall 2", "9.31 Coffee in hall 3", False),
        ("0.5 l Beer 4", "1.5 l Water 5", False),
        ("1.1 L Beer 4", "1.2 L Water 5", False),
        ("第三章 押金 500", "押金退还。", False),
        ("Chapter 3 covers pages 40", "Chapter 4 covers pages 60", False),
    ],
)
def test_headings_with_their_pages_in_order_are_no_answer(
    first: str, second: str, are_entries: bool, chunk: MakeChunk
) -> None:
    said = [s.text for s in statements_of([chunk(f"{first}\n\n{second}\n\nIt converges.")])]
    assert said[-1] == "It converges."
    assert len(said) == (1 if are_entries else 3)


def test_the_heading_of_a_section_that_a_page_repeats_is_no_answer(chunk: MakeChunk) -> None:
    text = "2.2 牛顿法 3\n\n牛顿法是二阶收敛的。"
    (kept,) = statements_of([chunk(text, section="第二章 / 2.2 牛顿法")])
    assert kept.text == "牛顿法是二阶收敛的。"
    assert len(statements_of([chunk(text, section="第二章")])) == 2


@pytest.mark.parametrize(
    ("text", "page", "said"),
    [
        ("## Seats\n\n48", None, ["48"]),
        ("## Gateway\n\n10.20.0.1", 3, ["10.20.0.1"]),
        ("## Seats\n\n48", 3, []),
        ("The hall is large.\n\n48", None, ["The hall is large."]),
    ],
)
def test_a_number_below_its_heading_says_something_and_that_of_a_page_does_not(
    text: str, page: int | None, said: list[str], chunk: MakeChunk
) -> None:
    assert [s.text for s in sentences_of([replace(chunk(text), page_start=page)])] == said
