"""Documents, sections and counts of one snapshot: DuckDB over its Parquet files."""

from __future__ import annotations

from rag_query.library.catalog_lists import CatalogLists
from rag_query.library.catalog_names import CatalogNames
from rag_query.library.catalog_versions import CatalogVersions


class Catalog(CatalogLists, CatalogNames, CatalogVersions):
    """Questions about the documents of one snapshot. Safe to use from several threads.

    Every method raises ExcerptaError ``SNAPSHOT_DAMAGED`` when a table's file is missing.
    """
