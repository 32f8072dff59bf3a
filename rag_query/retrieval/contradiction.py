"""Why filters leave nothing: what nothing satisfies, or two that exclude each other; and which
values nothing has, though others be found."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, islice
from typing import TYPE_CHECKING

from rag_query.contracts.filters import Filters
from rag_query.library.catalog_lists import NAMED_VALUES
from rag_query.retrieval.filters import MATRIX, Conditions, counted

if TYPE_CHECKING:
    import tantivy

    from rag_query.library.catalog import Catalog

#: Values of one field that are named, and that are looked for one by one.
_MOST_VALUES = 5
_MOST_LOOKED_FOR = 100


def reason(searcher: tantivy.Searcher, conditions: Conditions) -> str | None:
    """One sentence; None when the conditions leave something, so that the text is the reason."""
    named = list(zip(conditions.fields, conditions.must, strict=True))
    if counted(searcher, [query for _, query in named]):
        return None
    alone = {field: counted(searcher, [query]) for field, query in named}
    if empty := [field for field, found in alone.items() if not found]:
        return f"No passage satisfies the filters ({', '.join(empty)})."
    for (one, first), (other, second) in combinations(named, 2):
        if not counted(searcher, [first, second]):
            return (
                f"The filters contradict each other: {alone[one]} passages satisfy {one} and "
                f"{alone[other]} satisfy {other}, but none both."
            )
    return f"No passage satisfies all the filters together ({', '.join(alone)})."


def unknown_values(
    searcher: tantivy.Searcher, catalog: Catalog, every: Iterable[Filters]
) -> list[str]:
    """A sentence for each value of these filters that no passage has, with those that some have;
    of very many values, of the first."""
    given = [dict(filters.given()) for filters in every]
    said = []
    for row in MATRIX:
        if row.field in NAMED_VALUES:
            values = dict.fromkeys(v for fields in given for v in fields.get(row.field, ()))
            unknown = (v for v in islice(values, _MOST_LOOKED_FOR) if not row.met(searcher, v))
            said += catalog.no_passage_has(row.field, list(islice(unknown, _MOST_VALUES)))
    return said
