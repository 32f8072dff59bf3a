"""``evaluator.deepeval``: our pipeline and artifacts, DeepEval's judging (extra ``deepeval``).

Faithfulness and answer relevancy are DeepEval's, asked of the library's own language model.
"""

from __future__ import annotations

import os
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import JudgeAnchor, MetricResult
from rag_query.evaluation.evaluator import EvalSettings, Evaluator, metric_set_of
from rag_query.evaluation.extras import need
from rag_query.evaluation.judge_llm import LlmJudgeParams, judging_model
from rag_query.evaluation.judges import FAITHFULNESS, RELEVANCY, Answered
from rag_query.library.home import Home
from rag_query.providers.llm.base import Llm, LlmRequest, Message
from rag_query.providers.registry import Params, register

PROVIDER_ID = "evaluator.deepeval"


class DeepEvalJudge:
    """DeepEval's metrics as a judge. Raises ExcerptaError ``EXTRA_MISSING`` without the extra."""

    def __init__(self, llm: Llm, *, deadline_s: float) -> None:
        # It sends usage data to its makers unless told not to.
        os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
        self._version = str(need("deepeval", "deepeval", PROVIDER_ID).__version__)
        self._metrics = need("deepeval.metrics", "deepeval", PROVIDER_ID)
        self._case = need("deepeval.test_case", "deepeval", PROVIDER_ID).LLMTestCase
        self._llm = llm
        self._model = _model(llm, deadline_s)

    @property
    def anchor(self) -> JudgeAnchor:
        """The model, and DeepEval's version in place of a prompt of ours."""
        return JudgeAnchor(
            judge_provider_id=PROVIDER_ID,
            judge_model=f"{self._llm.provider_id}:{self._llm.model}",
            judge_prompt_id=f"deepeval {self._version}",
            temperature=0.0,
        )

    def score(self, answered: Answered) -> list[MetricResult]:
        """See :class:`~rag_query.evaluation.judges.Judge`."""
        case = self._case(
            input=answered.case.query,
            actual_output=answered.answer,
            expected_output=answered.case.expected_answer,
            retrieval_context=list(answered.passages),
        )
        made = {
            FAITHFULNESS: self._metrics.FaithfulnessMetric,
            RELEVANCY: self._metrics.AnswerRelevancyMetric,
        }
        return [self._measured(name, kind, case) for name, kind in made.items()]

    def _measured(self, name: str, kind: Any, case: Any) -> MetricResult:
        metric = kind(model=self._model, async_mode=False)
        try:
            value = metric.measure(case, _show_indicator=False)
        except ExcerptaError:
            raise
        except Exception as exc:  # DeepEval raises whatever its parsing of the answer met
            raise ExcerptaError(
                ErrorCode.JUDGE_FAILED, f"DeepEval could not score {name}: {exc}"
            ) from exc
        return MetricResult(name=name, value=float(value), reason=metric.reason)


def _model(llm: Llm, deadline_s: float) -> Any:
    """The library's model as DeepEval takes one."""
    base: Any = need("deepeval.models", "deepeval", PROVIDER_ID).DeepEvalBaseLLM

    class LibraryModel(base):  # type: ignore[misc]
        def load_model(self) -> Any:
            return llm

        def get_model_name(self) -> str:
            return f"{llm.provider_id}:{llm.model}"

        def generate(self, prompt: str, schema: Any = None) -> Any:
            answer = llm.complete(
                LlmRequest(
                    messages=(Message.of("user", prompt),),
                    output=schema,
                    temperature=0.0,
                    max_tokens=2000,
                    deadline_s=deadline_s,
                    mode="offline",
                )
            )
            return answer.text if schema is None else answer.parsed

        async def a_generate(self, prompt: str, schema: Any = None) -> Any:
            return self.generate(prompt, schema)

    return LibraryModel()


def _build(_params: Params, *, home: Home, settings: EvalSettings, **_: Any) -> Evaluator:
    params = LlmJudgeParams.model_validate(settings.judge_params)
    judge = DeepEvalJudge(judging_model(params, home), deadline_s=params.deadline_s)
    return Evaluator(home, settings, metric_set_of(settings), judge)


register(PROVIDER_ID, version="1", build=_build)
