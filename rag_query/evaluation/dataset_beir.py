"""``dataset.beir``: a folder in the layout of BEIR.

``queries.jsonl`` holds ``{"_id", "text"}``, ``qrels.tsv`` a head line and ``query-id corpus-id
score`` separated by tabs; ``answers.jsonl`` (``{"_id", "answer" | "answers"}``) may stand beside
them. Only questions with a positive judgement become cases, as usual.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import Dataset, EvalCase
from rag_query.evaluation.dataset import dataset_of
from rag_query.evaluation.json_lines import invalid_line, read_lines
from rag_query.providers.registry import Params, register

PROVIDER_ID = "dataset.beir"
_COLUMNS = ("query-id", "corpus-id", "score")


class BeirParams(Params):
    """File names are relative to ``folder``."""

    folder: str
    queries: str = "queries.jsonl"
    qrels: str = "qrels.tsv"
    answers: str = "answers.jsonl"


class BeirDataset:
    """Judged questions over a corpus whose ``_id`` are documents' external ids."""

    def __init__(self, params: BeirParams) -> None:
        self._folder = Path(params.folder)
        self._params = params

    def load(self, dataset_id: str) -> Dataset:
        """Raises ExcerptaError ``DATASET_NOT_FOUND`` or ``INVALID_DATASET``."""
        judged = self._judgements()
        answers = self._answers()
        cases, blank, seen = [], 0, set()
        path = self._folder / self._params.queries
        for number, value in read_lines(path):
            query_id, text = value.get("_id"), value.get("text")
            if not isinstance(query_id, str) or not isinstance(text, str):
                missing = "_id" if not isinstance(query_id, str) else "text"
                raise invalid_line(path, number, f"has no field {missing!r}", "Needed: _id, text.")
            if query_id in seen:
                raise invalid_line(path, number, f"repeats the _id {query_id!r}")
            seen.add(query_id)
            if query_id not in judged:
                continue
            if not text.strip():
                blank += 1
                continue
            cases.append(
                EvalCase(
                    case_id=query_id,
                    query=text,
                    relevant=judged[query_id],
                    expected_answer=answers.get(query_id),
                )
            )
        warnings = [f"{blank} questions without a text are left out"] if blank else []
        unknown = len(judged.keys() - seen)
        if unknown:
            warnings.append(f"{unknown} judged questions are not in {path.name}")
        return dataset_of(dataset_id, PROVIDER_ID, cases, warnings)

    def _judgements(self) -> dict[str, dict[str, int]]:
        """query id -> document -> grade, positive ones only."""
        path = self._folder / self._params.qrels
        judged: dict[str, dict[str, int]] = {}
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows = csv.DictReader(file, delimiter="\t")
                missing = [name for name in _COLUMNS if name not in (rows.fieldnames or ())]
                if missing:
                    raise invalid_line(path, 1, f"names no column {missing[0]!r}")
                for row in rows:
                    try:
                        grade = int(row["score"])
                    except (TypeError, ValueError):
                        what = f"has the score {row['score']!r}, no whole number"
                        raise invalid_line(path, rows.line_num, what) from None
                    if grade > 0:
                        judged.setdefault(row["query-id"], {})[row["corpus-id"]] = grade
        except FileNotFoundError:
            raise ExcerptaError(
                ErrorCode.DATASET_NOT_FOUND,
                f"The folder has no {path.name}.",
                hint="A BEIR-style dataset is a folder with queries.jsonl and qrels.tsv.",
            ) from None
        except UnicodeDecodeError as exc:
            raise ExcerptaError(ErrorCode.INVALID_DATASET, f"{path.name} is not UTF-8.") from exc
        return judged

    def _answers(self) -> dict[str, str]:
        path = self._folder / self._params.answers
        if not path.exists():
            return {}
        found: dict[str, str] = {}
        for _, value in read_lines(path):
            answer = value.get("answer", value.get("answers"))
            if isinstance(answer, list):
                answer = "; ".join(str(part) for part in answer)
            if isinstance(value.get("_id"), str) and answer:
                found[value["_id"]] = str(answer)
        return found


def _build(params: BeirParams, **_: Any) -> BeirDataset:
    return BeirDataset(params)


register(PROVIDER_ID, version="1", params=BeirParams, build=_build)
