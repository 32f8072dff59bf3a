"""Why filters leave nothing: what nothing satisfies, or two that exclude each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from rag_query.retrieval.filters import Conditions

if TYPE_CHECKING:
    import tantivy


def reason(searcher: tantivy.Searcher, conditions: Conditions) -> str | None:
    """One sentence; None when the conditions leave something, so that the text is the reason."""
    named = list(zip(conditions.fields, conditions.must, strict=True))
    if _count(searcher, [query for _, query in named]):
        return None
    alone = {field: _count(searcher, [query]) for field, query in named}
    if empty := [field for field, found in alone.items() if not found]:
        return f"No passage satisfies the filters ({', '.join(empty)})."
    for (one, first), (other, second) in combinations(named, 2):
        if not _count(searcher, [first, second]):
            return (
                f"The filters contradict each other: {alone[one]} passages satisfy {one} and "
                f"{alone[other]} satisfy {other}, but none both."
            )
    return f"No passage satisfies all the filters together ({', '.join(alone)})."


def _count(searcher: tantivy.Searcher, queries: Sequence[tantivy.Query]) -> int:
    import tantivy

    if not queries:
        return int(searcher.num_docs)
    both = tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])
    # The stubs of tantivy leave the count out.
    return int(getattr(searcher.search(both, limit=1), "count", 0) or 0)
