"""Boxes and tabs of MkDocs, VitePress and Docusaurus: titles of what is in them, no sentences."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.boxes import box_line
from rag_query.generation.passages.sentences import sentences_of
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.test_contradictions import found as contradictions_of


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ('!!! warning "Heat"\n', "Heat"),
        ("!!! note inline end", ""),
        ('??? question "Why does it hum?"', "Why does it hum?"),
        ('=== "macOS"', "macOS"),
        ("::: warning Heat of the dynamo", "Heat of the dynamo"),
        (":::tip[Oil it]", "Oil it"),
        ("::: info 提示\n", "提示"),
        ("::: {.callout-note}", ""),
        (":::", ""),
        ('<TabItem value="mac" label="macOS">\n', "macOS"),
        ("======", None),
        ("!!! important words follow here.", None),
        ("??? what is this", None),
        ("std::vector holds ::: three", None),
    ],
)
def test_a_line_that_opens_a_box_has_its_title(line: str, title: str | None) -> None:
    found = box_line(line)
    assert (found and found.title) == title


def test_what_stands_in_a_box_is_read_below_its_title(chunk: MakeChunk) -> None:
    text = (
        '# Turbine\n\n=== "Linux"\n\nInstall with `apt`.\n\n=== "macOS"\nInstall with `brew`.\n\n'
        "## Care\n\nOil it.\n::: warning Heat\nIt reaches 90 °C.\n:::\nLet it cool.\n"
    )
    assert [(s.text, s.headings, s.tab) for s in sentences_of([chunk(text)])] == [
        ("Install with apt.", ("Turbine", "Linux"), "Linux"),
        ("Install with brew.", ("Turbine", "macOS"), "macOS"),
        ("Oil it.", ("Turbine", "Care"), ""),
        ("It reaches 90 °C.", ("Turbine", "Care", "Heat"), ""),
        ("Let it cool.", ("Turbine", "Care"), ""),
    ]


def test_tabs_do_not_contradict_each_other(analyzer: Analyzer, chunk: MakeChunk) -> None:
    tabs = '=== "A"\n\nThe pump holds 14 litres.\n\n=== "B"\n\nThe pump holds 15 litres.\n'
    question = "How many litres does the pump hold?"
    assert not contradictions_of(analyzer, chunk, question, tabs)
    assert contradictions_of(analyzer, chunk, question, tabs.replace("===", "Tab"))


def test_boxes_of_one_document_may_contradict_each_other(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    noted = "The pump holds 14 litres.\n\n::: warning Note\nThe pump holds 15 litres.\n:::\n"
    question = "How many litres does the pump hold?"
    assert contradictions_of(analyzer, chunk, question, noted)
    beside = 'The pump holds 14 litres.\n\n=== "B"\n\n    The pump holds 15 litres.\n'
    assert contradictions_of(analyzer, chunk, question, beside)
    chinese = "水泵的容量是 14 升水。\n\n::: warning 注意\n水泵的容量是 15 升水。\n:::\n"
    assert contradictions_of(analyzer, chunk, "水泵的容量是多少升？", chinese)


def test_an_indented_box_ends_where_the_text_is_not_indented(chunk: MakeChunk) -> None:
    text = (
        '!!! note "Windows"\n    Use brew. It is new.\n\n    - then\n\nOn Linux use apt.\n\n'
        '=== "甲"\n\n    用姜。\n\n=== "乙"\n\n    用醋。\n\n最后收汁。\n'
    )
    assert [(s.text, s.headings, s.tab) for s in sentences_of([chunk(text)])] == [
        ("Use brew.", ("Windows",), ""),
        ("It is new.", ("Windows",), ""),
        ("then", ("Windows",), ""),
        ("On Linux use apt.", (), ""),
        ("用姜。", ("甲",), "甲"),
        ("用醋。", ("乙",), "乙"),
        ("最后收汁。", (), ""),
    ]


def test_where_an_inner_box_is_closed_the_outer_one_goes_on(chunk: MakeChunk) -> None:
    text = (
        "## 用法\n\n::::info Outer\nOne.\n\n:::tip Inner\nTwo.\n:::\n\nThree.\n\n"
        "::: {.callout}\nFour.\n:::\n\nFive.\n::::\n\nSix.\n"
    )
    assert [(s.text, s.headings) for s in sentences_of([chunk(text)])] == [
        ("One.", ("用法", "Outer")),
        ("Two.", ("用法", "Outer", "Inner")),
        ("Three.", ("用法", "Outer")),
        ("Four.", ("用法", "Outer")),
        ("Five.", ("用法", "Outer")),
        ("Six.", ("用法",)),
    ]


def test_an_indented_box_goes_on_in_the_next_chunk(chunk: MakeChunk) -> None:
    chunks = [
        chunk('=== "Linux"\n\n    Use apt.'),
        chunk("Then start it.\n\n    Wait.\n\nOil it."),
    ]
    assert [(s.text, s.tab) for s in sentences_of(chunks)] == [
        ("Use apt.", "Linux"),
        ("Then start it.", "Linux"),
        ("Wait.", "Linux"),
        ("Oil it.", ""),
    ]
