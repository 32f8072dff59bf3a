"""Which chunker brings back what answers a question: Chroma's span-level evaluation.

Recall, precision and IoU are counted in characters over the five chunks nearest to a question
(default embedder, all documents together), as ``chunking_evaluation`` counts them: a character that
two retrieved chunks hold counts twice as retrieved, so overlap has its price. Of the five documents
the three shorter ones are used, which keeps it to minutes on two cores; ``chunking-all`` takes all.
Sizes are estimated tokens, about four letters each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_query.providers.embedding.base import Embedder, ModelCard
from tests.perf.library import Work, data
from tests.perf.table import Row

SIZES = (200, 400, 800)
TOP = 5
SHORTER = ("state_of_the_union", "wikitexts", "chatlogs")
DEFAULT = "the default strategy"
Span = tuple[str, int, int]


def rows(work: Work, documents: Sequence[str] = SHORTER) -> Iterator[Row]:
    """A row for every chunker and size, and how many of them beat the default in everything.

    Args:
        documents: ids of the documents to use; none for all five.
    """
    embedder = _CachedEmbedder(work)
    texts, questions = _read(documents)
    asked = embedder.embed_queries([text for text, _ in questions])
    found: dict[str, tuple[float, float, float]] = {}
    for name, provider, params in _configurations():
        spans = _chunks(texts, provider, params, embedder)
        vectors = embedder.embed_passages([texts[doc][a:b] for doc, a, b in spans])
        # The nearest first; equal ones in the order of the documents.
        nearest = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")[:, :TOP]
        scores = [
            _score([spans[i] for i in row], gold)
            for row, (_, gold) in zip(nearest, questions, strict=True)
        ]
        recall, precision, iou = (float(value) for value in np.mean(scores, axis=0))
        found[name] = (recall, precision, iou)
        mean = np.mean([b - a for _, a, b in spans])
        yield Row(
            "chunking",
            f"{name}: recall",
            recall,
            notes=f"precision {precision:.3f}, IoU {iou:.3f}, {len(spans)} chunks of "
            f"{mean:.0f} characters",
            details={"precision": precision, "iou": iou, "chunks": len(spans)},
        )
    default = found.pop(DEFAULT)
    better = [
        name
        for name, scores in found.items()
        if all(a >= b for a, b in zip(scores, default, strict=True)) and scores != default
    ]
    yield Row(
        "chunking",
        f"chunkers better than {DEFAULT} in all three",
        len(better),
        "",
        0,
        False,
        notes=", ".join(better),
    )


def all_rows(work: Work) -> Iterator[Row]:
    """The same over all five documents, which are seven times as long."""
    return rows(work, ())


def _configurations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(name, provider, parameters) of each."""
    from rag_query.strategies.strategy import load_strategy

    default = load_strategy().stage("chunker")
    yield DEFAULT, default.provider, dict(default.params)
    estimated = {"length_function": "estimated_tokens"}
    for size in SIZES:
        sized = {"chunk_size": size}
        overlapping = sized | {"chunk_overlap": size // 10}
        yield from (
            (f"{provider} {size}", f"chunker.{provider}", params)
            for provider, params in (
                ("rcts_within_section", overlapping | estimated),
                ("token_split", overlapping | {"tokens": "estimated"}),
                ("sentence_window", sized | estimated),
                ("semantic_split", sized | estimated | {"min_chunk_size": size // 4}),
            )
        )
    yield "whole_section", "chunker.whole_section", {}


def _chunks(
    texts: dict[str, str], provider: str, params: dict[str, Any], embedder: _CachedEmbedder
) -> list[Span]:
    import rag_assets.providers  # noqa: F401
    from rag_query.providers.registry import REGISTRY
    from rag_query.strategies.strategy import load_strategy

    sectioner = load_strategy().build("sectioner")
    needs = {"embedder": lambda: embedder} if provider == "chunker.semantic_split" else {}
    chunker = REGISTRY.create(provider, params, **needs)
    return [
        (doc, section.start + piece.start, section.start + piece.end)
        for doc, text in texts.items()
        for section in sectioner.sections(text)
        for piece in chunker.split(text[section.start : section.end], section.title)
    ]


def _score(retrieved: list[Span], gold: list[Span]) -> tuple[float, float, float]:
    """Recall, precision and IoU of one question."""
    wanted = {(doc, place) for doc, start, end in gold for place in range(start, end)}
    held = {(doc, place) for doc, start, end in retrieved for place in range(start, end)}
    hit = len(wanted & held)
    read = sum(end - start for _, start, end in retrieved)
    return hit / len(wanted), hit / read, hit / (read + len(wanted) - hit)


def _read(documents: Sequence[str]) -> tuple[dict[str, str], list[tuple[str, list[Span]]]]:
    """Texts by document, and questions with their gold spans."""
    folder = data() / "retrieval" / "chroma_chunking"

    def lines(name: str) -> list[dict[str, Any]]:
        with (folder / name).open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    texts = {row["_id"]: row["text"] for row in lines("corpus.jsonl")}
    texts = {doc: text for doc, text in texts.items() if not documents or doc in documents}
    asked = {row["_id"]: row["text"] for row in lines("queries.jsonl")}
    questions = [
        (
            asked[row["_id"]],
            [(row["corpus-id"], s["start_index"], s["end_index"]) for s in row["spans"]],
        )
        for row in lines("spans.jsonl")
        if row["corpus-id"] in texts
    ]
    return texts, questions


class _CachedEmbedder(Embedder):
    """The default embedder; a passage is embedded once for as long as the work folder stands."""

    def __init__(self, work: Work) -> None:
        from rag_assets.embeddings.cache import EmbeddingCache
        from rag_query.library.home import Home
        from rag_query.providers.embedding.models import ensure_model
        from rag_query.providers.embedding.openvino import OpenVinoEmbedder, OpenVinoParams
        from rag_query.providers.embedding.params import DEFAULT_MODEL

        self.model = OpenVinoEmbedder(
            ensure_model(DEFAULT_MODEL, work.root / "models"), OpenVinoParams()
        )
        self._stored = EmbeddingCache(Home(work.home("chunking")), self.model.card.space)
        self._known: dict[str, NDArray[np.float32]] = {}

    @property
    def card(self) -> ModelCard:
        return self.model.card

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.model.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import pyarrow as pa

        from rag_query.text.canonical import content_hash

        hashes = [content_hash(text) for text in texts]
        by_hash = dict(zip(hashes, texts, strict=True))
        missing = [name for name in by_hash if name not in self._known]
        if missing:
            found, vectors = self._stored.get(pa.array(missing, pa.string()))
            new = [name for name, is_found in zip(missing, found, strict=True) if not is_found]
            if new:
                vectors[~found] = self.model.embed_passages([by_hash[name] for name in new])
                self._stored.put(new, vectors[~found])
            self._known.update(zip(missing, vectors, strict=True))
        return np.stack([self._known[name] for name in hashes])
