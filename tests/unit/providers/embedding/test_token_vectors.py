"""Vectors of single tokens come from the graph that makes the vector of the text."""

from __future__ import annotations

import numpy as np
import pytest

from rag_query.providers.embedding.openvino import OpenVinoEmbedder
from rag_query.providers.embedding.token_vectors import HasTokenVectors


def test_their_mean_points_where_the_vector_of_the_text_does(minilm: OpenVinoEmbedder) -> None:
    assert isinstance(minilm, HasTokenVectors)
    text = "green tea is steamed at once"
    tokens = minilm.token_vectors.of_query(text)
    assert tokens.shape == (minilm.tokens.count(text), minilm.card.dimensions)
    assert np.linalg.norm(tokens, axis=1) == pytest.approx(1.0, abs=1e-3)
    whole = minilm.embed_queries([text])[0]
    mean = tokens.mean(axis=0)
    assert float(mean @ whole) / float(np.linalg.norm(mean)) > 0.9
    (cut,) = minilm.token_vectors.of_passages([text * 50], 8)
    assert len(cut) < 8
