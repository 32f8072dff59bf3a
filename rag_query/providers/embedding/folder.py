"""What a sentence-transformers folder on disk says of its model.

The facts are kept in the folder as a record, so that opening a library hashes no weights and
imports no torch.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.base import ModelCard
from rag_query.text.ids import profile_id

RECORD = "excerpta-model.json"
RECORD_VERSION = 1
ANY_LANGUAGE = ("*",)


class ModelRecord(BaseModel):
    """What is known of a model folder.

    Attributes:
        origin: where the folder was made from.
        weights_id: fingerprint of weights, tokenizer and configuration.
        modules: type and configuration of what follows the encoder (pooling, dense layers).
        files: path -> (bytes, mtime in ns) of what ``weights_id`` covers, to notice a change.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    record_version: int = RECORD_VERSION
    name: str
    origin: str
    weights_id: str
    modules: list[dict[str, Any]]
    dimensions: int
    max_tokens: int
    languages: tuple[str, ...]
    query_prefix: str
    passage_prefix: str
    files: dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Traits:
    """What a model's files do not say: its languages, and the prefixes it was trained with."""

    languages: tuple[str, ...] = ANY_LANGUAGE
    query_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A sentence-transformers folder, and the folder for what is derived from it.

    Both are the same but for a model given by path, whose own folder is never written to.
    """

    path: Path
    work: Path
    record: ModelRecord

    def card(
        self,
        *,
        max_tokens: int | None = None,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        languages: tuple[str, ...] | None = None,
    ) -> ModelCard:
        """The model's card; ``None`` takes the model's own value. ``max_tokens`` never exceeds
        what the model takes."""
        record = self.record
        tokens = min(max_tokens or record.max_tokens, record.max_tokens)
        query = record.query_prefix if query_prefix is None else query_prefix
        passage = record.passage_prefix if passage_prefix is None else passage_prefix
        version = profile_id(
            {
                "weights": record.weights_id,
                "modules": record.modules,
                "query_prefix": query,
                "passage_prefix": passage,
                "max_tokens": tokens,
            }
        )
        return ModelCard(
            embedder_id=record.name,
            embedder_version=version,
            dimensions=record.dimensions,
            max_tokens=tokens,
            languages=languages or record.languages,
            query_prefix=query,
            passage_prefix=passage,
        )


def describe(
    name: str, folder: Path, *, origin: str, traits: Traits | None = None, weights_id: str = ""
) -> ModelRecord:
    """Read a folder's configuration files.

    Args:
        traits: what the configuration does not say; by default any language, and the prefixes
            of the folder's own prompts.
        weights_id: when it is known; otherwise the files are hashed (about 1 s for 0.5 GB).

    Raises:
        ExcerptaError: ``MODEL_UNAVAILABLE`` when the folder is not complete.
    """
    try:
        modules = _modules(folder)
        config = _read(folder / "config.json")
        names = _deciding_files(folder)
        traits = traits or _own_traits(folder)
        return ModelRecord(
            name=name,
            origin=origin,
            weights_id=weights_id or _hash(folder, names),
            modules=modules,
            dimensions=_dimensions(modules, config),
            max_tokens=_max_tokens(folder, config),
            languages=traits.languages,
            query_prefix=traits.query_prefix,
            passage_prefix=traits.passage_prefix,
            files={
                n: ((folder / n).stat().st_size, (folder / n).stat().st_mtime_ns) for n in names
            },
        )
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise ExcerptaError(
            ErrorCode.MODEL_UNAVAILABLE,
            f"{name!r} is not a complete sentence-transformers folder: {exc!r}.",
            hint="It needs config.json, modules.json, tokenizer.json and model.safetensors.",
        ) from exc


def _own_traits(folder: Path) -> Traits:
    prompts = _read(folder / "config_sentence_transformers.json").get("prompts") or {}
    passage = prompts.get("passage") or prompts.get("document") or ""
    return Traits(query_prefix=prompts.get("query") or "", passage_prefix=passage)


def _modules(folder: Path) -> list[dict[str, Any]]:
    return [
        {
            "type": module["type"].rsplit(".", 1)[-1],
            "config": _read(folder / module["path"] / "config.json") if module["path"] else {},
        }
        for module in json.loads((folder / "modules.json").read_bytes())
    ]


def _dimensions(modules: list[dict[str, Any]], config: dict[str, Any]) -> int:
    for module in reversed(modules):
        for key in ("out_features", "embedding_dimension", "word_embedding_dimension"):
            if key in module["config"]:
                return int(module["config"][key])
    return int(config["hidden_size"])


def _max_tokens(folder: Path, config: dict[str, Any]) -> int:
    stated = (
        _read(folder / "sentence_bert_config.json").get("max_seq_length"),
        config.get("max_position_embeddings"),
        _read(folder / "tokenizer_config.json").get("model_max_length"),
    )
    # Tokenizers without a limit state an astronomical one.
    return min((int(n) for n in stated if n and n < 1_000_000), default=512)


def _deciding_files(folder: Path) -> list[str]:
    """Weights, tokenizer and configuration; not what others derived from them."""
    found = {
        path.relative_to(folder).as_posix()
        for pattern in ("*.json", "*.safetensors", "*.bin", "*.txt", "*.model", "[0-9]_*/*")
        for path in folder.glob(pattern)
        if path.is_file() and path.name != RECORD
    }
    if "tokenizer.json" not in found:
        raise FileNotFoundError("tokenizer.json")
    return sorted(found)


def _hash(folder: Path, names: list[str]) -> str:
    digest = hashlib.sha256()
    for name in names:
        with (folder / name).open("rb") as file:
            part = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{name}\x1f{part}\n".encode())
    return f"folder:{digest.hexdigest()}"


def _read(path: Path) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    return value
