"""How near sentences are in meaning to a question in another language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams
from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.meaning import nearness
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk

ASKED = "咖啡机怎么清洗？"
CLEANING = "Rinse the coffee machine with warm water."


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Code is as near to every question; what is about coffee is near to that about it alone."""
    rows = [
        [1.0, 0.0, 0.0] if text.isascii() and "coffee" not in text
        else [0.9, 0.43589, 0.0] if "coffee" in text or text == ASKED
        else [0.9, 0.0, 0.43589]
        for text in texts
    ]  # fmt: skip
    return np.asarray(rows, np.float32)


def test_what_is_near_to_every_question_does_not_lead() -> None:
    code, about = nearness(ASKED, "zh", ["deleteScope: DeleteScope;", CLEANING], embed)
    assert code.cosine == pytest.approx(0.9) and code.lead == pytest.approx(0, abs=1e-6)
    assert about.cosine == pytest.approx(1) and about.lead == pytest.approx(0.19, abs=0.001)


@pytest.mark.parametrize(
    ("text", "sufficient"),
    [
        ("deleteScope: DeleteScope;", False),
        (CLEANING, True),
        (f"The machine.\n\n```js\ncoffee(); // {CLEANING}\n```", False),
    ],
)
def test_a_line_of_code_answers_no_question_in_another_language(
    text: str, sufficient: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    question = read_question(ASKED, analyzer, lambda _: 0, 20)
    scored = score_sentences(question, statements_of([chunk(text)]), analyzer, embed=embed)
    judge = ByFeatures(SufficiencyParams(across_languages=0.79))
    assert judge.judge(question, scored).sufficient is sufficient


def test_the_sentence_that_is_near_holds_what_is_asked_for(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    asked = "How much is the coffee?"
    question = read_question(asked, analyzer, lambda _: 0, 20)
    judge = ByFeatures(SufficiencyParams(across_languages=0.79))

    def near_to_coffee(texts: Sequence[str]) -> NDArray[np.float32]:
        about = [text == asked or "咖啡" in text for text in texts]
        return np.asarray([[1, 0] if each else [0, 1] for each in about], np.float32)

    for text, sufficient in (("咖啡很香。\n\n茶5元。", False), ("咖啡5元。\n\n茶很香。", True)):
        said = statements_of([chunk(text)])
        scored = score_sentences(question, said, analyzer, embed=near_to_coffee)
        assert judge.judge(question, scored).sufficient is sufficient


def test_the_subject_of_a_document_tells_none_of_its_sentences_from_another(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    heard: list[str] = []

    def hear(texts: Sequence[str]) -> NDArray[np.float32]:
        heard.extend(texts)
        return embed(texts)

    said = statements_of([chunk("Torvalin tablets are green.\n\nAt most 80 mg a day.")])
    question = read_question("Torvalin 每天最多吃多少 mg？", analyzer, lambda _: 1, 20)
    scored = score_sentences(question, said, analyzer, embed=hear)
    assert heard[0].strip() == "每天最多吃多少 mg？"
    assert max(scored, key=lambda each: each.score).sentence.text == "At most 80 mg a day."
