"""The documentation's examples are what the program really does with the samples."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rag_assets.child_processes.jobs import MODULES_VARIABLE
from rag_query.contracts.pack import EvidencePack
from rag_query.library.home import Home
from rag_query.library.settings import LibrarySettings, Limits
from rag_query.retrieval.defaults import PURPOSES
from rag_query.retrieval.filters import MATRIX
from rag_query.retrieval.open import open_retriever
from rag_query.retrieval.relevance import FEATURES
from tests.e2e.conftest import Excerpta
from tools.evidence_pack_doc import DOCS, DOCUMENT, document

PLANS = sorted((DOCS / "plans").glob("*.json"))


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory, sample_library: Excerpta) -> Excerpta:
    return sample_library.copied(tmp_path_factory.mktemp("documented"))


def test_the_annotated_pack_is_the_one_the_library_gives(samples: Excerpta) -> None:
    written = DOCUMENT.read_text(encoding="utf-8")
    assert _told(document(Home.resolve(samples.home))) == _told(written), (
        "run `python -m tools.evidence_pack_doc HOME` on a library made of data/samples"
    )


def _told(text: str) -> list[str]:
    """Fields, meanings and ids; numbers are the machine's, hashes the strategy's."""
    text = re.sub(r"[0-9a-f]{8}…", "#", text)
    return re.sub(r"-?\d+\.\d+(?:e-?\d+)?|\b\d+\b", "#", text).splitlines()


@pytest.mark.parametrize("path", PLANS, ids=[path.stem for path in PLANS])
def test_every_plan_runs_with_nothing_ignored(samples: Excerpta, path: Path) -> None:
    with open_retriever(Home.resolve(samples.home), sinks=()) as retriever:
        pack = retriever.run(json.loads(path.read_text(encoding="utf-8")))
        again = retriever.run(pack.plan or {})
    assert pack.evidences
    assert pack.warnings == []
    assert pack.explain.ignored_fields == []
    assert [e.id for e in again.evidences] == [e.id for e in pack.evidences]


def test_a_plan_runs_from_the_command_line(samples: Excerpta) -> None:
    plan = str(DOCS / "plans" / "relational.json")
    pack = EvidencePack.model_validate(samples.json("query", "--plan", plan))
    assert pack.explain.queries[0].entities
    assert any(leg.path for e in pack.evidences for leg in e.signals.legs)


def test_the_table_of_filters_is_the_matrix() -> None:
    text = (DOCS / "plans" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| ([\w ]+) \|$", text, re.MULTILINE)
    hard = [(row.field, "hard", "pre", "excluded") for row in MATRIX]
    soft = [(f"prefer_{name}", "soft", "rerank", "not boosted") for name in FEATURES]
    assert rows == hard + soft


def test_the_table_of_purposes_is_what_they_fill_in() -> None:
    text = (DOCS / "plans" / "README.md").read_text(encoding="utf-8")
    table = text.partition("## Purposes")[2].partition("##")[0]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", table, re.MULTILINE)
    told = {name: [cell.strip() for cell in cells.split("|")] for name, cells in rows}
    assert told == {
        name: [
            str(filled.top_k),
            str(filled.by_document or ""),
            "true" if filled.include_raw else "",
            str(filled.snippet_chars or ""),
            filled.why,
        ]
        for name, filled in PURPOSES.items()
    }


def test_every_setting_is_listed_with_its_default() -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    listed = {
        name: default
        for names, default in re.findall(r"^\| (`[\w`, ]+`) \| (.*?) \|", text, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", names)
    }
    fields = LibrarySettings.model_fields | Limits.model_fields
    variables = {
        name
        for folder in ("rag_query", "rag_assets", "mcp_app")
        for path in (DOCS.parent / folder).rglob("*.py")
        for name in re.findall(r'"(EXCERPTA_[A-Z_]+)"', path.read_text(encoding="utf-8"))
    }
    assert listed.keys() == fields.keys() | variables - {MODULES_VARIABLE}
    for name, field in fields.items():
        if isinstance(field.default, int | float | str) and name != "settings_version":
            assert listed[name].strip("`") == str(field.default).removesuffix(".0"), name
