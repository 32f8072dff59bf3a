"""An answer from one locked parent, and everything that says how it came about.

The shapes of "Evidence-driven generation v1": the parent's lock, the evidence set (section 3), the
sufficiency of it (4.3), the output's sections (6.1), ``generation_map`` (6.2). All are stored in
the conversation log, so every field added later needs a default.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rag_query.contracts.evidence import Box

ANSWER_VERSION = "1.0"


class _Model(BaseModel):
    # A log written by a later version stays readable.
    model_config = ConfigDict(extra="ignore")


class LockStatus(StrEnum):
    """States of a conversation's lock."""

    UNLOCKED = "unlocked"
    CANDIDATES = "candidates"
    LOCKED = "locked"
    RELEASED = "released"


class LockDecider(StrEnum):
    """What a lock rests on."""

    EVIDENCE = "evidence"
    USER = "user"
    DOCUMENT_ID = "document_id"


class Parent(_Model):
    """One version of one document: what answers may be taken from."""

    parent_id: str = Field(description="the version's id, ver_…")
    doc_id: str
    title: str
    version_no: int
    is_latest: bool
    source_uri: str


class Candidate(_Model):
    """A parent that may be meant, and what tells it from the others."""

    parent: Parent
    number: int = Field(ge=1, description="to choose it by")
    score: float = Field(description="of its best evidence, 1 for the best parent")
    names_question: float = Field(0.0, description="share of the question its title holds")
    sufficient: bool | None = Field(
        None,
        description="whether its found passages hold what is asked; null where that is not known, "
        "as of a document in another language",
    )
    reason: str = Field("", description="a sentence of the document that tells it apart")
    reason_chunk: str | None = None
    terms: list[str] = Field(default_factory=list, description="words only this candidate has")


class Lock(_Model):
    """The lock as it is after a turn."""

    status: LockStatus = LockStatus.UNLOCKED
    parent: Parent | None = None
    decided_by: LockDecider | None = None
    candidates: list[Candidate] = Field(default_factory=list)
    pending_question: str | None = Field(None, description="to be answered once one is chosen")
    explanation: dict[str, Any] = Field(
        default_factory=dict, description="the figures of the decision and their thresholds"
    )


class EvidenceChunk(_Model):
    """One chunk an answer may use."""

    chunk_id: str
    block_type: str
    section_path: str
    text: str
    content_hash: str = ""
    char_start: int = Field(description="in the document's normalised text")
    char_end: int
    page: int | None = None
    score: float | None = None
    from_ocr: bool | None = None


class EvidenceSet(_Model):
    """All an answer may use: chunks of the locked parent, each once."""

    parent_id: str
    doc_id: str
    question_kind: str
    required: list[str] = Field(default_factory=list, description="block types that must be there")
    optional: list[str] = Field(default_factory=list)
    rebuilt_because: str = Field("", description="section 7.2: why it was not kept")
    chunks: list[EvidenceChunk] = Field(default_factory=list)

    @property
    def chunk_ids(self) -> list[str]:
        return [chunk.chunk_id for chunk in self.chunks]


class Missing(_Model):
    """Something asked for that the evidence does not hold."""

    kind: Literal["block_type", "number", "name", "answer_type", "words", "text"]
    what: str


class Sufficiency(_Model):
    """Whether the evidence holds what is asked."""

    sufficient: bool
    confidence: float = Field(ge=0, le=1)
    threshold: float = Field(ge=0, le=1)
    features: dict[str, float] = Field(default_factory=dict)
    missing: list[Missing] = Field(default_factory=list)


class Check(StrEnum):
    """What each sentence is checked for."""

    EVIDENCE = "evidence"
    WORDING = "wording"
    NUMBERS = "numbers"
    UNITS = "units"
    NAMES = "names"
    NEGATION = "negation"


class CheckResult(_Model):
    check: Check
    passed: bool
    detail: str = ""


class Span(_Model):
    """Where a sentence stands: in the chunk's text, and in the document's."""

    chunk_id: str
    start: int
    end: int
    char_start: int
    char_end: int
    page: int | None = Field(None, description="on which its words begin")
    page_end: int | None = None
    boxes: list[Box] = Field(default_factory=list)
    from_ocr: bool | None = Field(
        None, description="read from a picture: start and end are in what was read"
    )


class MapEntry(_Model):
    """One sentence of the output and the chunks it rests on (section 6.2)."""

    output_section: str
    sentence: int = Field(ge=0, description="place in the output")
    text: str
    heading: str = Field(
        "", description="above it in the document, shown before it where it holds what is asked"
    )
    used_chunks: list[str]
    spans: list[Span]
    checks: list[CheckResult]

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.checks)


class OutputSection(_Model):
    """A part of the output: ``ingredients``, ``steps``, ``notes``, ``answer``, ``support`` …"""

    name: str
    title: str
    sentences: list[int] = Field(description="indices into generation_map")


class Contradiction(_Model):
    """Two sentences of the parent that cannot both be true."""

    about: str
    first: Span
    first_text: str
    second: Span
    second_text: str


class Insufficient(_Model):
    """Why there is no answer, and what can be done."""

    missing: list[Missing] = Field(default_factory=list)
    parent_holds: list[str] = Field(default_factory=list, description="its sections")
    options: list[Literal["release", "other_version", "rephrase", "other_document"]] = Field(
        default_factory=list
    )
    other_versions: list[str] = Field(default_factory=list)
    other_documents: list[Parent] = Field(
        default_factory=list, description="that seem to hold it, once the lock is released"
    )


class GeneratorRun(_Model):
    """Who wrote the answer."""

    provider_id: str
    prompt_profile_id: str = ""
    model: str = ""
    model_version: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = Field(None, description="by the price the strategy states")
    generation_failed: bool = False
    fallback_mode: str | None = None
    failure_code: str | None = None
    cut: list[MapEntry] = Field(
        default_factory=list, description="sentences that did not pass, never shown"
    )


class AnswerStatus(StrEnum):
    """How a turn ended."""

    ANSWERED = "answered"
    CHOICE = "choice"
    INSUFFICIENT = "insufficient"
    NOTHING_FOUND = "nothing_found"
    RELEASED = "released"


class Answer(_Model):
    """One turn of a conversation."""

    version: str = ANSWER_VERSION
    session_id: str
    turn: int = Field(ge=1)
    question: str = Field(description="what was answered; after a choice, the one that waited")
    asked: str = Field("", description="what was said, word for word")
    named: str | None = Field(None, description="the parent the caller named")
    status: AnswerStatus
    language: str
    text: str = Field(description="for a reader, Markdown")
    lock: Lock
    evidence_set: EvidenceSet | None = None
    sufficiency: Sufficiency | None = None
    sections: list[OutputSection] = Field(default_factory=list)
    generation_map: list[MapEntry] = Field(default_factory=list)
    contradictions: list[Contradiction] = Field(default_factory=list)
    insufficient: Insufficient | None = None
    generator: GeneratorRun | None = None
    warnings: list[str] = Field(default_factory=list)
    snapshot: int
    strategy_config_id: str
    answered_at: datetime
    took_ms: float = 0.0
    retrieval_ms: float = 0.0
    trace_id: str = ""


class Difference(_Model):
    """Something a replay found otherwise than it was recorded."""

    what: str
    recorded: Any = None
    replayed: Any = None


class ReplayedTurn(_Model):
    """One turn of a replay."""

    recorded: Answer
    explanation: list[str] = Field(description="where each step came from")
    differences: list[Difference] = Field(default_factory=list)


class Replay(_Model):
    """A whole conversation, replayed."""

    session_id: str
    equal: bool
    turns: list[ReplayedTurn]
