"""EvidencePack v0.1: the answer to a plan, and its counts and times.

Extensions and fields that are not known are as in :mod:`rag_query.contracts.evidence`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from rag_query.contracts.evidence import EvidenceItem, Leg, PackPart
from rag_query.contracts.explain import Explain
from rag_query.contracts.plan import Mode

PACK_VERSION = "0.1"


class ModeStats(PackPart):
    """Distinct candidates found by queries of a mode, and how many came back."""

    candidates: int
    returned: int


class Stats(PackPart):
    """Counts and times.

    Attributes:
        candidates: distinct chunks any leg found.
        returned: evidences in the pack.
        took_ms: from the plan to the pack.
        by_mode: by the mode of the query.
        by_leg: *extension.* Distinct chunks each leg found.
        stage_ms: *extension.* Milliseconds by stage; the legs run side by side.
        dense_sparse_overlap: *extension.* Chunks both legs found (DEV_SPEC 3.2.7).
    """

    candidates: int = 0
    returned: int = 0
    took_ms: float = 0.0
    by_mode: dict[Mode, ModeStats] = Field(default_factory=dict)
    by_leg: dict[Leg, int] = Field(default_factory=dict)
    stage_ms: dict[str, float] = Field(default_factory=dict)
    dense_sparse_overlap: int | None = None


class EvidencePack(PackPart):
    """The answer to a plan. ``evidences`` is in final order and may be empty.

    Attributes:
        plan: the effective plan, defaults filled in; running it again on the same snapshot
            gives the same evidences.
    """

    version: str = PACK_VERSION
    plan: dict[str, Any] | None = None
    plan_id: str
    request_id: str | None = None
    generated_at: datetime
    evidences: list[EvidenceItem]
    stats: Stats = Field(default_factory=Stats)
    explain: Explain = Field(default_factory=Explain)
    warnings: list[str] = Field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The pack as JSON, without fields that are not known."""
        return self.model_dump(mode="json", exclude_none=True)
