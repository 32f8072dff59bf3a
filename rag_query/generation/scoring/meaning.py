"""How near sentences are to a question in meaning, where no words can meet.

Cosines of one embedder lie close together, and some texts are near to every question of another
language: a line of code, a link, a heading of two words. What is nearer to this question than to
others in its language is about it (after the hubs of Radovanović et al., JMLR 2010, and the local
scaling of Conneau et al., "Word translation without parallel data", ICLR 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_query.cancellation import checkpoint
from rag_query.text.language import Language

#: texts -> unit vectors, shape (len(texts), dimensions).
Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: Sentences embedded between two looks at whether the answer is still wanted.
_BATCH = 32
#: Questions of all kinds about nothing in particular.
_OTHERS: dict[Language, tuple[str, ...]] = {
    "zh": (
        "今天天气怎么样？", "这本书的作者是谁？", "怎么做这道菜？", "票价是多少？",
        "这家公司是什么时候成立的？", "最近的医院在哪里？", "为什么要多喝水？", "如何注册账号？",
        "这场比赛谁赢了？", "有哪些注意事项？", "这条河有多长？", "是否可以退货？",
    ),
    "en": (
        "What is the weather like today?", "Who is the author of this book?",
        "How is this dish made?", "How much is the ticket?", "When was this company founded?",
        "Where is the nearest hospital?", "Why should one drink more water?",
        "How do I register an account?", "Who won the match?", "What should be noted?",
        "How long is this river?", "Can it be returned?",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Nearness:
    """Of one text and a question.

    Attributes:
        cosine: of both.
        lead: by how much that is above the mean of the cosines with other questions.
    """

    cosine: float
    lead: float


def nearness(
    question: str, language: Language, texts: Sequence[str], embed: Embed
) -> list[Nearness]:
    """How near each text is to a question in that language.

    Raises:
        ExcerptaError: ``CANCELED`` when nobody waits any more, and what ``embed`` raises.
    """
    others = _OTHERS.get(language, ())
    vectors = _embedded([question, *others, *texts], embed)
    asked, background, said = np.split(vectors, [1, 1 + len(others)])
    cosines = said @ asked[0]
    usual = said @ background.mean(axis=0) if others else np.zeros_like(cosines)
    return [
        Nearness(cosine, lead)
        for cosine, lead in zip(cosines.tolist(), (cosines - usual).tolist(), strict=True)
    ]


def _embedded(texts: Sequence[str], embed: Embed) -> NDArray[np.float32]:
    """``embed`` of all texts. Raises ExcerptaError ``CANCELED`` when nobody waits any more."""
    vectors = []
    for start in range(0, len(texts), _BATCH):
        checkpoint()
        vectors.append(embed(texts[start : start + _BATCH]))
    return np.concatenate(vectors)
