"""Which passages of the locked document a question is answered from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rag_query.contracts.answer import Parent
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.evidence.evidence_set import Asked, Built, build_evidence
from rag_query.generation.evidence.kinds import DEFAULT_KINDS, QuestionKind
from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.passages.sentences import SourceChunk
from rag_query.generation.questions.question import read_question
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk

KINDS = {kind.name: kind for kind in DEFAULT_KINDS}


def built(
    question: str, kind: QuestionKind, chunks: Sequence[SourceChunk], analyzer: Analyzer
) -> Built:
    held = [frozenset(analyzer.tokens(f"{c.section_path} {c.text}")) for c in chunks]
    read = read_question(question, analyzer, lambda t: sum(t in tokens for tokens in held), 20)
    parent = Parent(
        parent_id="ver_1", doc_id="doc_1", title="A", version_no=1, is_latest=True,
        source_uri="file:///a.md",
    )  # fmt: skip
    text, judge = ParentText(parent, tuple(chunks)), ByFeatures(SufficiencyParams())
    return build_evidence(Asked(read, kind), text, chunks, judge, analyzer)


def texts(found: Built) -> list[str]:
    return [chunk.text for chunk in found.evidence.chunks]


def test_nothing_of_another_document_becomes_evidence(chunk: MakeChunk, analyzer: Analyzer) -> None:
    own, other = chunk("Salt the pork."), replace(chunk("Salt the fish."), version_id="ver_2")
    with pytest.raises(ExcerptaError) as caught:
        built("How much salt?", KINDS["fact"], [own, other], analyzer)
    assert caught.value.code is ErrorCode.INTERNAL


def test_blocks_of_a_kind_come_whole_in_order_and_what_lacks_is_named(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    first = chunk("Pork, salt.", "ingredients", "Pork / Ingredients")
    chunk("It is old.", "paragraph", "Pork")
    steps = [chunk(f"Step {n}.", "operation", "Pork / Steps") for n in range(3)]
    tips = chunk("Stir it.", "tips", "Pork / Tips")
    teaching = KINDS["teaching"]
    found = built("How to cook pork?", teaching, [tips, *steps[::-1], first], analyzer)
    assert texts(found) == ["Pork, salt.", "Step 0.", "Step 1.", "Step 2.", "Stir it."]
    assert found.sufficiency.sufficient and found.left_out == 0
    assert [c.score for c in found.evidence.chunks] == [None] * 5
    few = teaching.model_copy(update={"max_chunks": 2})
    found = built("How to cook pork?", few, [first, *steps, tips], analyzer)
    assert (texts(found), found.left_out) == (["Pork, salt.", "Step 0."], 3)
    found = built("How to cook pork?", teaching, [first, tips], analyzer)
    assert not found.sufficiency.sufficient
    assert [(m.kind, m.what) for m in found.sufficiency.missing] == [("block_type", "operation")]


def test_a_summary_has_the_first_words_of_every_section(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    chunks = [
        chunk("# Pork", "heading", "Pork"),
        chunk("Pork is braised.", section="Pork"),
        chunk("It takes an hour.", section="Pork"),
        chunk("It keeps for a day.", section="Pork / Keeping"),
    ]
    found = built("Summarize it", KINDS["summary"], chunks[::-1], analyzer)
    assert texts(found) == ["Pork is braised.", "It keeps for a day."]
    assert found.sufficiency.sufficient
    found = built("Summarize it", KINDS["summary"], [chunk("# Fish", "heading", "Fish")], analyzer)
    assert [(m.kind, m.what) for m in found.sufficiency.missing] == [("text", "no text")]
    assert not found.sufficiency.sufficient


LEAD = "To reset the logger, do this:"
STEPS = "- Hold the red button.\n- Wait for the lamp."


@pytest.mark.parametrize(
    ("section", "between", "follows"),
    [("Logger", False, True), ("Gauge", False, False), ("Logger", True, False)],
)
def test_the_list_that_a_sentence_opens_comes_with_it(
    chunk: MakeChunk, analyzer: Analyzer, section: str, between: bool, follows: bool
) -> None:
    opens = chunk(LEAD, section="Logger")
    chunk("Gauges drift.", section="Gauge")
    if not between:
        opens = replace(opens, chunk_index=1)
    listed = chunk(STEPS, "list", section)
    found = built("How do I reset the logger?", KINDS["fact"], [opens, listed], analyzer)
    assert texts(found) == ([LEAD, STEPS] if follows else [LEAD])


def test_a_sentence_that_opens_nothing_is_evidence_too(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    found = built("How do I reset the logger?", KINDS["fact"], [chunk(LEAD)], analyzer)
    assert texts(found) == [LEAD]
    said = [chunk("The logger is reset by the red button."), chunk("Gauges drift.")]
    assert texts(built("How is the logger reset?", KINDS["fact"], said, analyzer)) == [said[0].text]


def test_words_read_from_a_picture_are_marked(chunk: MakeChunk, analyzer: Analyzer) -> None:
    read = replace(chunk("The logger is reset by the red button."), is_read=True)
    typed = chunk("The logger stands on the pier.")
    found = built("How is the logger reset?", KINDS["fact"], [read], analyzer)
    assert [c.from_ocr for c in found.evidence.chunks] == [True]
    found = built("Where does the logger stand?", KINDS["fact"], [typed], analyzer)
    assert [c.from_ocr for c in found.evidence.chunks] == [None]


@pytest.mark.parametrize(
    ("question", "text", "sufficient"),
    [
        (
            "浮子水位计多久校准一次",
            "每次校准水位计由两人共同完成。本记录汇总浮子式潮位计的校准结果。\n\n雷达计全年校准四次。",
            False,
        ),
        ("浮子水位计多久校准一次", "浮子水位计由两人校准。浮子水位计每季度校准。", True),
        (
            "店铺的主营业务有几项？",
            "店铺透过子公司经营三项主营业务。\n\n店铺另有 4 个仓库。",
            True,
        ),
        (
            "How far is the club house from the station?",
            "The club house is next to the station.\n\nThe hall is 300 metres long.",
            True,
        ),
        (
            "How much does the gliding course cost?",
            "The club offers the gliding course to all members.\n\nMost members like the course.",
            False,
        ),
        (
            "How much does the gliding course cost?",
            "The gliding course is taught by two pilots. The gliding course costs 90 euros.",
            True,
        ),
        (
            "How much does a place in the hangar cost?",
            "A place in the hangar must be booked in March. The fee is 40 euros a month.",
            True,
        ),
        ("滑翔课的学费是多少？", "俱乐部开设滑翔课，学员大部分是学生。", False),
        ("滑翔课的学费是多少？", "滑翔课由两名飞行员讲授。\n\n费用：每天 900 元。", True),
        ("滑翔课的学费是多少？", "俱乐部开设滑翔课，学费为 900 元。", True),
        ("瑜伽垫有多重？", "瑜伽垫比普通垫子轻。\n\n哑铃重 5 千克。", True),
        (
            "How often does the store save a copy of the index?",
            "The store saves a copy of the index at each copy interval (by default 45 minutes)."
            " It keeps three copies for each of two users. One copy a day is enough.",
            True,
        ),
    ],
)
def test_a_measure_is_told_by_the_sentence_that_an_answer_begins_with(
    question: str, text: str, sufficient: bool, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    found = built(question, KINDS["fact"], [chunk(text, section="记录")], analyzer)
    assert found.sufficiency.sufficient is sufficient


def test_what_no_word_of_a_document_says_is_not_offered_by_it(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    text = "下拉框支持搜索。下拉框的选项可以清空。"
    found = built("下拉框支持农历吗？", KINDS["fact"], [chunk(text)], analyzer)
    assert not found.sufficiency.sufficient
    assert [each.what for each in found.sufficiency.missing] == ["农历"]
    said = f"{text}下拉框支持农历。"
    found = built("下拉框支持农历吗？", KINDS["fact"], [chunk(said)], analyzer)
    assert found.sufficiency.sufficient
