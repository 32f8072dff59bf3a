"""``dataset.jsonl``: a file with one :class:`EvalCase` a line."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rag_query.contracts.evaluation import Dataset, EvalCase
from rag_query.evaluation.dataset import dataset_of
from rag_query.evaluation.json_lines import invalid_line, read_lines
from rag_query.providers.registry import Params, register

PROVIDER_ID = "dataset.jsonl"


class JsonLinesParams(Params):
    """Parameters of ``dataset.jsonl``.

    Attributes:
        file: path of the file, JSON Lines with one case a line.
    """

    file: str


class JsonLinesDataset:
    """Cases people wrote, or had written and looked through."""

    def __init__(self, params: JsonLinesParams) -> None:
        self._path = Path(params.file)

    def load(self, dataset_id: str) -> Dataset:
        """Raises ExcerptaError ``DATASET_NOT_FOUND`` or ``INVALID_DATASET``."""
        cases: list[EvalCase] = []
        lines: dict[str, int] = {}
        for number, value in read_lines(self._path):
            case = self._case(number, value)
            if case.case_id in lines:
                raise invalid_line(
                    self._path,
                    number,
                    f"has the case_id {case.case_id!r} of line {lines[case.case_id]}",
                    "Give every case an id of its own.",
                )
            lines[case.case_id] = number
            cases.append(case)
        return dataset_of(dataset_id, PROVIDER_ID, cases)

    def _case(self, number: int, value: dict[str, Any]) -> EvalCase:
        try:
            return EvalCase.model_validate(value)
        except ValidationError as exc:
            errors = exc.errors()
            # A mistyped field also shows as a missing one.
            first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
            field = ".".join(str(part) for part in first["loc"])
            if first["type"] == "missing":
                what, hint = f"has no field {field!r}", "Needed: case_id, query."
            else:
                what, hint = f"field {field!r}: {first['msg']}", ""
            if first["type"] == "extra_forbidden":
                near = difflib.get_close_matches(field, EvalCase.model_fields, n=1, cutoff=0.5)
                known = ", ".join(EvalCase.model_fields)
                hint = f"Did you mean {near[0]!r}?" if near else f"Known fields: {known}."
            raise invalid_line(self._path, number, what, hint) from exc


def _build(params: JsonLinesParams, **_: Any) -> JsonLinesDataset:
    return JsonLinesDataset(params)


register(PROVIDER_ID, version="1", params=JsonLinesParams, build=_build)
