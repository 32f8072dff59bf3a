"""Maximal marginal relevance: the next evidence is relevant *and* unlike those before it.

Carbonell and Goldstein (1998); DEV_SPEC 3.4.6.4. Each step takes the candidate with the highest
``lambda * relevance - (1 - lambda) * similarity to the nearest one taken``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: Candidates MMR orders; the others keep their place behind them.
POOL = 100


def order(
    relevance: Sequence[float], similarity: NDArray[np.float32], lambda_: float, most: int
) -> list[int]:
    """Indices in the order of MMR.

    Args:
        relevance: of each candidate, 0 to 1.
        similarity: (n, n), cosines.
        lambda_: 1 for relevance alone, 0 for difference alone.
        most: so many are chosen one by one; the others follow in the order given.
    """
    left = np.ones(len(relevance), bool)
    nearest = np.zeros(len(relevance), np.float32)
    wanted = np.asarray(relevance, np.float32)
    chosen: list[int] = []
    for _ in range(min(most, len(relevance))):
        gain = np.where(left, lambda_ * wanted - (1 - lambda_) * nearest, -np.inf)
        best = int(gain.argmax())  # of equals the first, so the given order decides
        chosen.append(best)
        left[best] = False
        nearest = np.maximum(nearest, similarity[best])
    return chosen + [index for index in range(len(relevance)) if left[index]]


def word_similarity(texts: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Cosines of the texts' sets of tokens, (n, n): for libraries without vectors."""
    places = {token: row for row, token in enumerate(dict.fromkeys(t for ts in texts for t in ts))}
    rows = np.zeros((len(texts), max(1, len(places))), np.float32)
    for row, tokens in enumerate(texts):
        rows[row, [places[token] for token in tokens]] = 1
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = np.divide(rows, np.where(lengths > 0, lengths, 1), dtype=np.float32)
    return rows @ rows.T
