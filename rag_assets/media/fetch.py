"""The media of one document, as it happens inside a child process."""

from __future__ import annotations

import importlib
import json
from functools import cache

from rag_assets.media.base import AssetNormalizer, DocumentMedia, Resolved
from rag_query.providers.registry import REGISTRY

TARGET = "rag_assets.media.fetch:fetch_document"


def fetch_document(provider_id: str, params_json: str, document: DocumentMedia) -> list[Resolved]:
    """Resolve the references of a document with the provider a strategy names."""
    return _normalizer(provider_id, params_json).normalize(document)


@cache
def _normalizer(provider_id: str, params_json: str) -> AssetNormalizer:
    importlib.import_module("rag_assets.media.normalizer")
    normalizer: AssetNormalizer = REGISTRY.create(provider_id, json.loads(params_json))
    return normalizer
