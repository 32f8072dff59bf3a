"""A name of a question that stands nowhere, beside what gives another name or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_query.contracts.answer import Parent
from rag_query.generation.evidence.evidence_set import Asked, Built, build_evidence
from rag_query.generation.evidence.kinds import DEFAULT_KINDS, QuestionKind
from rag_query.generation.evidence.sufficiency import ByFeatures, SufficiencyParams
from rag_query.generation.passages.parent import ParentText
from rag_query.generation.questions.question import Question, read_question
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk

Sections = dict[str, str]

GUIDE: Sections = {
    "Staff Guide / Network": "To connect a TV to the guest network, choose Guest in its settings.",
    "Staff Guide / Client": "To install the client, run it. "
    "On Monday, the client needs 2 GB of disk space.",
    "Staff Guide / Orders": "Orders from outside pay customs.",
}
OFFICES: Sections = {
    "Offices / Berlin": "The office is open from 9:00 to 17:00. It has 40 desks.",
    "Offices / Oslo": "The office is open from 8:00 to 16:00. It has 12 desks.",
}
DESKS: Sections = {
    "Desks": "| Office | Desks |\n|---|---|\n| Berlin | 40 |\n| Oslo | 12 |",
}
STAFF: Sections = {"Staff": "The client was written by Karin Vogel. The client is new."}
HANDBOOK: Sections = {
    "手册 / 差旅": "出差住宿标准每晚不超过500元。",
    "手册 / 包裹": "发往国外的包裹由DHL承运。",
    "手册 / 工资": "每月10号发放工资。",
}
OFFICES_ZH: Sections = {
    "办事处 / 柏林": "办公室位于菩提街14号。",
    "办事处 / 奥斯陆": "办公室位于大街5号。",
}


def built(
    question: Question,
    sections: Sections,
    analyzer: Analyzer,
    chunk: MakeChunk,
    *,
    kind: QuestionKind = DEFAULT_KINDS[-1],
    across: float | None = None,
) -> Built:
    parent = Parent(
        parent_id="ver_1", doc_id="doc_1", title="A", version_no=1, is_latest=True,
        source_uri="file:///a.md",
    )  # fmt: skip
    chunks = tuple(
        chunk(text, "table" if text.startswith("|") else "paragraph", section)
        for section, text in sections.items()
    )
    asked = Asked(question, kind, embed=None if across is None else _alike)
    judge = ByFeatures(SufficiencyParams(across_languages=across, lead_across=0))
    return build_evidence(asked, ParentText(parent, chunks), chunks, judge, analyzer)


def _alike(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.ones((len(texts), 1), dtype=np.float32)


def read(text: str, sections: Sections, analyzer: Analyzer) -> Question:
    held = set(analyzer.tokens(" ".join((*sections, *sections.values()))))
    return read_question(text, analyzer, lambda token: int(token in held), 60)


@pytest.mark.parametrize(
    ("question", "sections"),
    [
        ("How do I connect my Samsung TV to the guest network?", GUIDE),
        ("How do I install the client on Windows?", GUIDE),
        ("How much disk space does the Acme client need?", GUIDE),
        ("Do orders from Switzerland pay customs?", GUIDE),
        ("深圳出差的住宿标准是多少？", HANDBOOK),
        ("发往美国的包裹由谁承运？", HANDBOOK),
        ("我在上海工作，每月几号发放工资？", HANDBOOK),
    ],
)
def test_a_name_beside_the_point_is_no_reason_to_refuse(
    question: str, sections: Sections, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    asked = read(question, sections, analyzer)
    assert asked.unknown
    assert built(asked, sections, analyzer, chunk).sufficiency.sufficient


@pytest.mark.parametrize(
    ("question", "sections", "name"),
    [
        ("When is the Madrid office open?", OFFICES, "Madrid"),
        ("How many desks does the Madrid office have?", OFFICES, "Madrid"),
        ("How many desks does the Madrid office have?", DESKS, "Madrid"),
        ("马德里办公室在哪里？", OFFICES_ZH, "马德里"),
        ("Was the client written by Schmidt?", STAFF, "Schmidt"),
    ],
)
def test_what_is_said_of_another_of_its_kind_is_no_answer(
    question: str, sections: Sections, name: str, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    found = built(read(question, sections, analyzer), sections, analyzer, chunk).sufficiency
    assert not found.sufficient and name in [each.what for each in found.missing]


def test_neither_are_whole_passages_of_another(analyzer: Analyzer, chunk: MakeChunk) -> None:
    steps = QuestionKind(name="steps", required=("paragraph",), output="structured")
    asked = read("What are the steps in the Madrid office?", OFFICES, analyzer)
    found = built(asked, OFFICES, analyzer, chunk, kind=steps)
    assert not found.sufficiency.sufficient and found.is_of_rival


def test_a_name_may_be_written_otherwise_in_another_language(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    asked = read("Where is the office of Berlin and that of Oslo?", OFFICES_ZH, analyzer)
    asked = replace(asked, unknown=frozenset(("Berlin", "Oslo")))
    assert built(asked, OFFICES_ZH, analyzer, chunk, across=0.5).sufficiency.sufficient


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Was the client written by Mr Miller?", ["Mr Miller"]),
        ("Is the client in the Travel Policy by Schmidt?", ["Schmidt", "Travel Policy"]),
        ("Was the client written by Ann in Annaberg?", ["Ann", "Annaberg"]),
    ],
)
def test_what_is_missing_is_told_once(
    question: str, told: list[str], analyzer: Analyzer, chunk: MakeChunk
) -> None:
    found = built(read(question, STAFF, analyzer), STAFF, analyzer, chunk).sufficiency
    assert sorted(each.what for each in found.missing if each.kind == "name") == told
