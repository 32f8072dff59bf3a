"""Registers the index providers a strategy can name."""

from __future__ import annotations

from rag_assets.indexes.bm25 import TantivyBm25Index, TantivyParams
from rag_assets.indexes.vector import LanceParams, LanceVectorIndex
from rag_query.providers.registry import register

register("vector_index.lancedb", version="1", params=LanceParams, build=LanceVectorIndex)
register("bm25_index.tantivy", version="1", params=TantivyParams, build=TantivyBm25Index)
