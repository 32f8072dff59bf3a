"""``reranker.features``: a small linear model over what is known of a candidate already.

No network and no neural model: where the question's words stand in a passage, beside what the
legs said of it. The weights lie in a versioned file beside this one and were trained by
``tools/train_features_reranker.py``, which also says on what.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params, register
from rag_query.providers.reranking.base import Passage
from rag_query.text.analysis import analyzer

#: Columns of :func:`feature_rows`.
FEATURES = ("fused", "words", "meaning", "title", "body", "pairs", "length")
_LONG = 400  # tokens; a passage of so many has length 1
WEIGHTS = Path(__file__).with_name("features-v1.json")


class FeaturesParams(Params):
    """Parameters of ``reranker.features``; ``weights`` ``shipped`` are those of the package."""

    weights: str = Field("shipped", description="path of a weights file, or 'shipped'")


class LinearWeights(BaseModel):
    """A weights file.

    Attributes:
        features: names in the order of ``weights``; must be :data:`FEATURES`.
        trained_on: for the reader.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    features: tuple[str, ...]
    weights: tuple[float, ...]
    trained_on: str = ""


class FeaturesReranker:
    """See :class:`rag_query.providers.reranking.base.Reranker`."""

    active = True

    def __init__(self, params: FeaturesParams) -> None:
        self._weights = read_weights(
            WEIGHTS if params.weights == "shipped" else Path(params.weights)
        )

    def rerank(self, query: str, passages: Sequence[Passage]) -> list[float] | None:
        """The weighted sum of each passage's features."""
        if not passages:
            return []
        scores = feature_rows(query, passages) @ np.asarray(self._weights.weights)
        return [float(score) for score in scores]


def feature_rows(query: str, passages: Sequence[Passage]) -> NDArray[np.float64]:
    """Features of shape (len(passages), len(FEATURES)), all about 0 to 1.

    Words are weighed by their rarity among the passages; one that stands in none of them weighs
    most, so that what little a question in another language shares with them counts for little.
    """
    tokens = analyzer().tokens
    bodies = [tokens(passage.text) for passage in passages]
    titles = [set(tokens(f"{p.title} {p.headings}")) for p in passages]
    held = [set(body) | title for body, title in zip(bodies, titles, strict=True)]
    asked = list(dict.fromkeys(tokens(query)))
    rarity = {
        word: math.log(1 + (len(passages) - n + 0.5) / (n + 0.5))
        for word in asked
        for n in (sum(word in words for words in held),)
    }
    whole = sum(rarity.values()) or 1.0
    pairs = set(pairwise(asked))
    top = max((p.fused_score for p in passages), default=0.0) or 1.0
    rows = [
        (
            passage.fused_score / top,
            passage.contributions.get("sparse", 0.0) / top,
            passage.contributions.get("dense", 0.0) / top,
            sum(rarity[word] for word in asked if word in title) / whole,
            sum(rarity[word] for word in asked if word in set(body)) / whole,
            len(pairs & set(pairwise(body))) / max(1, len(pairs)),
            min(1.0, len(body) / _LONG),
        )
        for passage, body, title in zip(passages, bodies, titles, strict=True)
    ]
    return np.asarray(rows, np.float64).reshape(len(passages), len(FEATURES))


def read_weights(path: Path) -> LinearWeights:
    """Raises ExcerptaError ``MODEL_UNAVAILABLE`` when the file is missing or of another kind."""
    try:
        found = LinearWeights.model_validate(json.loads(path.read_bytes()))
    except (OSError, ValueError) as exc:
        raise ExcerptaError(
            ErrorCode.MODEL_UNAVAILABLE,
            f"{path.name} is no file of feature weights: {exc}",
            hint="Train one with tools/train_features_reranker.py, or name 'shipped'.",
        ) from exc
    if found.features != FEATURES or len(found.weights) != len(FEATURES):
        raise ExcerptaError(
            ErrorCode.MODEL_UNAVAILABLE,
            f"{path.name} has weights of other features than this program's.",
            hint="Train it again with tools/train_features_reranker.py.",
        )
    return found


register("reranker.features", version="1", params=FeaturesParams, build=FeaturesReranker)
