from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import rag_assets.providers  # noqa: F401
from rag_assets.child_processes.pool import close_pools
from tests.llm_server import Asked, Script, serving_llm


@pytest.fixture(scope="module")
def served() -> Iterator[Script]:
    with serving_llm() as script:
        yield script
    close_pools()


def answer(profile: str = "caption.generic_v1", **fields: Any) -> str:
    """A model's answer that fits the contract."""
    return json.dumps(
        {
            "profile_id": profile,
            "image_type": "diagram",
            "summary": "A pipeline of four boxes.",
            "key_points": ["Ingestion feeds the zephyr index"],
            "entities": ["Zephyr"],
            "numbers": [{"name": "boxes", "value": "4", "unit": None, "context": "drawn"}],
            "uncertainties": ["the smallest label"],
        }
        | fields
    )


def asked_profile(asked: Asked) -> str:
    """The profile a prompt names."""
    return asked.prompt.split('`profile_id` is "')[1].split('"')[0]
