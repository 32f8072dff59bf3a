"""The layout analysis arranges a page; facts keep their form and places."""

from __future__ import annotations

from pathlib import Path

from rag_assets.child_processes.jobs import Job
from rag_assets.child_processes.pool import ProcessPool
from rag_assets.loading.base import LoadRequest
from rag_assets.loading.parse import TARGET, RawBytes
from rag_assets.loading.pdf.layout import PdfLayoutLoader
from rag_assets.loading.pdf.loader import PdfParams
from tests.fixtures.pdfs import write_columns
from tests.fixtures.places import Pages, words_elsewhere

LEFT = [f"left row {row} tells of the gauge at the quay" for row in range(20)]
RIGHT = [f"right row {row} tells of the tide in the bay" for row in range(20)]


def test_columns_are_arranged_and_keep_their_places(tmp_path: Path) -> None:
    path = write_columns(tmp_path / "columns.pdf", LEFT, RIGHT, "Notes of the station")
    loaded = PdfLayoutLoader(PdfParams()).load(path, LoadRequest("columns.pdf"))
    assert loaded.loader_name == "loader.pdf_layout"
    flat = " ".join(loaded.md.split())
    assert " ".join(LEFT) in flat and flat.index(LEFT[-1]) < flat.index(RIGHT[0])
    assert "# Notes of the station" in loaded.md
    places = [anchor._asdict() for anchor in loaded.anchors]
    assert words_elsewhere(loaded.md, places, Pages(path)) == []


def test_the_network_runs_inside_the_limits_of_a_parser_process(tmp_path: Path) -> None:
    path = write_columns(tmp_path / "columns.pdf", LEFT, RIGHT, "Notes of the station")
    raw = RawBytes(str(path), 0, path.stat().st_size)
    arguments = ("loader.pdf_layout", "{}", raw, LoadRequest("columns.pdf"))
    pool = ProcessPool(1, 120, 1 << 30)
    try:
        ((_, outcome),) = pool.run([Job("a", TARGET, arguments, raw.length)])
    finally:
        pool.close()
    assert outcome.error is None
    assert outcome.value.cells["loader_name"] == "loader.pdf_layout"
