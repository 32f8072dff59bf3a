"""What speaks for a sentence: its words, what stands above it, and its meaning where asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_query.cancellation import Cancellation
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams
from rag_query.generation.passages.sentences import sentences_of, statements_of
from rag_query.generation.questions.question import Question, read_question
from rag_query.generation.scoring.precedence import first_of
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


def read(text: str, analyzer: Analyzer) -> Question:
    return read_question(text, analyzer, lambda _: 1, 100)


def test_what_only_a_small_heading_says_is_not_missing(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    made = chunk(
        "### Having issues?\n\n#### I get ETIMEDOUT errors\n\nCheck your firewall settings.\n\n"
        "#### I get TLS errors\n\nUpgrade the runtime.",
        section="Braised pork / Having issues?",
    )
    question = read("I get ETIMEDOUT errors, what should I do?", analyzer)
    scored = score_sentences(question, sentences_of([made]), analyzer)
    assert max(scored, key=lambda s: s.score).sentence.text == "Check your firewall settings."
    verdict = ByFeatures(SufficiencyParams()).judge(question, scored)
    assert verdict.sufficient and not verdict.missing


def test_the_title_said_again_does_not_outweigh_what_is_asked(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    made = chunk("Braised pork is a dish of the south.\n\nIt is kept in jars.")
    assert made.title == "Braised pork"
    question = read("How is braised pork kept?", analyzer)
    scored = score_sentences(question, statements_of([made]), analyzer)
    assert max(scored, key=lambda s: s.score).sentence.text == "It is kept in jars."


class Embedder:
    """Unit vectors: the first text's own for texts that say yes, across it for others."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        rows = [[1, 0] if "?" in text or "yes" in text else [0, 1] for text in texts]
        return np.asarray(rows, np.float32)


def test_meaning_is_looked_at_in_the_best_passages_of_a_long_document_alone(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    chunks = [chunk("\n\n".join(f"line {n} {m}" for m in range(100))) for n in range(20)]
    chunks[17] = replace(chunks[17], text=chunks[17].text.replace("line 17 5\n", "yes 17\n"))
    chunks[17] = replace(chunks[17], score=0.9)
    embedder = Embedder()
    scored = score_sentences(
        read("哪一行？?", analyzer), sentences_of(chunks), analyzer, embed=embedder
    )
    assert len(scored) == 2000 and len(embedder.texts) < 300
    looked_at = [text for text in embedder.texts if text.startswith(("line", "yes"))]
    assert sum(s.cosine is not None for s in scored) == len(looked_at)
    assert max(scored, key=lambda s: s.score).sentence.text == "yes 17"


def test_an_answer_nobody_waits_for_embeds_no_more(chunk: MakeChunk, analyzer: Analyzer) -> None:
    made = chunk("\n\n".join(f"line {m}" for m in range(200)))
    cancellation = Cancellation()
    calls = 0

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        nonlocal calls
        calls += 1
        cancellation.cancel()
        return np.ones((len(texts), 2), np.float32)

    with cancellation.active(), pytest.raises(ExcerptaError) as raised:
        score_sentences(read("哪一行？", analyzer), sentences_of([made]), analyzer, embed=embed)
    assert raised.value.code is ErrorCode.CANCELED and calls == 1


@pytest.mark.parametrize(
    ("question", "text", "best"),
    [
        (
            "How many days of leave do I get for jury service?",
            "Everyone has 26 days of leave.\n\nJury service is dealt with elsewhere.",
            [False, False],
        ),
        (
            "How many days of leave do I get for jury service?",
            "Everyone has 26 days of leave.\n\nJury service gives 3 days of leave.",
            [False, True],
        ),
        # What begins with "It" speaks of the sentence before.
        (
            "How many days does jury service take?",
            "Leave lasts 26 days. Jury service is paid. It takes 3 days.",
            [False, False, True],
        ),
        # The cutter makes one word of 文周王.
        ("文周王是百济第多少代国王？", "文周王是百济第22代国王。文周迁都熊津。", [True, False]),
    ],
)
def test_a_number_goes_first_by_the_word_that_tells_the_question_from_others(
    chunk: MakeChunk, analyzer: Analyzer, question: str, text: str, best: list[bool]
) -> None:
    common = {"day", "leav", "servic", "百济", "国王", "代", "第"}
    asked = read_question(question, analyzer, lambda t: 40 if t in common else 1, 100)
    scored = score_sentences(asked, sentences_of([chunk(text)]), analyzer)
    assert [each.answers and each.tells_best for each in scored] == best


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("这本书有多少页", "这本书讲述了一个渔夫的故事。全书 320 页。"),
        ("密码最少几位", "密码由字母和数字组成。长度至少 8 位。"),
        ("How heavy is the X200?", "The X200 is a pump for gardens.\n\nWeight: 12 kg"),
        ("Which is recommended, Redis or Kafka?", "- Recommended: Redis\n- Other: NATS"),
        ("警示灯是红色还是绿色？", "- 警示灯：红色\n- 电源灯：蓝色"),
        ("Who is the data controller?", "The data controller is the university."),
        ("审批人是谁？", "审批人是部门经理。"),
    ],
)
def test_what_goes_first_decides_nothing_on_whether_there_is_an_answer(
    chunk: MakeChunk, analyzer: Analyzer, question: str, text: str
) -> None:
    held = [set(analyzer.tokens(t)) for t in (text, "今天天气很好。", "The harbour is deep.")]
    asked = read_question(question, analyzer, lambda t: sum(t in each for each in held), 20)
    scored = score_sentences(asked, sentences_of([chunk(text)]), analyzer)
    assert ByFeatures(SufficiencyParams()).judge(asked, scored).sufficient


def test_a_name_goes_first_where_someone_is_asked_for(chunk: MakeChunk, analyzer: Analyzer) -> None:
    text = "Diving needs the harbour master's leave. Ada Stern is the master of the harbour."
    scored = score_sentences(
        read("Who is the harbour master?", analyzer), sentences_of([chunk(text)]), analyzer
    )
    assert [each.tells_best for each in scored] == [False, True]


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        (
            "When were most of the churches of Warsaw destroyed?",
            "This led to the construction of hundreds of churches in all parts of Warsaw. Most of "
            "them were destroyed in 1944.",
            "Most of them were destroyed in 1944.",
        ),
        (
            "额亦都是在哪一年去世的？",
            "额亦都老年居住在沈阳。天命六年（1621年）去世，追谥弘毅。",
            "天命六年（1621年）去世，追谥弘毅。",
        ),
    ],
)
def test_the_date_of_an_event_goes_first(
    question: str, text: str, told: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    asked = read_question(question, analyzer, lambda _: 1, 20)
    scored = score_sentences(asked, statements_of([chunk(text)]), analyzer)
    ranked = sorted(scored, key=lambda s: s.precedence, reverse=True)
    assert ranked[first_of(asked, ranked)].sentence.text == told


@pytest.mark.parametrize(
    ("question", "section", "told", "other"),
    [
        (
            "How long is the warranty?",
            "Manual / Warranty",
            "The pump is covered for 24 months.",
            " The warranty does not cover dry running.",
        ),
        (
            "整机质保多长时间？",
            "手册 / 质保",
            "自交付之日起 24 个月。",
            "整机质保不含干转造成的损坏。",
        ),
        (
            "How many cups has the Polonia team won?",
            "Warsaw",
            "They won two of them.",
            " The Polonia team has won few friends with its cups.",
        ),
    ],
)
def test_a_number_is_told_first_by_what_is_said_of_the_same_below_one_heading(
    question: str, section: str, told: str, other: str, chunk: MakeChunk
) -> None:
    analyzer = Analyzer()
    said = statements_of([chunk(told + other, section=section)])
    asked = read(question, analyzer)
    scored = score_sentences(asked, said, analyzer)
    ranked = sorted(scored, key=lambda s: s.precedence, reverse=True)
    assert ranked[first_of(asked, ranked)].sentence.text == told


@pytest.mark.parametrize(
    ("question", "section", "about", "other"),
    [
        (
            "How much is the audio guide?",
            "Fees",
            "The audio guide is at the desk.",
            "Lockers: 2 EUR.",
        ),
        ("体检费用是多少？", "福利", "员工每年参加体检。", "宿舍每月收费300元。"),
        (
            "How often is the pump serviced?",
            "Care",
            "The pump is serviced by us.",
            "Rinse filters daily.",
        ),
        ("泵多久保养一次？", "保养", "泵由厂家保养。", "滤网每月清洗。"),
    ],
)
def test_a_number_below_the_same_heading_is_not_told_of_what_it_is_not_about(
    question: str, section: str, about: str, other: str, chunk: MakeChunk
) -> None:
    analyzer = Analyzer()
    asked = read(question, analyzer)
    said = statements_of([chunk(f"{about}\n\n{other}", section=section)])
    scored = score_sentences(asked, said, analyzer)
    ranked = sorted(scored, key=lambda s: s.precedence, reverse=True)
    assert ranked[first_of(asked, ranked)].sentence.text == about


def test_across_languages_a_sum_is_told_by_a_sentence_that_holds_one(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    made = chunk("第七条 不得遗弃 yes 犬只。\n\n遗弃犬只的，处1000元罚款。")
    question = read("What is the fine for abandoning a dog?", analyzer)
    scored = score_sentences(question, sentences_of([made]), analyzer, embed=Embedder())
    ranked = sorted(scored, key=lambda s: s.precedence, reverse=True)
    assert "1000" in ranked[first_of(question, ranked)].sentence.text
