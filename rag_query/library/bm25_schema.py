"""The tantivy schema, in the one place that the index writer and the searcher share.

Three kinds of fields:

* ``chunk_id``: the only stored one. A hit is looked up by it in the served chunk table.
* Filter fields hold the columns of ``INDEX_ROW`` as exact terms (:data:`TERM_FIELDS`), booleans or
  integers with fast fields for ranges. ``created_at`` counts microseconds since 1970 (UTC), so
  that a range is as exact as the column. ``source_uri`` and ``section_path`` are one term each:
  :func:`prefix_query` finds what begins with a text.
* Text fields (:data:`TEXT_FIELDS`) hold the tokens of ``text/analysis.py`` joined by blanks; the
  index itself only splits at the blanks. A query is built from the same tokens.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tantivy

#: Raised when a field or what it holds changes; another version is another generation.
SCHEMA_VERSION = 1

CHUNK_ID = "chunk_id"
TITLE, HEADINGS, BODY = "title", "headings", "body"
#: Scored fields: the document's title, the section path, the chunk's retrieval text.
TEXT_FIELDS = (TITLE, HEADINGS, BODY)
#: One exact term for each value; lists have several.
TERM_FIELDS = (
    "doc_id",
    "version_ids",
    "collection",
    "tags",
    "topics",
    "source_type",
    "source_uri",
    "language",
    "section_path",
    "block_type",
    "shard",
)
BOOLEAN_FIELDS = ("is_latest", "has_image")
INTEGER_FIELDS = ("created_at", "page_start", "page_end")

_TOKENIZER = "excerpta_tokens"
#: The lock file that tantivy makes in the folder of every index it opens.
_LOCK = ".tantivy-meta.lock"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def build_schema() -> tantivy.Schema:
    """The schema of every generation."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field(CHUNK_ID, stored=True, tokenizer_name="raw", index_option="basic")
    for name in TERM_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in BOOLEAN_FIELDS:
        builder.add_boolean_field(name, indexed=True, fast=True)
    for name in INTEGER_FIELDS:
        builder.add_integer_field(name, indexed=True, fast=True)
    for name in TEXT_FIELDS:
        builder.add_text_field(name, tokenizer_name=_TOKENIZER, index_option="position")
    return builder.build()


def create_index(folder: Path) -> tantivy.Index:
    """A new, empty index in an existing empty folder."""
    import tantivy

    return _with_tokenizer(tantivy.Index(build_schema(), path=str(folder), reuse=False))


def open_index(folder: Path) -> tantivy.Index:
    """An existing index. Raises ValueError when it is missing or damaged."""
    import tantivy

    return _with_tokenizer(tantivy.Index.open(str(folder)))


def open_searcher(folder: Path) -> tantivy.Searcher:
    """A searcher of an index that never changes again, even where nothing can be written.

    Raises ValueError when the index is missing or damaged, OSError when there is no temporary
    folder for one that cannot be written.
    """
    if _lockable(folder):
        return _searcher(folder)
    # tantivy opens no index without locking its folder, so it is given a folder of links that it
    # can lock. It needs the links only until everything is open.
    with tempfile.TemporaryDirectory(prefix="excerpta-bm25-") as made:
        for path in folder.iterdir():
            stand_in = Path(made) / path.name
            if path.suffix == ".json":
                shutil.copyfile(path, stand_in)
            elif path.suffix != ".lock":
                stand_in.symlink_to(path)
        return _searcher(Path(made))


def to_micros(moment: datetime) -> int:
    """``created_at`` as it is indexed."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def any_of(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    """Chunks that satisfy at least one of the queries."""
    import tantivy

    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


def prefix_query(field: str, prefix: str) -> tantivy.Query:
    """Chunks of which a value of a term field begins with ``prefix``.

    Looking takes longer than in proportion to it: 1,000 different characters 0.04 s, 4,000 10 s.
    """
    import tantivy

    # A fuzzy query in which no letter may differ. tantivy's own prefix query limits the terms it
    # finds, and its regular expressions are limited to 1,000 states, which 333 Chinese characters
    # need.
    return tantivy.Query.fuzzy_term_query(build_schema(), field, prefix, distance=0, prefix=True)


def _searcher(folder: Path) -> tantivy.Searcher:
    index = open_index(folder)
    # Nothing has to be watched.
    index.config_reader("manual")
    return index.searcher()


def _lockable(folder: Path) -> bool:
    lock = folder / _LOCK
    return os.access(folder, os.W_OK) and (not lock.exists() or os.access(lock, os.W_OK))


def _with_tokenizer(index: tantivy.Index) -> tantivy.Index:
    import tantivy

    whitespace = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer(_TOKENIZER, whitespace)
    return index
