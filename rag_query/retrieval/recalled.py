"""What recall is made of and what it gives: the legs of each mode, and all that they found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rag_query.contracts.errors import ExcerptaError
from rag_query.contracts.evidence import Leg
from rag_query.contracts.explain import ExpansionTerm, NamedEntity
from rag_query.contracts.plan import Mode
from rag_query.retrieval.diversity import DropLog
from rag_query.retrieval.legs import Ranking

EffectiveMode = Literal["hybrid", "dense_only", "sparse_only"]

#: Legs of each mode.
LEGS: dict[Mode, tuple[Leg, ...]] = {
    "exact": ("sparse",),
    "semantic": ("dense",),
    "hybrid": ("sparse", "dense"),
    "relational": ("sparse", "dense"),
    "associative": ("sparse", "dense"),
}
#: What sets out from the hits of those legs.
FOLLOWING: dict[Mode, tuple[Leg, ...]] = {
    "exact": (),
    "semantic": (),
    "hybrid": (),
    "relational": ("links",),
    "associative": ("expansion", "neighbours"),
}


@dataclass
class Recalled:
    """What the legs found.

    Attributes:
        rankings: in the order of the queries, sparse before dense, with fusion weights.
        failures: leg -> why it failed.
        effective: what ran, for each query.
        warnings: for the caller.
        dropped: candidates that broke a text condition.
        stage_ms: wall time of each leg.
        seeds: query index -> the hits a relational or associative query set out from.
        expansions: query index -> the terms added to an associative query.
        entities: query index -> what a relational query names.
        neighbours: query index -> whether an associative query's embedding could be moved.
    """

    rankings: list[Ranking] = field(default_factory=list)
    failures: dict[Leg, ExcerptaError] = field(default_factory=dict)
    effective: list[EffectiveMode] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    dropped: DropLog = field(default_factory=DropLog)
    stage_ms: dict[str, float] = field(default_factory=dict)
    seeds: dict[int, list[str]] = field(default_factory=dict)
    expansions: dict[int, list[ExpansionTerm]] = field(default_factory=dict)
    entities: dict[int, list[NamedEntity]] = field(default_factory=dict)
    neighbours: dict[int, bool] = field(default_factory=dict)
