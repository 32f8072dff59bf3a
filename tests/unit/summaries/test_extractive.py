"""Summaries: the document's own sentences, each where it says it stands."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.contracts.documents import ChunkListing
from rag_query.summaries.extractive import LENGTHS, Style, prose, summarize

TIDES = [
    ("Tides", "The station measures the tide. The float gauge follows the tide in a well."),
    ("Care", "Calibrate the float gauge monthly. The tide must be slack for it."),
    ("Cooking", "Lunch is at noon. The soup is often too salty."),
    ("Data", "The gauge sends the tide every ten minutes. Gaps in the tide data are filled."),
]
ZH = [
    ("潮位", "观测站测量潮位。浮子式验潮仪在井中跟随潮位升降。"),
    ("维护", "验潮仪每月校准一次。校准必须在平潮时进行。"),
    ("午餐", "中午十二点开饭。汤常常太咸。"),
    ("数据", "验潮仪每十分钟发送一次潮位数据。缺失的潮位数据由邻站补齐。"),
]


def _chunks(texts: list[tuple[str, str]], kind: str = "text") -> list[ChunkListing]:
    made, at = [], 0
    for index, (section, text) in enumerate(texts):
        made.append(
            ChunkListing(
                chunk_id=f"chk_{index}",
                section_id=f"sec_{section}",
                section_path=section,
                chunk_index=index,
                block_type=kind,
                chunk_text=text,
                char_start=at,
                char_end=at + len(text),
                line_start=None,
                line_end=None,
                page_start=index + 1,
                page_end=index + 1,
                asset_ids=[],
            )
        )
        at += len(text)
    return made


@pytest.mark.parametrize("texts", [TIDES, ZH], ids=["en", "zh"])
@pytest.mark.parametrize("style", ["short", "bullet", "detailed"])
def test_every_sentence_stands_in_the_passage_it_names(
    texts: list[tuple[str, str]], style: Style
) -> None:
    chunks = {chunk.chunk_id: chunk for chunk in _chunks(texts)}
    found = summarize(list(chunks.values()), style)
    assert 0 < len(found) <= LENGTHS[style]
    assert [sentence.order for sentence in found] == sorted({s.order for s in found})
    for sentence in found:
        chunk = chunks[sentence.chunk_id]
        assert chunk.chunk_text[sentence.start : sentence.end] == sentence.text
        assert (sentence.section_path, sentence.page) == (chunk.section_path, chunk.page_start)


@pytest.mark.parametrize("texts", [TIDES, ZH], ids=["en", "zh"])
def test_a_short_summary_says_what_the_document_is_about(texts: list[tuple[str, str]]) -> None:
    sections = {sentence.section_path for sentence in summarize(_chunks(texts), "short")}
    assert texts[2][0] not in sections


def test_a_detailed_summary_hears_every_section() -> None:
    assert {s.section_path for s in summarize(_chunks(TIDES), "detailed")} == {
        section for section, _ in TIDES
    }


def test_the_same_sentence_is_taken_once() -> None:
    texts = [(f"S{n}", "The gauge measures the tide. It rains.") for n in range(5)]
    taken = [sentence.text for sentence in summarize(_chunks(texts), "bullet")]
    assert sorted(taken) == ["It rains.", "The gauge measures the tide."]


def test_what_overlaps_is_read_once() -> None:
    first, second = _chunks([("A", "One gauge. Two gauges."), ("A", "Two gauges. Three gauges.")])
    second = second.model_copy(update={"char_start": 11, "char_end": 36})
    assert [s.text for s in prose([first, second])] == [
        "One gauge.",
        "Two gauges.",
        "Three gauges.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# A heading.\n",
        "| a. | b. |\n|---|---|\n| one. | two. |\n",
        "```python\nprint('A sentence in code.')\n```\n",
        "![A picture of a gauge.](asset://x)\n",
        "",
    ],
)
def test_what_is_no_prose_is_left_out(text: str) -> None:
    assert summarize(_chunks([("A", text)]), "short") == []


def test_prose_beside_a_table_is_read() -> None:
    table = "| Port | Note |\n|---|---|\n| North | Full. |"
    text = f"## Fees\nA berth costs ten crowns.\n\n{table}\n\nChildren pay nothing."
    found = [sentence.text for sentence in prose(_chunks([("A", text)], "table"))]
    assert found == ["A berth costs ten crowns.", "Children pay nothing."]


def test_lists_and_wrapped_lines_are_read() -> None:
    text = (
        "- Close the\n  shutter.\n- [x] Open it all.\n\n关闭雷达\n快门。\n\nSee [it](x.md) first."
    )
    found = prose(_chunks([("A", text)]))
    assert [text[s.start : s.end] for s in found] == [
        "- Close the\n  shutter.",
        "- [x] Open it all.",
        "关闭雷达\n快门。",
        "See [it](x.md) first.",
    ]
    assert [sentence.text for sentence in found] == [
        "Close the shutter.",
        "Open it all.",
        "关闭雷达快门。",
        "See it first.",
    ]


def test_many_fences_are_read_quickly() -> None:
    fenced = "~~~\nIt is code.\n~~~\nOpen the shutter.\n" * 4000
    began = time.process_time()
    assert len(prose(_chunks([("A", fenced)]))) == 4000
    assert time.process_time() - began < 2


def test_a_fence_in_a_fence_ends_nothing_and_marks_are_no_words() -> None:
    text = (
        "Open the **shutter** with `open &amp; wait`.\n\n~~~\nIt is code.\n```\nThis too.\n~~~\n\n"
        "Close it &amp; leave.\n"
    )
    found = prose(_chunks([("A", text)]))
    assert [sentence.text for sentence in found] == [
        "Open the shutter with open &amp; wait.",
        "Close it & leave.",
    ]


@given(st.lists(st.text(alphabet="ab. 备。\n#|`-", max_size=80), max_size=6))
def test_any_text_has_a_summary_of_its_own_sentences(texts: list[str]) -> None:
    found = summarize(_chunks([(f"S{n}", text) for n, text in enumerate(texts)]), "detailed")
    assert len({sentence.order for sentence in found}) == len(found) <= 30
