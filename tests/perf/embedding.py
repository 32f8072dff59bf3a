"""Embedding throughput against sentence-transformers' defaults: same model, texts and cores."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from rag_query.providers.embedding.models import SHIPPED, ensure_model
from rag_query.providers.embedding.openvino import OpenVinoEmbedder, OpenVinoParams
from rag_query.providers.embedding.torch_model import load_model
from tests.perf.library import Work, data
from tests.perf.table import Row

TEXTS = 300
ROUNDS = 3


def rows(work: Work) -> Iterator[Row]:
    """Texts a second of both engines in turn, medians of three; least cosine between them; the
    time of one question; each in the default precision and in the quickest."""
    with (data() / "retrieval" / "scifact" / "corpus.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in islice(lines, TEXTS)]
    texts = [f"{record['title']}\n{record['text']}" for record in records]
    for model in SHIPPED:
        yield from _compare(model, work.root / "models", texts)


def _compare(model: str, models: Path, texts: list[str]) -> Iterator[Row]:
    folder = ensure_model(model, models)
    ours = OpenVinoEmbedder(folder, OpenVinoParams(model=model))
    quickest = OpenVinoEmbedder(folder, OpenVinoParams(model=model, precision="quickest"))
    theirs = load_model(str(folder.path), device="cpu")
    prefixed = [ours.card.passage_prefix + text for text in texts]
    engines: dict[str, Callable[[], NDArray[np.float32]]] = {
        "auto": lambda: ours.embed_passages(texts),
        "quickest": lambda: quickest.embed_passages(texts),
        "theirs": lambda: theirs.encode(prefixed, normalize_embeddings=True),
    }
    theirs.encode(prefixed[:8])
    ours.embed_passages(texts[:8])
    quickest.embed_passages(texts[:8])
    vectors: dict[str, NDArray[np.float32]] = {}
    speeds: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(ROUNDS):
        for name, embed in engines.items():
            began = time.perf_counter()
            vectors[name] = embed()
            speeds[name].append(len(texts) / (time.perf_counter() - began))
    slow = median(speeds["theirs"])
    for precision, embedder in (("auto", ours), ("quickest", quickest)):
        fast = median(speeds[precision])
        yield Row(
            "embedding",
            f"{model}, {precision}: throughput over sentence-transformers fp32",
            fast / slow,
            target=4.0,
            notes=f"{fast:.1f} against {slow:.1f} texts/s, {len(texts)} SciFact abstracts",
        )
        cosine = float((vectors[precision] * vectors["theirs"]).sum(axis=1).min())
        yield Row("embedding", f"{model}, {precision}: least cosine to it", cosine, target=0.999)
        asked = _question_ms(embedder)
        yield Row(
            "embedding", f"{model}, {precision}: one question", asked, "ms", notes="12 words, warm"
        )


def _question_ms(embedder: OpenVinoEmbedder) -> float:
    question = "how do plants turn the light of the sun into stored energy"
    times = []
    for _ in range(50):
        began = time.perf_counter()
        embedder.embed_queries([question])
        times.append((time.perf_counter() - began) * 1000)
    return median(times)
