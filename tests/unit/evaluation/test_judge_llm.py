"""A language model as judge: its scores with reasons, kept; its nonsense never a number."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import EvalCase
from rag_query.evaluation.judge_llm import LlmJudge
from rag_query.evaluation.judges import Answered
from rag_query.library.home import Home
from rag_query.providers.llm.fake import FakeLlm

VERDICT = json.dumps(
    {
        "faithfulness": {"score": 0.9, "reason": "one claim is loose"},
        "relevancy": {"score": 1, "reason": "it answers"},
        "correctness": {"score": 0.5, "reason": "half of it"},
    }
)


def answered(expected: str | None = "steamed") -> Answered:
    case = EvalCase(case_id="a", query="怎么制作绿茶？", expected_answer=expected)
    return Answered(case, "It is steamed.", ("Green tea is steamed.",))


def judge(folder: Path, *replies: str) -> tuple[LlmJudge, FakeLlm]:
    llm = FakeLlm(replies)
    return LlmJudge(llm, folder / "cache", deadline_s=5), llm


def test_scores_come_with_reasons(tmp_path: Path) -> None:
    made, llm = judge(tmp_path, VERDICT)
    scores = {m.name: (m.value, m.reason) for m in made.score(answered())}
    assert scores["Faithfulness"] == (0.9, "one claim is loose")
    assert scores["AnswerCorrectness"] == (0.5, "half of it")
    (request,) = llm.asked
    assert request.temperature == 0
    assert request.prompt_profile_id == made.anchor.judge_prompt_id
    shown = request.messages[-1].text
    assert all(part in shown for part in ("怎么制作绿茶？", "Green tea is steamed.", "steamed"))
    assert "AnswerCorrectness" not in {m.name for m in made.score(answered(None))}


def test_an_answer_is_judged_once(tmp_path: Path) -> None:
    made, llm = judge(tmp_path, VERDICT)
    first = made.score(answered())
    assert made.score(answered()) == first
    assert judge(tmp_path, "never asked")[0].score(answered()) == first
    assert len(llm.asked) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        "I would say 8 out of 10.",
        VERDICT.replace("0.9", "9"),
        VERDICT.replace("0.9", "NaN"),
        '{"faithfulness": {"score": 1}}',
        "",
    ],
)
def test_nonsense_is_no_score(tmp_path: Path, nonsense: str) -> None:
    made, _ = judge(tmp_path, nonsense)
    with pytest.raises(ExcerptaError) as caught:
        made.score(answered())
    assert caught.value.code == ErrorCode.JUDGE_FAILED
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize(
    ("package", "settings"),
    [
        ("ragas", {"metric_set": "metric_set.ragas"}),
        ("deepeval", {"evaluator": "evaluator.deepeval", "judge_params": {"llm": "llm.fake"}}),
    ],
)
def test_a_missing_extra_says_how_to_get_it(
    tmp_path: Path, package: str, settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    import rag_query.evaluation.builtin  # noqa: F401  (registers the providers)
    from rag_query.evaluation.evaluator import EvalSettings
    from rag_query.providers.registry import REGISTRY

    monkeypatch.setitem(sys.modules, package, None)
    asked = EvalSettings.model_validate(settings)
    with pytest.raises(ExcerptaError) as caught:
        REGISTRY.create(asked.evaluator, {}, home=Home(tmp_path), settings=asked)
    assert caught.value.code == ErrorCode.EXTRA_MISSING
    assert f"excerpta[{package}]" in caught.value.hint
