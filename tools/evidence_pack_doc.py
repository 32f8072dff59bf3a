"""``docs/evidence-pack.md``: a real pack of the sample library, every field with its meaning.

The meanings are those of the models in ``rag_query/contracts``, so they cannot part from the code.
Run ``python -m tools.evidence_pack_doc HOME`` on a library made of ``data/samples``.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from rag_query.contracts.pack import EvidencePack
from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever

DOCS = Path(__file__).parent.parent / "docs"
PLAN = DOCS / "plans" / "hybrid.json"
DOCUMENT = DOCS / "evidence-pack.md"
_WIDTH = 100
_HASH = re.compile(r"\b[0-9a-f]{40,64}\b")
#: Values that differ from run to run or from machine to machine.
_VOLATILE = {
    "plan_id": "0b7c…",
    "generated_at": "2026-…",
    "retrieved_at": "2026-…",
    "created_at": "2026-…",
    "trace_id": "…",
}
_HEAD = """# An EvidencePack, field by field

What `excerpta query --plan docs/plans/hybrid.json --json` answers on a library made of
`data/samples`. The plan is the only input: the effective plan stands in the pack, and gives the
same evidence again on the same snapshot. Times, hashes and addresses are shortened; numbers depend
a little on the machine. Written by `python -m tools.evidence_pack_doc`, kept true by
`tests/e2e/test_documentation.py`.

"""


def document(home: Home) -> str:
    """The Markdown file for a library made of the samples."""
    plan = json.loads(PLAN.read_text(encoding="utf-8"))
    with open_retriever(home, sinks=()) as retriever:
        pack = retriever.run(plan)
    lines = "\n".join(_object(pack.to_json(), EvidencePack, 0))
    return f"{_HEAD}```jsonc\n{lines}\n```\n"


def _object(value: dict[str, Any], model: type[BaseModel] | None, depth: int) -> Iterator[str]:
    said = _meanings(model) if model else {}
    indent = "  " * (depth + 1)
    yield "{"
    for name, held in value.items():
        inner = _model_of(model, name)
        shown = list(_value(_VOLATILE.get(name, held), inner, depth + 1))
        if said.get(name):
            yield from _comment(said[name], indent)
        shown[0] = f"{indent}{json.dumps(name)}: {shown[0]}"
        shown[-1] += ","
        yield from shown
    yield "  " * depth + "}"


def _value(value: Any, model: type[BaseModel] | None, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and value:
        yield from _object(value, model, depth)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield "["
        for item in value:
            shown = list(_object(item, model, depth + 1))
            shown[0] = "  " * (depth + 1) + shown[0]
            shown[-1] += ","
            yield from shown
        yield "  " * depth + "]"
    else:
        rounded = round(value, 3) if isinstance(value, float) else value
        yield _HASH.sub(lambda m: m[0][:8] + "…", json.dumps(rounded, ensure_ascii=False))


def _comment(text: str, indent: str) -> Iterator[str]:
    line = f"{indent}//"
    for word in text.split():
        if len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = f"{indent}//"
        line += f" {word}"
    yield line


def _meanings(model: type[BaseModel]) -> dict[str, str]:
    """Field -> what the docstring says of it."""
    text = inspect.getdoc(model) or ""
    _, _, attributes = text.partition("Attributes:\n")
    found: dict[str, str] = {}
    name = ""
    for line in attributes.splitlines():
        if match := re.match(r"    (\w+): (.*)", line):
            name = match[1]
            found[name] = match[2]
        elif name and line.startswith("        "):
            found[name] += f" {line.strip()}"
    return {
        name: re.sub(r"\*extension\.\*\s*", "", said).replace("``", "`").strip()
        for name, said in found.items()
    }


def _model_of(model: type[BaseModel] | None, name: str) -> type[BaseModel] | None:
    """The model of a field's value, of its items, or of what a mapping holds."""
    if model is None or name not in model.model_fields:
        return None
    return _inner(model.model_fields[name].annotation)


def _inner(annotation: Any) -> type[BaseModel] | None:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (list, Union, UnionType, Annotated):
        return next(filter(None, map(_inner, get_args(annotation))), None)
    return None


if __name__ == "__main__":
    DOCUMENT.write_text(document(Home.resolve(sys.argv[1])), encoding="utf-8")
