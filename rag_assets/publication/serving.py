"""The served chunk table: what a reader shows of a chunk, in a form it can map into memory.

Made at publication, shard by shard, and only where its inputs changed. The rows are those of
``indexes/rows.py``, so that the served chunks are exactly the indexed ones.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from rag_assets.indexes.rows import SERVED, InputFiles, connect, in_pieces, input_digest
from rag_query.contracts.snapshot import TableFile
from rag_query.contracts.tables import SERVING
from rag_query.library.files import renew, temporary_beside, write_atomic
from rag_query.library.home import Home
from rag_query.library.row_digest import RowDigest
from rag_query.library.table_files import whole
from rag_query.library.tables import Head, TableStore

#: Raised when the rows are made in another way.
VERSION = "2"
#: Rows of one record batch; a reader takes rows batch by batch.
BATCH_ROWS = 16_384

_ROWS = f"""
with {SERVED}
select chunk_id, version_id, doc_id, section_id, effective as is_latest, version_no,
    doc_title as title, source_uri, source_type, format, collection, all_tags as tags,
    list_sort(list_distinct(topics)) as topics, external_id, created_at, language, section_path,
    section_title, chunk_index, block_type, chunk_text, content_hash, char_start, char_end,
    line_start, line_end, page_start, page_end, page_labels[page_start] as page_label,
    anchors, asset_ids, keywords, header_row, ocr_text, ocr_anchors
from served
order by chunk_id, version_no desc
"""


def serve(home: Home, store: TableStore, shard: str, files: InputFiles) -> TableFile:
    """Bring the served table of a shard up to date with ``files``; returns its file."""
    inputs = {"rows": input_digest(files), "version": VERSION}
    head = store.head("serving", shard, own=True)
    if head is not None and head.inputs == inputs:
        return head.file
    with connect(store, files) as connection:
        file = _write(home, shard, in_pieces(connection, files, _ROWS, SERVING))
    new = Head(file=file, inputs=inputs)
    write_atomic(store.path(file).parent / "head.json", new.model_dump_json().encode())
    return file


def _write(home: Home, shard: str, pieces: Iterable[pa.Table]) -> TableFile:
    folder = home.tables / "serving" / shard
    folder.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(folder / "rows.arrow")
    digest, count = RowDigest(SERVING), 0
    try:
        with pa.ipc.new_file(temporary, SERVING) as writer:
            for rows in pieces:
                digest.update(rows)
                count += rows.num_rows
                writer.write_table(rows.combine_chunks(), max_chunksize=BATCH_ROWS)
        version = digest.hexdigest()
        path = folder / f"{version[:32]}.arrow"
        if not (whole(path) and renew(path)):
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return TableFile(path=home.relative(path), rows=count, data_version=version)
