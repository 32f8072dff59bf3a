"""``judge.llm``: a language model scores, by a fixed prompt at temperature 0 (DEV_SPEC 3.4.8).

A verdict is kept under ``cache/judgements``, keyed by everything it depends on, so an answer is
judged once. What the model says must be the scores and reasons asked for; anything else is
``JUDGE_FAILED`` for that answer, never a number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import JudgeAnchor, MetricResult
from rag_query.evaluation.judges import CORRECTNESS, FAITHFULNESS, RELEVANCY, Answered
from rag_query.library.files import write_atomic
from rag_query.library.home import Home
from rag_query.library.settings import load_settings
from rag_query.providers.llm.base import Llm, LlmRequest, Message
from rag_query.providers.registry import REGISTRY, Params, register
from rag_query.strategies.strategy import load_strategy
from rag_query.text.ids import profile_id, sha256_text

PROVIDER_ID = "judge.llm"
PROMPT = Path(__file__).with_name("prompts") / "judge.txt"
_TEMPERATURE = 0.0
_MAX_TOKENS = 600


class Score(BaseModel):
    """One score with its reason."""

    model_config = ConfigDict(extra="forbid")

    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    reason: str


class JudgeVerdict(BaseModel):
    """What the model must say."""

    model_config = ConfigDict(extra="forbid")

    faithfulness: Score
    relevancy: Score
    correctness: Score | None = None


class LlmJudgeParams(Params):
    """``llm``: a registered language model and its parameters; by default the library's."""

    llm: str | None = None
    llm_params: dict[str, Any] = Field(default_factory=dict)
    deadline_s: float = Field(60.0, gt=0, le=600)


class LlmJudge:
    """See the module.

    Args:
        cache: folder of verdicts.
    """

    def __init__(self, llm: Llm, cache: Path, *, deadline_s: float) -> None:
        self._llm = llm
        self._cache = cache
        self._deadline_s = deadline_s
        self._prompt = PROMPT.read_text(encoding="utf-8")
        self._prompt_id = sha256_text(self._prompt)

    @property
    def anchor(self) -> JudgeAnchor:
        """Model, prompt and temperature."""
        return JudgeAnchor(
            judge_provider_id=PROVIDER_ID,
            judge_model=f"{self._llm.provider_id}:{self._llm.model}",
            judge_prompt_id=self._prompt_id,
            temperature=_TEMPERATURE,
        )

    def score(self, answered: Answered) -> list[MetricResult]:
        """See :class:`~rag_query.evaluation.judges.Judge`."""
        asked = _asked(answered)
        path = self._cache / f"{profile_id([self.anchor.model_dump(mode='json'), asked])}.json"
        verdict = _stored_verdict(path) or self._judge(asked, path)
        found = {FAITHFULNESS: verdict.faithfulness, RELEVANCY: verdict.relevancy}
        if answered.case.expected_answer and verdict.correctness is not None:
            found[CORRECTNESS] = verdict.correctness
        return [
            MetricResult(name=name, value=given.score, reason=given.reason)
            for name, given in found.items()
        ]

    def _judge(self, asked: str, path: Path) -> JudgeVerdict:
        request = LlmRequest(
            messages=(Message.of("system", self._prompt), Message.of("user", asked)),
            output=JudgeVerdict,
            temperature=_TEMPERATURE,
            max_tokens=_MAX_TOKENS,
            deadline_s=self._deadline_s,
            prompt_profile_id=self._prompt_id,
            mode="offline",
        )
        try:
            answer = self._llm.complete(request)
        except ExcerptaError as exc:
            if exc.code is not ErrorCode.LLM_BAD_OUTPUT:
                raise
            raise _nonsense(exc.message) from exc
        if not isinstance(answer.parsed, JudgeVerdict):
            raise _nonsense(f"it said {answer.text[:200]!r}")
        write_atomic(path, answer.parsed.model_dump_json().encode())
        return answer.parsed


def _stored_verdict(path: Path) -> JudgeVerdict | None:
    try:
        return JudgeVerdict.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _asked(answered: Answered) -> str:
    parts = [f"<question>\n{answered.case.query}\n</question>"]
    parts += [
        f'<passage number="{number}">\n{text}\n</passage>'
        for number, text in enumerate(answered.passages, start=1)
    ]
    parts.append(f"<answer>\n{answered.answer}\n</answer>")
    if answered.case.expected_answer:
        parts.append(f"<expected_answer>\n{answered.case.expected_answer}\n</expected_answer>")
    return "\n\n".join(parts)


def _nonsense(what: str) -> ExcerptaError:
    return ExcerptaError(
        ErrorCode.JUDGE_FAILED,
        f"The judge's model did not give scores with reasons: {what}",
        hint="Try another model for judge.llm, or judge.rules.",
    )


def judging_model(params: LlmJudgeParams, home: Home) -> Llm:
    """The language model that judges.

    Raises:
        ExcerptaError: ``UNKNOWN_PROVIDER`` or ``INVALID_STRATEGY``; ``LLM_NOT_CONFIGURED`` when
            neither the judge nor the library's strategy names one.
    """
    if params.llm is not None:
        llm: Llm = REGISTRY.create(params.llm, params.llm_params)
    else:
        llm = load_strategy(load_settings(home).strategy).build("llm")
    if not llm.active:
        raise ExcerptaError(
            ErrorCode.LLM_NOT_CONFIGURED,
            "There is no language model to judge with.",
            hint="Name one as the strategy's stage `llm`, or use judge.rules.",
        )
    return llm


def _build(params: LlmJudgeParams, *, home: Home, **_: Any) -> LlmJudge:
    cache = home.root / "cache" / "judgements"
    return LlmJudge(judging_model(params, home), cache, deadline_s=params.deadline_s)


register(PROVIDER_ID, version="1", params=LlmJudgeParams, build=_build)
