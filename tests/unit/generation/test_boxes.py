"""Boxes and tabs of MkDocs, VitePress and Docusaurus: titles of what is in them, no sentences."""

from __future__ import annotations

import pytest

from rag_query.generation.boxes import box_title
from rag_query.generation.sentences import sentences_of
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
    assert box_title(line) == title


def test_what_stands_in_a_box_is_read_below_its_title(chunk: MakeChunk) -> None:
    text = (
        '# Turbine\n\n=== "Linux"\n\nInstall with `apt`.\n\n=== "macOS"\nInstall with `brew`.\n\n'
        "## Care\n\nOil it.\n::: warning Heat\nIt reaches 90 °C.\n:::\nLet it cool.\n"
    )
    assert [(s.text, s.headings, s.box) for s in sentences_of([chunk(text)])] == [
        ("Install with apt.", ("Turbine", "Linux"), "Linux"),
        ("Install with brew.", ("Turbine", "macOS"), "macOS"),
        ("Oil it.", ("Turbine", "Care"), ""),
        ("It reaches 90 °C.", ("Turbine", "Care", "Heat"), "Heat"),
        ("Let it cool.", ("Turbine", "Care"), ""),
    ]


def test_tabs_do_not_contradict_each_other(analyzer: Analyzer, chunk: MakeChunk) -> None:
    tabs = '=== "A"\n\nThe pump holds 14 litres.\n\n=== "B"\n\nThe pump holds 15 litres.\n'
    question = "How many litres does the pump hold?"
    assert not contradictions_of(analyzer, chunk, question, tabs)
    assert contradictions_of(analyzer, chunk, question, tabs.replace("===", "Tab"))
