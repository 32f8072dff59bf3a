"""Which sentences of a parent answer a question about a fact, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from rag_query.contracts.answer import Parent
from rag_query.generation.draft import Draft
from rag_query.generation.evidence_set import Asked, build_evidence
from rag_query.generation.extractive import ExtractiveGenerator, ExtractiveParams
from rag_query.generation.kinds import DEFAULT_KINDS
from rag_query.generation.parent import ParentText
from rag_query.generation.question import read_question
from rag_query.generation.sentences import SourceChunk
from rag_query.generation.sufficiency import ByFeatures, SufficiencyParams
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


def drafted(question: str, chunks: Sequence[SourceChunk], analyzer: Analyzer) -> Draft:
    """What the default generator says to a question about a fact."""
    held = [frozenset(analyzer.tokens(f"{c.section_path} {c.text}")) for c in chunks]
    read = read_question(question, analyzer, lambda t: sum(t in tokens for tokens in held), 20)
    parent = Parent(
        parent_id="ver_1", doc_id="doc_1", title=chunks[0].title, version_no=1, is_latest=True,
        source_uri="file:///a.md",
    )  # fmt: skip
    built = build_evidence(
        Asked(read, DEFAULT_KINDS[-1], dense=None),
        ParentText(parent, read.language, tuple(chunks)),
        chunks,
        ByFeatures(SufficiencyParams()),
        analyzer,
    )
    return ExtractiveGenerator(ExtractiveParams()).generate(
        read, DEFAULT_KINDS[-1], built, lambda _: None
    )


def texts(draft: Draft) -> list[str]:
    return [sentence.text for sentence in draft.sentences]


def test_of_equals_the_sentence_below_a_heading_about_the_question_answers(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    paid = chunk("质保金在质量保证期届满后 30 日内付清。", section="第四条 价款支付")
    term = chunk("质量保证期为验收合格之日起 24 个月。", section="第六条 质量保证期")
    found = drafted("质量保证期多长时间", [paid, term], analyzer)
    assert texts(found)[0] == "质量保证期为验收合格之日起 24 个月。"
    # Nothing above tells these apart: the first in the document goes first.
    plain = [chunk("质量保证期为 24 个月。"), chunk("质量保证期为 30 个月。")]
    assert texts(drafted("质量保证期多长时间", plain, analyzer))[0] == "质量保证期为 24 个月。"


FAQ = (
    "问1：水费怎么缴纳？\n\n答：到营业厅柜台缴纳。\n\n"
    "问2：水表不走字怎么办？\n\n答：请拨打热线 96390 报修。故障期间按平均用水量计算。"
)
MOORING = "**Q: Can I charge batteries?**\n\nA: Only at berths 10 to 20.\n\n**Q: Is there a shop?**"


def test_a_question_of_the_document_is_answered_by_what_follows_it(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    assert texts(drafted("水表不走字怎么办", [chunk(FAQ)], analyzer)) == [
        "答：请拨打热线 96390 报修。",
        "故障期间按平均用水量计算。",
    ]
    assert texts(drafted("Can I charge batteries?", [chunk(MOORING)], analyzer)) == [
        "A: Only at berths 10 to 20."
    ]


def test_a_heading_that_asks_is_answered_by_the_text_below_it(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    listed = chunk("- How do I reset my device?\n- How do I pay?", "list", section="Support")
    reset = chunk("Hold the red button. The lamp blinks.", section="A / How do I reset my device?")
    found = drafted("How do I reset my device?", [listed, reset], analyzer)
    assert texts(found) == ["Hold the red button.", "The lamp blinks."]


def test_how_to_do_something_is_told_by_the_section_named_after_it(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    use = chunk("The machine dries glassware and filters.", section="M / 1.1 Intended use")
    steps = chunk("1. Press OPEN.\n2. Close the lid.", "list", section="M / 2.1 Drying glassware")
    assert texts(drafted("how do I dry glassware", [use, steps], analyzer))[0] == "Press OPEN."
    # Of what is not asked how, the sentence that says it is the answer.
    found = drafted("Which machine dries glassware?", [use, steps], analyzer)
    assert texts(found)[0] == "The machine dries glassware and filters."
