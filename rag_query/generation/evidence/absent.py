"""What a question is about and the whole of a document does not speak of, whichever passages of it
are looked at: a name that stands nowhere in the library, and a thing by its number."""

from __future__ import annotations

from rag_query.contracts.answer import Missing
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.questions.question import Question
from rag_query.generation.questions.stated import StatedKind
from rag_query.generation.questions.unknown_names import is_said
from rag_query.generation.vocabulary.facts import plain

#: What else is stated is looked for in the passages: they must name it themselves, or may leave it
#: unsaid.
_NUMBERED = (StatedKind.RELEASE, StatedKind.WITH_HAO)


def absent_from(question: Question, parent: ParentText) -> list[Missing]:
    """The unknown names and the numbers of things in a question that a parent nowhere gives."""
    numbered = [each for each in question.stated if each.kind in _NUMBERED]
    if not (question.unknown or numbered):
        return []
    text = plain(parent.words)
    names = [name for name in sorted(question.unknown) if not is_said(name, text)]
    numbers = [v for each in numbered if not each.may_be_told_in(text) for v in sorted(each.values)]
    return [Missing(kind="name", what=name) for name in names] + [
        Missing(kind="number", what=value) for value in numbers
    ]
