"""What a question is taken to ask for: words count once, some are left to the question before."""

from __future__ import annotations

import time

import pytest

from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams
from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.follow_up import continued
from rag_query.generation.questions.question import Question, read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.generation.vocabulary.answer_types import AnswerType
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


def read(text: str, analyzer: Analyzer) -> Question:
    return read_question(text, analyzer, lambda _: 1, 100)


@pytest.mark.parametrize(
    ("text", "word", "parts"),
    [
        ("实验室最多能存放多少硫酸？", "硫酸", {"实验", "实验室"}),
        ("What was new in firmware 2.5.0?", "firmwar", {"2.5.0", "2.5"}),
    ],
)
def test_a_word_and_its_parts_count_once(
    text: str, word: str, parts: set[str], analyzer: Analyzer
) -> None:
    terms = read(text, analyzer).terms
    assert sum(terms[part] for part in parts) == pytest.approx(terms[word])


def test_a_word_of_several_parts_counts_as_much_as_they_do(analyzer: Analyzer) -> None:
    terms = read("人民法院的电话是多少？", analyzer).terms
    court = sum(terms[part] for part in ("人民法院", "人民", "民法", "法院"))
    assert court == pytest.approx(3 * terms["电话"])


def test_a_character_alone_is_part_of_no_word(analyzer: Analyzer) -> None:
    terms = read("工作满12年的员工有几天年休假？", analyzer).terms
    assert terms["年"] == pytest.approx(terms["工作"])


def test_words_that_merely_share_letters_count_each_for_itself(analyzer: Analyzer) -> None:
    terms = read("Does the car carry cars by carrier?", analyzer).terms
    assert len(set(terms.values())) == 1


WARRANTY = (
    "整机保修一年，电池保修六个月，桨叶不在保修范围内。\n\n电池容量为5200毫安时，充满约需70分钟。"
)


def best(question: Question, text: str, analyzer: Analyzer, chunk: MakeChunk) -> str | None:
    """The first sentence of an answer; None where there is none."""
    scored = score_sentences(question, statements_of([chunk(text)]), analyzer)
    if not ByFeatures(SufficiencyParams()).judge(question, scored).sufficient:
        return None
    return max(scored, key=lambda s: s.score).sentence.text


def test_what_is_asked_of_one_thing_is_asked_of_the_next(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    first = read("整机保修多久？", analyzer)
    battery = continued(read("电池呢？", analyzer), first, analyzer)
    assert battery.answer_type is AnswerType.NUMBER and battery.units == first.units
    said = best(battery, WARRANTY, analyzer, chunk)
    assert said is not None and said.startswith("整机保修一年")
    camera = continued(read("摄像头呢？", analyzer), battery, analyzer)
    assert best(camera, WARRANTY, analyzer, chunk) is None


def test_the_accuracy_of_another_model(analyzer: Analyzer, chunk: MakeChunk) -> None:
    sheet = "The accuracy of the K40 is 5 %.\n\nThe weight of the large K40 is 240 g.\n\n"
    sheet += "The accuracy of the large K40 is 3 %."
    first = read("What is the accuracy of the K40?", analyzer)
    large = continued(read("And of the large K40?", analyzer), first, analyzer)
    assert best(large, sheet, analyzer, chunk) == "The accuracy of the large K40 is 3 %."
    price = continued(read("What is its price?", analyzer), large, analyzer)
    assert best(price, sheet, analyzer, chunk) is None


def test_when_it_was_added_is_not_told_by_what_was_asked_before(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    text = "## 3.5 (2024-02-01)\n\nAdded it: export.\n\n## Faults\n\nThe export call fails on Macs."
    before = read("On which system does the export call fail?", analyzer)
    asked = continued(read("When was it added?", analyzer), before, analyzer)
    assert best(asked, text, analyzer, chunk) == "Added it: export."


def test_another_version_takes_the_place_of_the_one_before(analyzer: Analyzer) -> None:
    first = read("Which bug was fixed in version 2.4.1?", analyzer)
    second = continued(read("And in version 2.4.0?", analyzer), first, analyzer)
    assert [set(each.values) for each in second.stated] == [{"2.4.0"}]
    assert "2.4.1" not in second.terms and "fix" in second.terms
    third = continued(read("When was it released?", analyzer), second, analyzer)
    assert third.stated == second.stated and third.answer_type is AnswerType.DATE


ROOMS = "The Alder Room seats 40 and costs 25 euros. The Birch Room seats 12 and costs 9 euros."


def test_another_room_takes_the_place_of_the_one_before(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    first = read("How much is the Alder Room?", analyzer)
    second = continued(read("And the Birch Room?", analyzer), first, analyzer)
    assert "alder" not in second.terms and "room" in second.terms
    third = continued(read("How many people does it seat?", analyzer), second, analyzer)
    assert best(third, ROOMS, analyzer, chunk) == "The Birch Room seats 12 and costs 9 euros."
    # Of another kind is what the room is asked about for.
    bank = continued(read("And for the Harbour Bank?", analyzer), first, analyzer)
    assert {"alder", "room", "harbour", "bank"} <= bank.terms.keys()


@pytest.mark.parametrize(
    "text",
    [
        "".join(map(chr, range(0x4E00, 0x4E00 + 20_000, 5))),
        " ".join(f"word{n}a" for n in range(2000)),
        " ".join(f"e-{n}" for n in range(3000)),
        "-".join(f"a{n}" for n in range(3000)),
        " ".join("x" * n for n in range(1, 200)),
    ],
    ids=("characters", "words", "codes", "one code", "lengths"),
)
def test_a_pasted_text_is_read_in_time_that_grows_with_it(text: str, analyzer: Analyzer) -> None:
    began = time.process_time()
    assert read(text, analyzer).subjects
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "text",
    ["需要什么材料？", "谁负责呢？", "And who pays for the pump?", "How heavy is the pump?"],
)
def test_a_question_that_asks_by_itself_stands_alone(text: str, analyzer: Analyzer) -> None:
    question = read(text, analyzer)
    assert continued(question, read("产假有多少天？", analyzer), analyzer) == question


BERLIN = "The Berlin office is in Linden Street. Its manager is Karin Vogel. It opens at 8:30."
OSLO = "The Oslo office is beside the tram stop. Its manager is Jonas Lie."


def test_there_and_they_stand_for_what_was_asked_before(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    first = read("Where is the Oslo office?", analyzer)
    people = continued(read("How many people work there?", analyzer), first, analyzer)
    assert "oslo" in people.terms
    manager = continued(read("Who is its manager?", analyzer), people, analyzer)
    chunks = [chunk(BERLIN, section="A"), chunk(OSLO, section="B")]
    scored = score_sentences(manager, statements_of(chunks), analyzer)
    assert max(scored, key=lambda s: s.score).sentence.text == "Its manager is Jonas Lie."
    for text in ("Is there a fee?", "How many rooms are there?", "其他费用由谁承担？"):
        assert continued(read(text, analyzer), first, analyzer).before == ""


def test_a_name_that_stands_nowhere_goes_on_into_the_next_question(analyzer: Analyzer) -> None:
    held = set(analyzer.tokens(BERLIN + OSLO))

    def asked(text: str) -> Question:
        return read_question(text, analyzer, lambda token: int(token in held), 100)

    first = asked("Where is the Madrid office?")
    assert continued(asked("Who is its manager?"), first, analyzer).unknown == {"Madrid"}
    assert continued(asked("And the Oslo office?"), first, analyzer).unknown == set()


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [("What is the extension of IT?", False), ("What is the extension of it?", True)],
)
def test_a_department_of_that_name_stands_for_nothing_said_before(
    text: str, goes_on: bool, analyzer: Analyzer
) -> None:
    first = read("Where is the Oslo office?", analyzer)
    assert bool(continued(read(text, analyzer), first, analyzer).before) is goes_on


RELEASES = {
    "2.4.1 (2025-04-02)": "Fixed: the clock drifted. 修复：时钟偏差。",
    "2.4.0 (2025-03-18)": "New: a report. 新增：报告。",
}


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("What was new in version 2.4.0?", "When was it released?"),
        ("2.4.0版新增了什么？", "它什么时候发布的？"),
    ],
)
def test_a_version_was_released_at_the_date_of_its_heading(
    before: str, text: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    question = continued(read(text, analyzer), read(before, analyzer), analyzer)
    chunks = [chunk(said, section=heading) for heading, said in RELEASES.items()]
    scored = score_sentences(question, statements_of(chunks), analyzer)
    assert ByFeatures(SufficiencyParams()).judge(question, scored).sufficient
    first = max(scored, key=lambda s: s.score).sentence
    assert first.chunk.section_path == "2.4.0 (2025-03-18)"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("May the Supplier use subcontractors in Norway?", ("Supplier", "Norway")),
        ("Compare the Kestrel and the Puma", ("Kestrel", "Puma")),
        ("Without Warfarin, how long does it take?", ("Warfarin",)),
        ("Does the Kestrel have a horn?", ("Kestrel",)),
        ("Is Will Smith tall?", ("Will Smith",)),
        ("Torvalin 的最大剂量是多少？", ("Torvalin",)),
        ("请问 Torvalin 的最大剂量是多少？", ("Torvalin",)),
    ],
)
def test_a_name_is_read_without_the_word_a_sentence_begins_with(
    question: str, names: tuple[str, ...], analyzer: Analyzer
) -> None:
    assert read_question(question, analyzer, lambda _: 1, 30).names == names
