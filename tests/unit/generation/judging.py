"""What the tests of sufficiency share: a judgement of one text, and texts to judge."""

from __future__ import annotations

from rag_query.contracts.answer import Sufficiency
from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams, missing
from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk

LEAVE = (
    "未休年假按日工资的 300% 折算。\n\n病假须提供医院的诊断证明。\n\n"
    "连续病假不超过 3 天的，可事后补交。"
)
PUMP = (
    "甲方采购离心泵 12 台，型号 CP-80，单价 23,500 元。\n\n"
    "| 部件 | 质保期 |\n|---|---|\n| 叶轮 | 18 个月 |"
)


def judged(question: str, evidence: str, analyzer: Analyzer, chunk: MakeChunk) -> Sufficiency:
    """Whether one text answers, in a library that holds nothing else."""
    read = read_question(question, analyzer, lambda t: int(t in analyzer.tokens(evidence)), 20)
    scored = score_sentences(read, statements_of([chunk(evidence)]), analyzer)
    found = ByFeatures(SufficiencyParams()).judge(read, scored)
    lacking = [] if found.sufficient else missing(read, scored)
    return found.model_copy(update={"missing": lacking})
