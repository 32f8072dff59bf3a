"""``generator.llm``: a language model writes, from the evidence set alone, by a versioned prompt.

Its sentences name their chunks and are checked like any others before they are shown, one by one
as the stream makes them whole. Whatever fails ends in the extractive generator with a warning
(DEV_SPEC 3.2.8.5); there is never an empty reply.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from rag_query.contracts.answer import GeneratorRun
from rag_query.contracts.errors import ErrorCode, ExcerptaError, classify
from rag_query.contracts.trace import EventKind
from rag_query.generation.answers.draft import Draft, DraftSentence, OnSentence
from rag_query.generation.answers.extractive import ExtractiveGenerator, ExtractiveParams
from rag_query.generation.evidence.evidence_set import Built
from rag_query.generation.evidence.kinds import QuestionKind
from rag_query.generation.questions.question import Question
from rag_query.providers.llm.base import Completion, Llm, LlmRequest, Message
from rag_query.providers.registry import Params, register
from rag_query.text.ids import sha256_text
from rag_query.tracing.context import event

PROMPTS = Path(__file__).parent / "prompts"
_OPEN = re.compile(r'"sentences"\s*:\s*\[')


#: In an answer that is still being written; within a sentence its quotes would be escaped.
_DECLINES = re.compile(r'"insufficient"\s*:\s*true')


class LlmSentence(BaseModel):
    """One sentence of the model's answer."""

    section: Literal["ingredients", "steps", "notes", "answer", "support"]
    text: str = Field(min_length=1)
    chunk_ids: list[str] = Field(min_length=1)


class LlmAnswer(BaseModel):
    """What the model must answer with."""

    insufficient: bool = False
    missing: str = ""
    sentences: list[LlmSentence] = Field(default_factory=list)


class LlmGeneratorParams(Params):
    """Parameters of ``generator.llm``.

    Attributes:
        prompt: name of a file in ``prompts``, without ``.md``; never edited once used.
        max_evidence_chars: of the passages together; the weakest beyond it are left out.
        stream: sentences are checked and shown as they come.
        support_share: of the extractive generator that stands in when the model fails.
    """

    prompt: str = Field("answer.v1", pattern=r"^[a-z0-9_]+\.v\d+$")
    max_tokens: int = Field(1500, ge=16, le=100_000)
    max_evidence_chars: int = Field(24_000, ge=200, le=2_000_000)
    deadline_s: float = Field(30.0, gt=0, le=600)
    temperature: float = Field(0.0, ge=0, le=2)
    stream: bool = True
    support_share: float = Field(0.35, ge=0, le=1)


class LlmGenerator:
    """See :class:`rag_query.generation.answers.draft.Generator`."""

    provider_id = "generator.llm"

    def __init__(self, params: LlmGeneratorParams, llm: Llm) -> None:
        self._params = params
        self._llm = llm
        self._fallback = ExtractiveGenerator(ExtractiveParams(support_share=params.support_share))
        self._prompt, self._profile = _prompt(params.prompt)

    def generate(
        self, question: Question, kind: QuestionKind, built: Built, on_sentence: OnSentence
    ) -> Draft:
        try:
            return self._ask(question, kind, built, on_sentence)
        except ExcerptaError as exc:
            return self._instead(exc, question, kind, built, on_sentence)
        except Exception as exc:
            # A provider promises ExcerptaError; one that breaks it still leaves an answer.
            return self._instead(classify(exc), question, kind, built, on_sentence)

    def _ask(
        self, question: Question, kind: QuestionKind, built: Built, on_sentence: OnSentence
    ) -> Draft:
        request, warnings = self._request(question, kind, built)
        seen = 0

        def heard(sentences: list[LlmSentence]) -> None:
            nonlocal seen
            for sentence in sentences[seen:]:
                on_sentence(_drafted(sentence, seen))
                seen += 1

        completion = self._complete(request, heard)
        answer = completion.parsed
        if not isinstance(answer, LlmAnswer):
            raise ExcerptaError(ErrorCode.LLM_BAD_OUTPUT, "The model gave no object.")
        run = self._run(completion)
        if answer.insufficient:
            # What it says beside that is no answer to the question.
            return Draft((), run, warnings=tuple(warnings))
        heard(answer.sentences)
        if not answer.sentences:
            raise ExcerptaError(ErrorCode.LLM_BAD_OUTPUT, "The model gave no sentences.")
        return Draft(
            tuple(_drafted(s, n) for n, s in enumerate(answer.sentences)),
            run,
            warnings=tuple(warnings),
        )

    def _complete(self, request: LlmRequest, heard: Any) -> Completion:
        if not self._params.stream:
            return self._llm.complete(request)
        text = ""
        for piece in self._llm.stream(request):
            if isinstance(piece, Completion):
                return piece
            text += piece
            if not _DECLINES.search(text):
                heard(whole_sentences(text))
        raise ExcerptaError(
            ErrorCode.LLM_UNAVAILABLE, "The model's stream ended before its answer.", transient=True
        )

    def _request(
        self, question: Question, kind: QuestionKind, built: Built
    ) -> tuple[LlmRequest, list[str]]:
        params = self._params
        chunks = built.evidence.chunks
        room = params.max_evidence_chars
        kept: set[str] = set()
        # The weakest go first; without scores, the last.
        for chunk in sorted(chunks, key=lambda c: -(c.score or 0.0)):
            if len(chunk.text) <= room or not kept:
                kept.add(chunk.chunk_id)
                room -= len(chunk.text)
        warnings = []
        if len(kept) < len(chunks):
            warnings.append(
                f"{len(chunks) - len(kept)} passages did not fit the budget of the language model."
            )
        passages = [
            {
                "id": c.chunk_id,
                "block_type": c.block_type,
                "section": c.section_path,
                "text": c.text,
            }
            for c in chunks
            if c.chunk_id in kept
        ]
        system = self._prompt.replace("{kind}", kind.name).replace(
            "{max_sentences}", str(kind.max_sentences or 40)
        )
        asked = json.dumps({"question": question.whole, "passages": passages}, ensure_ascii=False)
        request = LlmRequest(
            (Message.of("system", system), Message.of("user", asked)),
            output=LlmAnswer,
            temperature=params.temperature,
            max_tokens=params.max_tokens,
            deadline_s=params.deadline_s,
            prompt_profile_id=self._profile,
        )
        return request, warnings

    def _run(self, completion: Completion) -> GeneratorRun:
        return GeneratorRun(
            provider_id=self.provider_id,
            prompt_profile_id=self._profile,
            model=f"{completion.provider_id}/{completion.model}",
            model_version=completion.model_version,
            input_tokens=completion.usage.input_tokens,
            output_tokens=completion.usage.output_tokens,
            cost=completion.cost,
        )

    def _instead(
        self,
        error: ExcerptaError,
        question: Question,
        kind: QuestionKind,
        built: Built,
        on_sentence: OnSentence,
    ) -> Draft:
        event(
            EventKind.FALLBACK,
            stage="stage.generate",
            generation_failed=True,
            fallback_mode="structured_response",
            code=str(error.code),
            message=error.message,
        )
        draft = self._fallback.generate(question, kind, built, on_sentence)
        run = GeneratorRun(
            provider_id=draft.run.provider_id,
            prompt_profile_id=self._profile,
            model=f"{self._llm.provider_id}/{self._llm.model}",
            generation_failed=True,
            fallback_mode="structured_response",
            failure_code=str(error.code),
        )
        warning = (
            f"The language model failed ({error.code}); the answer is made of the evidence's own "
            "sentences."
        )
        return Draft(draft.sentences, run, warnings=(*draft.warnings, warning))


def whole_sentences(text: str) -> list[LlmSentence]:
    """The sentences that stand whole in the beginning of a JSON answer."""
    opened = _OPEN.search(text)
    if opened is None:
        return []
    found: list[LlmSentence] = []
    decoder = json.JSONDecoder()
    at = opened.end()
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) or text[at] != "{":
            return found
        try:
            value, at = decoder.raw_decode(text, at)
            found.append(LlmSentence.model_validate(value))
        except (ValueError, ValidationError):
            return found


def _drafted(sentence: LlmSentence, number: int) -> DraftSentence:
    return DraftSentence(
        group=sentence.section,
        name=sentence.section if sentence.section != "steps" else f"step_{number + 1}",
        text=" ".join(sentence.text.split()),
        chunk_ids=tuple(dict.fromkeys(sentence.chunk_ids)),
        lead="- " if sentence.section in ("ingredients", "steps", "notes") else "",
    )


@cache
def _prompt(name: str) -> tuple[str, str]:
    """A prompt's text, and its profile id."""
    path = PROMPTS / f"{name}.md"
    if not path.exists():
        known = ", ".join(sorted(p.stem for p in PROMPTS.glob("*.md")))
        raise ExcerptaError(
            ErrorCode.INVALID_STRATEGY, f"There is no prompt {name!r}.", hint=f"Known: {known}."
        )
    text = path.read_text(encoding="utf-8")
    return text, f"{name}:{sha256_text(text)[:16]}"


def _build(params: LlmGeneratorParams, *, llm: Llm, **_: object) -> LlmGenerator:
    return LlmGenerator(params, llm)


register("generator.llm", version="2", params=LlmGeneratorParams, build=_build, needs=("llm",))
