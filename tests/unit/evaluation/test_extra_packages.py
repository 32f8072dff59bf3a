"""The adapters with the packages they adapt; left out where an extra is not installed."""

from __future__ import annotations

import json
import math

import pytest

from rag_query.contracts.evaluation import CaseArtifacts, EvalCase
from rag_query.evaluation.judgements import Judgement, Target
from rag_query.evaluation.judges import FAITHFULNESS, RELEVANCY, Answered
from rag_query.evaluation.metrics import Measured
from rag_query.providers.llm.base import LlmRequest
from rag_query.providers.llm.fake import FakeLlm

SAID = {
    "truths": ["Green tea is steamed."],
    "claims": ["Green tea is steamed.", "It is blue."],
    "statements": ["It is steamed."],
    "verdicts": [{"verdict": "yes", "reason": "it says so"}, {"verdict": "no", "reason": "never"}],
    "reason": "half of it",
}


@pytest.mark.filterwarnings("ignore")  # of packages that are not this one's
def test_ragas_counts_what_our_metrics_count() -> None:
    pytest.importorskip("ragas", reason="needs the extra ragas")
    from rag_query.evaluation.metric_ragas import PRECISION, RECALL, RagasMetrics

    judgement = Judgement(EvalCase(case_id="c", query="q"), (Target("a", 1, "doc"),))
    found, nothing = RagasMetrics().compute(
        [
            Measured(judgement, CaseArtifacts(), ["x", "a"], None),
            Measured(judgement, CaseArtifacts(), [], None),
        ]
    )
    assert {m.name: m.value for m in found} == {PRECISION: 0.5, RECALL: 1.0}
    assert not any(math.isnan(m.value) for m in nothing)


@pytest.mark.filterwarnings("ignore")
def test_deepeval_asks_the_librarys_model() -> None:
    pytest.importorskip("deepeval", reason="needs the extra deepeval")
    from rag_query.evaluation.evaluator_deepeval import DeepEvalJudge

    def reply(request: LlmRequest) -> str:
        fields = request.output.model_fields if request.output else SAID
        return json.dumps({name: SAID[name] for name in fields})

    llm = FakeLlm([reply])
    judge = DeepEvalJudge(llm, deadline_s=5)
    case = EvalCase(case_id="a", query="How is green tea made?")
    scores = judge.score(Answered(case, "It is steamed. It is blue.", ("Green tea is steamed.",)))
    assert {m.name: m.value for m in scores} == {FAITHFULNESS: 0.5, RELEVANCY: 0.5}
    assert all(m.reason == "half of it" for m in scores)
    assert len(llm.asked) > 2
    assert judge.anchor.judge_prompt_id.startswith("deepeval 4.")
