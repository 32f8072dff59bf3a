"""What a question is about and the whole of a document does not speak of, whichever passages of it
are looked at: a name that stands nowhere in the library, a thing by its number, and what is asked
whether it is supported or offered."""

from __future__ import annotations

import re

from rag_query.contracts.answer import Missing
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.questions.question import Question
from rag_query.generation.questions.stated import StatedKind
from rag_query.generation.questions.unknown_names import is_said
from rag_query.generation.vocabulary.facts import han_names, plain

#: What else is stated is looked for in the passages: they must name it themselves, or may leave it
#: unsaid.
_NUMBERED = (StatedKind.RELEASE, StatedKind.WITH_HAO)
#: What asks whether there is something, which stands behind it: 支持农历吗. In English too many
#: such words are general ones for what a document names ("Does it offer meals?": breakfast).
_OFFERS = re.compile(
    r"(?:支持|提供|配有|配备|附带|自带|包含)(?P<what>[\u4e00-\u9fff]{2,10})[吗么]\W*$"
)


def absent_from(question: Question, parent: ParentText) -> list[Missing]:
    """The unknown names, the numbers of things and what is asked for whether it is offered in a
    question, that a parent nowhere gives."""
    numbered = [each for each in question.stated if each.kind in _NUMBERED]
    offered = _offered(question.text)
    if not (question.unknown or numbered or offered):
        return []
    text = plain(parent.words)
    names = [name for name in sorted(question.unknown) if not is_said(name, text)]
    numbers = [v for each in numbered if not each.may_be_told_in(text) for v in sorted(each.values)]
    words = [word for word in offered if word not in names and not is_said(word, text)]
    found = (("name", names), ("number", numbers), ("words", words))
    return [Missing(kind=kind, what=what) for kind, whats in found for what in whats]


def _offered(text: str) -> list[str]:
    """What a question asks whether it is supported or offered, if a noun says so: the first word,
    as those behind it may name no more than its kind (微信付款方式, 夜间模式)."""
    match = _OFFERS.search(text)
    if match is None:
        return []
    return [word for word in han_names(match["what"], "n") if match["what"].startswith(word)]
