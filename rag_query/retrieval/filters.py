"""The filter matrix of DEV_SPEC 3.2.5 as data: each field, and how both indexes execute it.

Every condition here is hard and executed *before* retrieval, in both indexes, so a list is
never cut down after it was already cut. A chunk whose column is null is left out. Tags and topics
are never null: a document without tags is known to have none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rag_query.contracts.filters import Filters, PageRange, TimeRange
from rag_query.library import bm25_schema
from rag_query.library.lance import sql_text
from rag_query.text.section_paths import SEPARATOR

if TYPE_CHECKING:
    import tantivy

#: Raised when a row of the matrix changes its meaning.
FILTER_VERSION = "1"


@dataclass(frozen=True, slots=True)
class FilterRow:
    """One row of the matrix.

    Attributes:
        field: of :class:`~rag_query.contracts.plan.Filters`.
        sql: the predicate over the LanceDB columns (``INDEX_ROW``).
        query: the same for tantivy; the schema is ``library/bm25_schema.py``'s.
        without: the field and value of the chunks that ``query`` leaves out, where they are few,
            or None. Stepping over few chunks takes a tenth of the time of meeting all others.
        column: which both compare with each of several values; empty for other conditions.
    """

    field: str
    sql: Callable[[Any], str]
    query: Callable[[Any, tantivy.Schema], tantivy.Query]
    without: Callable[[Any], tuple[str, bool] | None] = lambda _value: None
    column: str = ""

    def met(self, searcher: tantivy.Searcher, value: str) -> bool:
        """Whether any chunk, of any version, has ``value`` in the column."""
        return searcher.doc_freq(self.column, value) > 0 or (
            counted(searcher, [self.query([value], _schema())]) > 0
        )


@dataclass(frozen=True, slots=True)
class Conditions:
    """Filters ready to execute.

    Attributes:
        where: SQL predicate for LanceDB; empty when nothing filters.
        must: tantivy queries that all must match.
        fields: the matrix fields that take part.
        without: for each of ``must`` the field and value of what it leaves out, or None.
    """

    where: str
    must: tuple[tantivy.Query, ...]
    fields: tuple[str, ...]
    without: tuple[tuple[str, bool] | None, ...] = ()

    def beside(self, searcher: tantivy.Searcher) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """Clauses that a query of text takes besides its own; they add nothing to its score.

        None for what this index holds nothing of: a clause that leaves nothing out still takes a
        sixth of the query's time.
        """
        import tantivy

        clauses: list[tuple[tantivy.Occur, tantivy.Query]] = []
        for kept, left_out in zip(self.must, self.without, strict=True):
            if left_out is None:
                silent = tantivy.Query.const_score_query(kept, 0.0)
                clauses.append((tantivy.Occur.Must, silent))
            elif searcher.doc_freq(*left_out):
                stepped_over = tantivy.Query.term_query(_schema(), *left_out)
                clauses.append((tantivy.Occur.MustNot, stepped_over))
        return clauses


def compile_filters(filters: Filters) -> Conditions:
    """Translate filters for both indexes. Without ``version``, only latest versions match."""
    given = dict(filters.given())
    given.setdefault("version", "latest")
    if given["version"] == "all":
        del given["version"]
    rows = [row for row in MATRIX if row.field in given]
    schema = _schema()
    return Conditions(
        where=" AND ".join(f"({row.sql(given[row.field])})" for row in rows),
        must=tuple(row.query(given[row.field], schema) for row in rows),
        fields=tuple(row.field for row in rows),
        without=tuple(row.without(given[row.field]) for row in rows),
    )


@lru_cache(maxsize=1)
def _schema() -> tantivy.Schema:
    return bm25_schema.build_schema()


def _texts(values: Sequence[str]) -> str:
    return ", ".join(sql_text(value) for value in values)


def _one_of(field: str, column: str) -> FilterRow:
    """The column's value is one of the given."""
    return FilterRow(
        field,
        sql=lambda values: f"{column} IN ({_texts(values)})",
        query=lambda values, schema: _terms(schema, column, values),
        column=column,
    )


def _any_of(field: str, column: str) -> FilterRow:
    """The list column holds one of the given."""
    return FilterRow(
        field,
        sql=lambda values: f"array_has_any({column}, [{_texts(values)}])",
        query=lambda values, schema: _terms(schema, column, values),
        column=column,
    )


def counted(searcher: tantivy.Searcher, queries: Sequence[tantivy.Query]) -> int:
    """How many chunks satisfy all of the queries."""
    import tantivy

    if not queries:
        return int(searcher.num_docs)
    both = tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])
    # The stubs of tantivy leave the count out.
    return int(getattr(searcher.search(both, limit=1), "count", 0) or 0)


def _terms(schema: tantivy.Schema, column: str, values: Sequence[str]) -> tantivy.Query:
    import tantivy

    return tantivy.Query.term_set_query(schema, column, list(values))


def _version_sql(value: str | list[str]) -> str:
    return "is_latest" if value == "latest" else f"array_has_any(version_ids, [{_texts(value)}])"


def _version_query(value: str | list[str], schema: tantivy.Schema) -> tantivy.Query:
    import tantivy

    if value == "latest":
        return tantivy.Query.term_query(schema, "is_latest", True)
    return _terms(schema, "version_ids", value)


def _outdated(value: str | list[str]) -> tuple[str, bool] | None:
    return ("is_latest", False) if value == "latest" else None


def _prefix_sql(values: Sequence[str]) -> str:
    return " OR ".join(f"starts_with(source_uri, {sql_text(value)})" for value in values)


def _prefix_query(values: Sequence[str], schema: tantivy.Schema) -> tantivy.Query:
    del schema
    return bm25_schema.any_of([bm25_schema.prefix_query("source_uri", value) for value in values])


def _below(path: str) -> str:
    return path.rstrip(" /") + SEPARATOR


def _section_sql(values: Sequence[str]) -> str:
    return " OR ".join(
        f"section_path = {sql_text(value)} OR starts_with(section_path, {sql_text(_below(value))})"
        for value in values
    )


def _section_query(values: Sequence[str], schema: tantivy.Schema) -> tantivy.Query:
    below = [bm25_schema.prefix_query("section_path", _below(value)) for value in values]
    return bm25_schema.any_of([_terms(schema, "section_path", values), *below])


def _time_sql(span: TimeRange) -> str:
    def moment(value: datetime) -> str:
        return f"to_timestamp_micros({bm25_schema.to_micros(value)})"

    parts = [f"created_at >= {moment(span.from_)}"] if span.from_ else []
    if span.to:
        parts.append(f"created_at <= {moment(span.to)}")
    return " AND ".join(parts) or "true"


def _time_query(span: TimeRange, schema: tantivy.Schema) -> tantivy.Query:
    lower = bm25_schema.to_micros(span.from_) if span.from_ else None
    upper = bm25_schema.to_micros(span.to) if span.to else None
    return _range(schema, "created_at", lower, upper)


def _page_sql(span: PageRange) -> str:
    first = f"page_end >= {span.from_}"
    return first if span.to is None else f"{first} AND page_start <= {span.to}"


def _page_query(span: PageRange, schema: tantivy.Schema) -> tantivy.Query:
    import tantivy

    first = _range(schema, "page_end", span.from_, None)
    if span.to is None:
        return first
    last = _range(schema, "page_start", None, span.to)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, first), (tantivy.Occur.Must, last)])


def _range(
    schema: tantivy.Schema, column: str, lower: int | None, upper: int | None
) -> tantivy.Query:
    import tantivy

    if lower is None and upper is None:
        return tantivy.Query.all_query()
    return tantivy.Query.range_query(
        schema, column, tantivy.FieldType.Integer, lower_bound=lower, upper_bound=upper
    )


def _flag_query(value: bool, schema: tantivy.Schema) -> tantivy.Query:
    import tantivy

    return tantivy.Query.term_query(schema, "has_image", value)


MATRIX: tuple[FilterRow, ...] = (
    _one_of("document_ids", "doc_id"),
    FilterRow("version", _version_sql, _version_query, _outdated),
    _any_of("tag_ids", "tags"),
    _any_of("topic_ids", "topics"),
    _one_of("collection", "collection"),
    _one_of("source_type", "source_type"),
    FilterRow("source_uri_prefix", _prefix_sql, _prefix_query, column="source_uri"),
    _one_of("language", "language"),
    FilterRow("time_range", _time_sql, _time_query),
    FilterRow("section_path", _section_sql, _section_query, column="section_path"),
    _one_of("block_type", "block_type"),
    FilterRow(
        "has_image",
        sql=lambda value: "has_image" if value else "NOT has_image",
        query=_flag_query,
    ),
    FilterRow("page_range", _page_sql, _page_query),
)
