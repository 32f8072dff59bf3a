"""Numbers: those of rankings by trec_eval's definitions, those of answers by ours."""

from __future__ import annotations

import math

import pytest

from rag_query.contracts.evaluation import (
    CaseArtifacts,
    CaseResult,
    CitationRef,
    EvalCase,
    MetricResult,
)
from rag_query.evaluation.judgements import Judgement, Target
from rag_query.evaluation.judges import Answered, RuleJudge
from rag_query.evaluation.metrics import DefaultMetrics, Measured, MetricParams


def measured(
    ranking: list[str],
    targets: dict[str, int],
    artifacts: CaseArtifacts | None = None,
    in_scope: list[bool] | None = None,
) -> Measured:
    case = EvalCase(case_id="c", query="q")
    wanted = tuple(Target(name, grade, "doc") for name, grade in targets.items())
    return Measured(Judgement(case, wanted), artifacts or CaseArtifacts(), ranking, in_scope)


def values(*each: Measured, k: tuple[int, ...] = (10,)) -> list[dict[str, float]]:
    found = DefaultMetrics(MetricParams(k=k)).compute(each)
    return [{metric.name: metric.value for metric in case} for case in found]


def test_rankings() -> None:
    first, second, none, unjudged = values(
        measured(["a", "b"], {"a": 1}),
        measured(["x", "b", "y", "a"], {"a": 1, "b": 1, "c": 1}),
        measured([], {"a": 1}),
        measured(["a"], {}),
    )
    assert first == {"HitRate@10": 1.0, "Recall@10": 1.0, "MRR@10": 1.0, "nDCG@10": 1.0}
    assert second["MRR@10"] == 0.5
    assert second["Recall@10"] == pytest.approx(2 / 3)
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert second["nDCG@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert set(none.values()) == {0.0}
    assert unjudged == {}


def test_cut_offs_are_parameters() -> None:
    (found,) = values(measured(["x", "a"], {"a": 1}), k=(1, 2))
    assert (found["HitRate@1"], found["HitRate@2"]) == (0.0, 1.0)
    assert DefaultMetrics(MetricParams(k=(5, 10))).primary == "nDCG@5"


def test_coverage_is_the_share_inside_the_scope() -> None:
    (found,) = values(measured(["a"], {"a": 1}, in_scope=[True, False, False, True]))
    assert found["Coverage"] == 0.5


def answered(refused: bool, cited: list[bool], sentences: int, covered: int) -> CaseArtifacts:
    return CaseArtifacts(
        answer_markdown="text",
        refused=refused,
        citations=[CitationRef(chunk_id=f"c{i}", returned=r) for i, r in enumerate(cited)],
        sentences=sentences,
        sentences_cited=covered,
        usage={"output_tokens": 7},
    )


def test_citations() -> None:
    good, invented, refused = values(
        measured([], {}, answered(False, [True, True], 4, 3)),
        measured([], {}, answered(False, [True, False], 2, 2)),
        measured([], {}, answered(True, [], 0, 0)),
    )
    assert (good["CitationPrecision"], good["CitationCoverage"]) == (1.0, 0.75)
    assert invented["CitationPrecision"] == 0.5
    assert refused == {"output_tokens": 7}


def result(case_id: str, answerable: bool, refused: bool) -> CaseResult:
    return CaseResult(
        case_id=case_id,
        query="q",
        answerable=answerable,
        metrics=[MetricResult(name="nDCG@10", value=1.0 if refused else 0.5)],
        artifacts=answered(refused, [], 0, 0),
    )


def test_refusals_are_counted_over_all_cases() -> None:
    found = DefaultMetrics(MetricParams()).summarize(
        [
            result("right", answerable=False, refused=True),
            result("wrong", answerable=True, refused=True),
            result("missed", answerable=False, refused=False),
            result("fine", answerable=True, refused=False),
        ]
    )
    assert (found["RefusalPrecision"], found["RefusalRecall"]) == (0.5, 0.5)
    assert found["nDCG@10"] == 0.75


@pytest.mark.parametrize(
    ("query", "passage", "true", "false"),
    [
        (
            "How is green tea made?",
            "Green tea is steamed right after picking.",
            "Green tea is steamed after picking.",
            "Coffee beans are roasted in Peru.",
        ),
        ("绿茶怎么制作？", "绿茶采摘后立即蒸青。", "绿茶采摘后蒸青。", "咖啡豆在秘鲁烘焙。"),
    ],
)
def test_rules_tell_what_stands_in_the_passages(
    query: str, passage: str, true: str, false: str
) -> None:
    case = EvalCase(case_id="c", query=query, expected_answer=true)
    judge = RuleJudge()

    def scores(answer: str) -> dict[str, float]:
        given = judge.score(Answered(case, answer, (passage,)))
        assert all(metric.reason for metric in given)
        return {metric.name: metric.value for metric in given}

    good, bad = scores(true), scores(false)
    assert (good["Faithfulness"], bad["Faithfulness"]) == (1.0, 0.0)
    assert good["AnswerRelevancy"] > bad["AnswerRelevancy"]
    assert good["AnswerCorrectness"] == 1.0 > bad["AnswerCorrectness"]
