"""Datasets by name or path, from registered providers (DEV_SPEC 3.4.8 ``DatasetProvider``).

A dataset is named by the file or folder ``datasets/NAME`` of a library (``.jsonl``, a BEIR-style
folder, or ``.yaml`` with ``provider`` and ``params``), by a path, or by the name of one that the
library makes of itself: ``synthetic`` and ``query_log``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import rag_query.evaluation.builtin  # noqa: F401  (registers the providers)
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import Dataset
from rag_query.library.home import Home
from rag_query.library.snapshot import Snapshot
from rag_query.library.yaml_files import read_yaml
from rag_query.providers.registry import REGISTRY

#: Datasets a library makes of itself, and who makes them.
OWN = {"synthetic": "dataset.synthetic", "query_log": "dataset.query_log"}
#: Of files that describe a dataset and name its provider.
_DESCRIBED = (".yaml", ".yml")
_SUFFIXES = (".jsonl", *_DESCRIBED)


class DatasetProvider(Protocol):
    """Where cases come from."""

    def load(self, dataset_id: str) -> Dataset:
        """Raises ExcerptaError ``INVALID_DATASET``, or ``DATASET_NOT_FOUND``."""
        ...


def dataset_names(home: Home) -> list[str]:
    """Names in the library's ``datasets/``, sorted."""
    found = home.datasets.iterdir() if home.datasets.is_dir() else ()
    return sorted(
        {
            path.stem if path.suffix in _SUFFIXES else path.name
            for path in found
            if not path.name.startswith(".") and (path.is_dir() or path.suffix in _SUFFIXES)
        }
    )


def load_dataset(home: Home, name: str, snapshot: Callable[[], Snapshot]) -> Dataset:
    """The dataset of that name or path.

    Args:
        snapshot: asked only by a dataset that is made of the library itself.

    Raises:
        ExcerptaError: ``DATASET_NOT_FOUND`` with the nearest name; ``INVALID_DATASET`` with the
            line and the field.
    """
    for path in (home.datasets / name, *(home.datasets / f"{name}{s}" for s in _SUFFIXES)):
        if path.exists() and home.datasets in path.parents:
            return _of_path(home, path, name, snapshot)
    if name in OWN:
        return create_dataset(OWN[name], {}, name, home, snapshot)
    path = Path(name)
    if path.exists():
        return _of_path(home, path, path.stem if path.is_file() else path.resolve().name, snapshot)
    known = [*dataset_names(home), *OWN]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    raise ExcerptaError(
        ErrorCode.DATASET_NOT_FOUND,
        f"There is no dataset {name!r}.",
        hint=f"{hint}Known: {', '.join(known)}; or give the path of a JSON-lines file or of a "
        "folder with queries.jsonl and qrels.tsv.",
    )


def create_dataset(
    provider: str,
    params: dict[str, Any],
    dataset_id: str,
    home: Home,
    snapshot: Callable[[], Snapshot],
) -> Dataset:
    """Have a registered provider load a dataset."""
    made: DatasetProvider = REGISTRY.create(provider, params, home=home, snapshot=snapshot)
    return made.load(dataset_id)


def _of_path(home: Home, path: Path, name: str, snapshot: Callable[[], Snapshot]) -> Dataset:
    if path.is_dir():
        return create_dataset("dataset.beir", {"folder": str(path)}, name, home, snapshot)
    if path.suffix in _DESCRIBED:
        provider, params = _described(path)
        return create_dataset(provider, params, name, home, snapshot)
    if path.suffix == ".jsonl" and (path.parent / "qrels.tsv").exists():
        params = {"folder": str(path.parent), "queries": path.name}
        return create_dataset(
            "dataset.beir", params, f"{path.parent.name}-{path.stem}", home, snapshot
        )
    return create_dataset("dataset.jsonl", {"file": str(path)}, name, home, snapshot)


def _described(path: Path) -> tuple[str, dict[str, Any]]:
    value = read_yaml(path, ErrorCode.INVALID_DATASET)
    known = isinstance(value, dict) and value.keys() <= {"provider", "params"}
    if not known or not isinstance(value.get("provider"), str):
        raise ExcerptaError(
            ErrorCode.INVALID_DATASET,
            f"{path.name} must hold `provider: dataset.…` and, if need be, `params: {{…}}`.",
        )
    params = dict(value.get("params") or {})
    for key in ("file", "folder"):
        if isinstance(params.get(key), str):
            params[key] = str(path.parent / params[key])
    return value["provider"], params
