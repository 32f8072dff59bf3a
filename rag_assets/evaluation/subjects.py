"""Which snapshot answers under which strategy: the library's own, or a side generation's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rag_assets.evaluation.side import Side, build_side, ingests_alike
from rag_query.evaluation.evaluator import Subject
from rag_query.library.home import Home
from rag_query.library.snapshot import Library
from rag_query.strategies.strategy import Strategy, check_strategy, load_strategy, parse_strategy


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is evaluated; ``side`` is None where the library itself answers."""

    subject: Subject
    side: Side | None = None


def load_strategies(names: list[str]) -> list[Strategy]:
    """Every strategy, its providers and parameters checked before anything is built.

    Raises ExcerptaError ``INVALID_STRATEGY`` or ``UNKNOWN_PROVIDER`` with the nearest name.
    """
    import rag_assets.providers  # noqa: F401  (registers what a strategy may name)

    loaded = [load_strategy(name) for name in names]
    for strategy in loaded:
        check_strategy(strategy)
    return loaded


def prepare(
    home: Home,
    strategy: Strategy | None = None,
    *,
    on_stage: Callable[[str], None] = lambda _: None,
) -> Prepared:
    """The published library under a strategy, built beside it where it would ingest otherwise.

    Raises:
        ExcerptaError: ``NOT_PUBLISHED``; what :func:`build_side` raises.
    """
    import rag_assets.providers  # noqa: F401  (registers what a strategy may name)

    published = Library.open(home).snapshot()
    if strategy is None:
        strategy = parse_strategy(published.manifest.strategy)
    if ingests_alike(strategy, published):
        return Prepared(Subject(home, published, published, strategy=strategy))
    side = build_side(home, published, strategy, on_stage=on_stage)
    snapshot = Library.open(side.home).snapshot()
    return Prepared(
        Subject(side.home, snapshot, published, strategy=strategy, side=side.name), side
    )
