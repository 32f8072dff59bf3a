"""Which sentences of a parent answer a question about a fact, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rag_query.contracts.answer import Parent
from rag_query.generation.answers.draft import Draft
from rag_query.generation.answers.extractive import ExtractiveGenerator, ExtractiveParams
from rag_query.generation.evidence.evidence_set import Asked, build_evidence
from rag_query.generation.evidence.kinds import DEFAULT_KINDS
from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.passages.sentences import SourceChunk
from rag_query.generation.questions.question import read_question
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk


def drafted(question: str, chunks: Sequence[SourceChunk], analyzer: Analyzer) -> Draft:
    """What the default generator says to a question about a fact."""
    held = [frozenset(analyzer.tokens(f"{c.section_path} {c.text}")) for c in chunks]
    read = read_question(question, analyzer, lambda t: sum(t in tokens for tokens in held), 20)
    parent = Parent(
        parent_id="ver_1", doc_id="doc_1", title=chunks[0].title, version_no=1, is_latest=True,
        source_uri="file:///a.md",
    )  # fmt: skip
    built = build_evidence(
        Asked(read, DEFAULT_KINDS[-1]),
        ParentText(parent, tuple(chunks)),
        chunks,
        ByFeatures(SufficiencyParams()),
        analyzer,
    )
    return ExtractiveGenerator(ExtractiveParams()).generate(
        read, DEFAULT_KINDS[-1], built, lambda _: None
    )


def texts(draft: Draft) -> list[str]:
    return [sentence.text for sentence in draft.sentences]


def test_of_equals_the_sentence_below_a_heading_about_the_question_answers(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    paid = chunk("质保金在质量保证期届满后 30 日内付清。", section="第四条 价款支付")
    term = chunk("质量保证期为验收合格之日起 24 个月。", section="第六条 质量保证期")
    found = drafted("质量保证期多长时间", [paid, term], analyzer)
    assert texts(found)[0] == "质量保证期为验收合格之日起 24 个月。"
    # Nothing above tells these apart: the first in the document goes first.
    plain = [chunk("质量保证期为 24 个月。"), chunk("质量保证期为 30 个月。")]
    assert texts(drafted("质量保证期多长时间", plain, analyzer))[0] == "质量保证期为 24 个月。"


FAQ = (
    "问1：水费怎么缴纳？\n\n答：到营业厅柜台缴纳。\n\n"
    "问2：水表不走字怎么办？\n\n答：请拨打热线 96390 报修。故障期间按平均用水量计算。"
)
MOORING = "**Q: Can I charge batteries?**\n\nA: Only at berths 10 to 20.\n\n**Q: Is there a shop?**"


def test_a_question_of_the_document_is_answered_by_what_follows_it(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    assert texts(drafted("水表不走字怎么办", [chunk(FAQ)], analyzer)) == [
        "答：请拨打热线 96390 报修。",
        "故障期间按平均用水量计算。",
    ]
    assert texts(drafted("Can I charge batteries?", [chunk(MOORING)], analyzer)) == [
        "A: Only at berths 10 to 20."
    ]


def test_a_heading_that_asks_is_answered_by_the_text_below_it(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    listed = chunk("- How do I reset my device?\n- How do I pay?", "list", section="Support")
    reset = chunk("Hold the red button. The lamp blinks.", section="A / How do I reset my device?")
    found = drafted("How do I reset my device?", [listed, reset], analyzer)
    assert texts(found) == ["Hold the red button.", "The lamp blinks."]


def test_what_a_heading_asks_is_answered_by_what_follows_in_order(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    stops = chunk(
        "During a restore the counter stands still for long.\n\n"
        "It waits for the tape to be wound back.\n\n"
        "You can watch the tape through the window.\n\n"
        "An old counter may need a restore of its settings, which takes some time.",
        section="A / Why does the counter stop during a restore?",
    )
    other = chunk("A restore needs the counter.", section="Parts")
    found = drafted("Why does the counter stop during a restore?", [other, stops], analyzer)
    assert texts(found)[1:] == [
        "It waits for the tape to be wound back.",
        "You can watch the tape through the window.",
    ]


def test_a_sentence_that_leads_to_a_command_brings_it(chunk: MakeChunk, analyzer: Analyzer) -> None:
    text = (
        "可以。\n\n删除之前会检查旧索引是否正在使用。因此，请运行：\n\n"
        "```\nstore drop --index OLD\n```\n\n其他索引不受影响。"
    )
    found = drafted("怎样删除旧索引？", [chunk(text, section="A / 可以删除旧索引吗？")], analyzer)
    assert "store drop --index OLD" in texts(found)
    why = drafted("为什么要检查旧索引？", [chunk(text, section="A / 旧索引")], analyzer)
    assert "store drop --index OLD" not in texts(why)


def test_how_to_do_something_is_told_by_the_section_named_after_it(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    use = chunk("The machine dries glassware and filters.", section="M / 1.1 Intended use")
    steps = chunk("1. Press OPEN.\n2. Close the lid.", "list", section="M / 2.1 Drying glassware")
    assert texts(drafted("how do I dry glassware", [use, steps], analyzer))[0] == "Press OPEN."
    # Of what is not asked how, the sentence that says it is the answer.
    found = drafted("Which machine dries glassware?", [use, steps], analyzer)
    assert texts(found)[0] == "The machine dries glassware and filters."


CHANGES = "- New: TLS for the uplink.\n- Removed: support for Telnet."


@pytest.mark.parametrize(
    ("question", "section", "heading"),
    [
        ("When was firmware 2.4.0 released?", "F / 2.4.0 (2025-03-18)", "2.4.0 (2025-03-18)"),
        ("Which version removed Telnet?", "F / 2.4.0 (2025-03-18)", "2.4.0 (2025-03-18)"),
        ("Which version removed Telnet?", "F / Firmware 2.4.0", "Firmware 2.4.0"),
        ("Which version removed Telnet?", "F / [2.4.0] - 2025-03-18", "[2.4.0] - 2025-03-18"),
        ("When was Telnet removed?", "F / 18 March 2025", "18 March 2025"),
        ("Which version removed Telnet?", "F / 3.2 Changes", ""),
        ("Which version removed Telnet?", "F / Chapter 3.2", ""),
        ("Which version removed Telnet?", "F / Use (Section 4.1.2)", ""),
        ("When was Telnet removed?", "F / Next meeting on 2025-03-01", ""),
        ("When was Telnet removed?", "F / The march to the sea", ""),
        ("Why was Telnet removed?", "F / 2.4.0 (2025-03-18)", ""),
    ],
)
def test_a_date_or_a_version_that_stands_in_the_heading_alone_is_told_with_the_sentence(
    chunk: MakeChunk, analyzer: Analyzer, question: str, section: str, heading: str
) -> None:
    changes = chunk(CHANGES, "list", section=section)
    found = drafted(question, [changes], analyzer)
    assert [s.heading for s in found.sentences] == [heading, *[""] * (len(found.sentences) - 1)]


LOG = """## 3.5 (2024-02-01)

Added the export call.

## 3.6 (2024-05-01)

Calls have names.

## Known faults

The export call on Windows fails."""


def test_when_something_was_done_is_told_by_what_stands_below_a_date(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    chunks = [chunk(LOG), *(chunk(f"Page {n} was added.") for n in range(8))]
    found = drafted("When was the export call on Windows added?", chunks, analyzer)
    assert [(s.heading, s.text) for s in found.sentences] == [
        ("3.5 (2024-02-01)", "Added the export call."),
        ("3.6 (2024-05-01)", "Calls have names."),
        ("", "The export call on Windows fails."),
    ]


RELEASES = (
    ("F / 2.4.0 (2025-03-18)", "- Export to CSV.\n- Blue lines.\n- Fixed: a crash.\n- Maps."),
    ("F / 2.4.1 (2025-04-18)", "- Red lines."),
    ("F / 1.2.0 (2024-01-05)", "- Search in titles."),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What changed in 2.4.0?", ["Export to CSV.", "Blue lines.", "Fixed: a crash.", "Maps."]),
        ("What is new in version 1.2.0?", ["Search in titles."]),
        ("What does 2.4.1 bring?", ["Red lines."]),
        ("2.4.1有什么变化？", ["Red lines."]),
        ("2.4.1 更新了哪些内容？", ["Red lines."]),
        ("What was fixed in 2.4.0?", ["Fixed: a crash.", "Blue lines.", "Maps."]),
        ("What was removed in 2.4.1?", ["Red lines."]),
    ],
)
def test_what_changed_in_a_version_is_what_stands_below_it(
    question: str, told: list[str], chunk: MakeChunk, analyzer: Analyzer
) -> None:
    chunks = [chunk(text, "list", section=section) for section, text in RELEASES]
    assert texts(drafted(question, chunks, analyzer)) == told


def test_a_date_that_a_sentence_tells_itself_needs_no_heading(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    text = chunk("Firmware was released on 3 May 2025.", section="F / 2025")
    found = drafted("When was firmware released?", [text], analyzer)
    assert found.sentences[0].heading == ""


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("加急配送的运费是多少钱？", "标准配送免费。加急配送的运费 20 元。"),
        ("What does express delivery cost?", "Delivery is free. Express delivery costs 20 euros."),
    ],
)
def test_the_price_of_a_thing_is_not_that_another_is_free(
    question: str, text: str, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    assert "20" in texts(drafted(question, [chunk(text)], analyzer))[0]


def test_an_item_that_is_only_the_name_asked_about_does_not_answer(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    names = chunk("- bodyLimit\n- caseSensitive", "list", section="Options")
    limit = chunk("Its default limit is 1 MiB.", section="Options / bodyLimit")
    found = drafted("What is the default bodyLimit?", [names, limit], analyzer)
    assert texts(found)[0] == "Its default limit is 1 MiB."


def test_the_passage_with_the_rarest_word_of_the_question_is_shown_too(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    sick = chunk("病假期间工资按基本工资的 80% 发放。", section="病假")
    other = [chunk(f"工资在此期间照常发放{n}。", section="说明") for n in range(2)]
    birth = chunk("| 假别 | 工资 |\n|---|---|\n| 产假 | 全额 |", "table", section="其他")
    found = drafted("产假期间工资怎么发放？", [sick, *other, birth], analyzer)
    assert "产假 — 工资: 全额" in texts(found)


LAW = (
    "第五条 供水企业应当检测水质，并公布结果。\n\n第六条 在供水管道两侧，禁止下列行为：\n\n"
    "（一）修建建筑物；\n\n（二）挖坑取土；\n\n（三）堆放易燃物品。\n\n"
    "第七条 停水应当提前通知用户。"
)


def test_a_sentence_that_opens_a_list_brings_its_items(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    found = drafted("第六条禁止哪些行为", [chunk(LAW)], analyzer)
    assert [(s.group, s.text) for s in found.sentences] == [
        ("answer", "第六条 在供水管道两侧，禁止下列行为："),
        ("answer", "（一）修建建筑物；"),
        ("answer", "（二）挖坑取土；"),
        ("answer", "（三）堆放易燃物品。"),
    ]
    assert not found.warnings
    whole = chunk("Forbidden at the pier are:\n\n- nets\n- fires\n\nAsk the office.", section="P")
    found = drafted("What is forbidden at the pier?", [whole], analyzer)
    assert texts(found) == ["Forbidden at the pier are:", "nets", "fires"] and not found.warnings


def test_a_list_in_the_next_chunk_is_brought_as_well(chunk: MakeChunk, analyzer: Analyzer) -> None:
    chunks = [chunk("Forbidden at the pier are:"), chunk("- nets\n- fires", "list")]
    found = drafted("What is forbidden at the pier?", chunks, analyzer)
    assert texts(found) == ["Forbidden at the pier are:", "nets", "fires"]


RULES = (
    ("Rules / Items that may not be brought in", "- umbrellas\n- pets\n- items of glass\n- nets"),
    ("Rules / Duties of the keeper", "1. Air the hall.\n2. Oil the locks.\n3. Lock up.\n4. Sign."),
    ("Rules / Fees", "- Cats: 5 euros\n- Dogs: 8 euros\n- Birds: 2 euros\n- Fish: 1 euro"),
    ("温室 / 禁止带入的物品", "- 火柴\n- 宠物\n- 香水\n- 汽油"),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Which items may not be brought in?",
            ["umbrellas", "pets", "items of glass", "nets"],
        ),
        (
            "What are the duties of the keeper?",
            ["Air the hall.", "Oil the locks.", "Lock up.", "Sign."],
        ),
        ("禁止带入哪些物品？", ["火柴", "宠物", "香水", "汽油"]),
    ],
)
def test_a_list_that_its_heading_names_is_told_whole(
    question: str, told: list[str], chunk: MakeChunk, analyzer: Analyzer
) -> None:
    chunks = [chunk(text, "list", section=section) for section, text in RULES]
    assert texts(drafted(question, chunks, analyzer)) == told


LEAFLET = (
    ("Leaflet / Do not take Torva", "- if you are allergic to soya;\n- if you are ill;\n- at sea."),
    ("Leaflet / Take care", "Talk to your doctor before taking Torva if you drink wine."),
    ("租车须知 / 谁不能租车", "- 酒后的人；\n- 孕妇。\n\n租车的人应当年满 18 岁。"),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Who must not take Torva?",
            ["if you are allergic to soya;", "if you are ill;", "at sea."],
        ),
        ("Who may not take Torva?", ["if you are allergic to soya;", "if you are ill;", "at sea."]),
        ("谁不能租车？", ["酒后的人；", "孕妇。"]),
    ],
)
def test_what_must_not_be_is_told_by_the_section_whose_heading_denies_it(
    question: str, told: list[str], chunk: MakeChunk, analyzer: Analyzer
) -> None:
    chunks = [chunk(text, "list", section=section) for section, text in LEAFLET]
    found = drafted(question, chunks, analyzer)
    assert [s.text for s in found.sentences if s.group == "answer"] == told


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much is the fee for dogs?", "Dogs: 8 euros"),
        ("What is the fee for dogs?", "Dogs: 8 euros"),
        ("Which of the fees is for fish?", "Fish: 1 euro"),
        ("What does the keeper do with the locks?", "Oil the locks."),
    ],
)
def test_of_a_list_below_a_heading_the_one_item_asked_for_answers(
    question: str, answer: str, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    chunks = [chunk(text, "list", section=section) for section, text in RULES]
    found = drafted(question, chunks, analyzer)
    assert [s.text for s in found.sentences if s.group == "answer"] == [answer]


def test_a_table_that_its_heading_names_is_told_whole_where_several_rows_are_asked_for(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    rows = "\n".join(f"| {letter} | {n}0 |" for n, letter in enumerate("ABCD"))
    grades = chunk(f"| Mark | Points |\n|---|---|\n{rows}", "table", section="School / Grades")
    told = [f"{letter} — Points: {n}0" for n, letter in enumerate("ABCD")]
    assert texts(drafted("Which grades are there?", [grades], analyzer)) == told
    assert texts(drafted("What is grade A?", [grades], analyzer)) == told[:3]


def test_a_list_named_by_its_heading_ends_with_it_and_is_told_with_what_stands_inside(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    rules = chunk(
        "## Forbidden goods\n\n- arms:\n  - knives\n- fuel\n\n## Open\n\n- Monday\n- Friday"
    )
    found = drafted("Which goods are forbidden?", [rules], analyzer)
    assert texts(found) == ["arms:", "knives", "fuel"]


def test_steps_are_told_in_order_with_what_stands_between_them(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    steps = chunk(
        "1. Press OPEN.\n\n   Mind the lid.\n\n2. Insert the glassware.\n3. Close the lid.\n\n"
        "Dry filters apart.",
        section="M / 2.1 Drying glassware",
    )
    found = drafted("how do I dry glassware", [steps], analyzer)
    assert texts(found) == [
        "Press OPEN.",
        "Mind the lid.",
        "Insert the glassware.",
        "Close the lid.",
    ]


def test_a_very_long_list_says_how_much_of_it_is_left_out(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    items = "\n".join(f"- thing {number}" for number in range(23))
    found = drafted(
        "What is forbidden at the pier?",
        [chunk(f"Forbidden at the pier are:\n\n{items}")],
        analyzer,
    )
    assert texts(found)[:2] == ["Forbidden at the pier are:", "thing 0"]
    assert len(found.sentences) == 21
    assert found.warnings == ("The list goes on in the document; sentences left out here: 3.",)


def test_of_two_sentences_alike_the_one_about_the_setting_asked_answers(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    text = chunk("`retry` is 3 by default.\n\n`max_retry` is 9 by default, which is the most.")
    found = drafted("What is the default of max_retry?", [text], analyzer)
    assert texts(found)[0].startswith("max_retry is 9")


def test_a_step_that_opens_a_list_of_its_own_brings_that_alone(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    steps = chunk("1. Press OPEN.\n2. Sort the glassware by size:\n\n   - flasks\n\n3. Close it.")
    found = drafted("Which size has the glassware?", [steps], analyzer)
    assert texts(found)[:2] == ["Sort the glassware by size:", "flasks"]
    assert [s.group for s in found.sentences].count("answer") == 2


def test_a_list_ends_where_the_next_question_stands(chunk: MakeChunk, analyzer: Analyzer) -> None:
    listed = chunk("Is there a fee?\n\nYes, for:\n\n- boats\n\nIs there a shop?\n\n- No.")
    assert texts(drafted("Is there a fee?", [listed], analyzer)) == ["Yes, for:", "boats"]


def test_a_passage_that_names_someone_is_told_before_one_that_only_speaks_of_the_office(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    leave = chunk("Diving needs the leave of the harbour master.", section="Diving")
    name = chunk("Ada Stern is the master of the harbour.", section="People")
    found = drafted("Who is the harbour master?", [leave, name], analyzer)
    assert texts(found)[0] == "Ada Stern is the master of the harbour."


CIDER = "Pressing apples into cider"
STEPS = "1. Wash the fruit.\n2. Grind it to pulp.\n3. Fill the press slowly."


@pytest.mark.parametrize(
    "question",
    [
        "How are apples pressed into cider?",
        "How do I press apples into cider?",
        "What are the steps of pressing apples?",
    ],
)
def test_steps_answer_how_something_is_done(
    question: str, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    parts = [
        chunk("Version 4, by Ines Faro.", section=CIDER, title=CIDER),
        chunk(STEPS, "list", section=f"{CIDER} / Procedure", title=CIDER),
        chunk("Apples pressed in October keep best.", section=f"{CIDER} / Care", title=CIDER),
    ]
    assert texts(drafted(question, parts, analyzer))[:3] == [
        "Wash the fruit.", "Grind it to pulp.", "Fill the press slowly.",
    ]  # fmt: skip


def test_of_steps_asked_for_the_one_in_the_words_of_the_heading_is_not_all(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    listed = chunk(
        "1. Warn the crew.\n2. Restart the pump.\n3. Read the gauge.",
        "list",
        section="Pump manual / Restarting the pump",
        title="Pump manual",
    )
    steps = drafted("What are the steps to restart the pump?", [listed], analyzer)
    assert texts(steps) == ["Warn the crew.", "Restart the pump.", "Read the gauge."]
    assert texts(drafted("How do I warn the crew?", [listed], analyzer))[0] == "Warn the crew."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How much does swimming cost on Friday?", "On Friday swimming costs 3 euros."),
        ("How much does swimming cost on Tuesday?", "On weekdays swimming costs 5 euros."),
    ],
)
def test_a_day_that_is_otherwise_goes_before_the_span_that_holds_it(
    question: str, told: str, chunk: MakeChunk, analyzer: Analyzer
) -> None:
    said = "On weekdays swimming costs 5 euros. On Friday swimming costs 3 euros."
    assert texts(drafted(question, [chunk(said)], analyzer))[0] == told


def test_how_long_the_steps_take_is_not_told_by_the_steps(
    chunk: MakeChunk, analyzer: Analyzer
) -> None:
    title = "Cleaning the still"
    parts = [
        chunk("The procedure takes 90 minutes.", section=title, title=title),
        chunk(
            "1. Drain it for 20 minutes.\n2. Rinse it.", "list",
            section=f"{title} / Procedure", title=title,
        ),
    ]  # fmt: skip
    told = drafted("How long does the procedure take?", parts, analyzer)
    assert texts(told)[0] == "The procedure takes 90 minutes."


LEASE = (
    "# Lease\n\nRent paid late bears interest.\n\nThe monthly rent is 900 euros.\n\n"
    "The keys are handed over on 1 May.\n\nThe deposit is 1,800 euros."
)


def test_of_two_things_asked_for_each_is_answered(chunk: MakeChunk, analyzer: Analyzer) -> None:
    both = [chunk(part) for part in LEASE.split("\n\n")[1:]]
    found = drafted("How much are the rent and the deposit?", both, analyzer)
    assert [s.text for s in found.sentences if s.name == "answer"] == [
        "The monthly rent is 900 euros.", "The deposit is 1,800 euros.",
    ]  # fmt: skip
    rent = chunk("月租金为3000元。")
    deposit = chunk("押金为6000元，退租时退还。")
    told = drafted("房屋的租金和押金是多少？", [rent, deposit], analyzer)
    assert texts(told)[:2] == ["月租金为3000元。", "押金为6000元，退租时退还。"]


SETTINGS = """#### `ca`

* Default: null
* Type: String, can be set several times

The certificate of the authority that signs the registry's own.

#### `ca-file`

* Default: none

A path to a file. Similar to the ca setting, but for several authorities.

#### `dry-run`

* Default: null

Nothing is written.
"""


def test_what_a_heading_names_is_told_below_it(chunk: MakeChunk, analyzer: Analyzer) -> None:
    more = [chunk(f"Part {n} of the settings may be set later.") for n in range(9)]
    made = [*more, chunk(SETTINGS, title="Configuration", section="Configuration")]
    asked = "What is the ca setting?"
    assert texts(drafted(asked, made, analyzer))[0].startswith("The certificate of the authority")
    faq = chunk("Each tenant is a customer.", section="What is a tenant?")
    keys = chunk("A tenant needs a key.", section="Tenants")
    first = texts(drafted("What is a tenant?", [*more, faq, keys], analyzer))[0]
    assert first == "Each tenant is a customer."
    asked = "What is the default of dry-run?"
    answer = drafted(asked, made, analyzer).sentences[0]
    assert answer.text == "Default: null"
    assert answer.sources[0].headings[-1] == "dry-run"
