"""What the whole of a document does not speak of, whatever its passages say."""

from __future__ import annotations

import pytest

from rag_query.contracts.answer import Parent
from rag_query.generation.evidence.absent import absent_from
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.questions.question import read_question
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk

REPORT = "二号配电室跳闸，停电3小时。\n\n5月15日前完成检查。负责人：江晚吟。"


@pytest.mark.parametrize(
    ("question", "text", "absent"),
    [
        ("五号配电室停电多久？", REPORT, ["5号"]),
        ("二号配电室停电多久？", REPORT, []),
        ("五号配电室停电多久？", "配电室 5：停电3小时。", []),
        ("When does Fastify 6 reach its end?", "Fastify 4 ends in 2025.", ["6"]),
        ("When does Fastify 4 reach its end?", "Fastify: 4.0.0 ends in 2025.", []),
        ("When did World War 2 end?", "World War II ended in 1945.", []),
        ("Does the K40 support Bluetooth?", "The K40 supports LoRaWAN.", ["Bluetooth"]),
        ("Does the K40 support Bluetooth?", "The K40 supports blue-tooth now.", []),
        ("Does the hotel offer meals?", "The hotel offers breakfast.", []),
        ("日期选择器支持农历吗？", "日期选择器支持公历。", ["农历"]),
        ("日期选择器支持农历日期吗？", "日期选择器支持农历。", []),
        ("应用支持微信付款方式吗？", "应用支持微信付款。", []),
        ("应用支持夜间模式吗？", "夜间主题在设置中打开。", []),
        ("对话框支持语音关闭吗？", "对话框支持键盘关闭。", ["语音"]),
    ],
)
def test_a_name_or_a_number_that_a_document_never_gives(
    question: str, text: str, absent: list[str], analyzer: Analyzer, chunk: MakeChunk
) -> None:
    held = set(analyzer.tokens(text))
    asked = read_question(question, analyzer, lambda t: int(t in held), 100)
    parent = Parent(
        parent_id="ver_1", doc_id="doc_1", title="A", version_no=1, is_latest=True,
        source_uri="file:///a.md",
    )  # fmt: skip
    found = absent_from(asked, ParentText(parent, (chunk(text),)))
    assert [each.what for each in found] == absent
