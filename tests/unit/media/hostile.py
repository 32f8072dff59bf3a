"""An asset normalizer that fails as the name of an image tells it to."""

from __future__ import annotations

import os
import time

from rag_assets.media.base import DocumentMedia, Resolved
from rag_assets.media.normalizer import ContentHashNormalizer, ContentHashParams
from rag_query.providers.registry import REGISTRY, register


class HostileNormalizer(ContentHashNormalizer):
    def normalize(self, document: DocumentMedia) -> list[Resolved]:
        for _, origin in document.references:
            if origin == "hang.png":
                time.sleep(600)
            if origin == "crash.png":
                os._exit(3)
            if origin == "eat.png":
                raise MemoryError
        return super().normalize(document)


if "asset_normalizer.hostile" not in REGISTRY.ids():
    register(
        "asset_normalizer.hostile", version="1", params=ContentHashParams, build=HostileNormalizer
    )
