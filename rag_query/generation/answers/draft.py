"""What a generator hands over: sentences in named sections, each naming its chunks.

A draft is not yet an answer; ``release.py`` checks each sentence first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from rag_query.contracts.answer import GeneratorRun
from rag_query.generation.evidence.evidence_set import Built
from rag_query.generation.evidence.kinds import QuestionKind
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.questions.question import Question


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """One sentence.

    Attributes:
        group: ``ingredients``, ``steps``, ``notes``, ``answer``, ``support`` or ``content``.
        name: the output section it belongs to: the group, or ``step_3``.
        sources: where it stands word for word, when it was taken and not written.
        lead: what a reader sees before it: ``3. `` or ``- ``, indented.
        heading: the one above it that holds what is asked for, where the sentence does not.
    """

    group: str
    name: str
    text: str
    chunk_ids: tuple[str, ...]
    sources: tuple[Sentence, ...] = ()
    lead: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A generator's output; without sentences when the evidence does not hold what is asked."""

    sentences: tuple[DraftSentence, ...]
    run: GeneratorRun
    warnings: tuple[str, ...] = field(default=())


#: Called with each sentence as soon as it is whole.
OnSentence = Callable[[DraftSentence], None]


class Generator(Protocol):
    """Provider type ``generator``: writes only from the evidence set it is given."""

    @property
    def provider_id(self) -> str: ...

    def generate(
        self, question: Question, kind: QuestionKind, built: Built, on_sentence: OnSentence
    ) -> Draft: ...
