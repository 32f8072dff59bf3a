"""Where the chunks of the measured PDFs stand, and the memory a long PDF takes."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pymupdf

import rag_assets.providers  # noqa: F401
from rag_assets.chunks import stage as chunks
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.normalizing import stage as normalizing
from rag_assets.sections import stage as sections
from tests.fixtures.library import SHARD, make_library
from tests.fixtures.places import Pages, words_elsewhere
from tests.perf.library import Work, data
from tests.perf.table import Row

PAGES = 600
_WATCH_S = 0.05
_GB = 1e9


def rows(work: Work) -> Iterator[Row]:
    """Every chunk of every PDF of the manifest: its page range, its slice, its words."""
    folder = data() / "pdfs"
    with (folder / "manifest.tsv").open(encoding="utf-8") as lines:
        names = [row["file"] for row in csv.DictReader(lines, delimiter="\t")]
    docs = work.root / "pdf-places" / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    for name in names:
        target = docs / name
        if not target.exists():
            target.write_bytes((folder / name).read_bytes())
    context = make_library(work.root / "pdf-places" / "home", docs)
    for stage in (loading, media, normalizing, sections, chunks):
        stage.run(context, SHARD)
    store = context.store
    versions = {d["version_id"]: d["name"] for d in store.read("documents", SHARD).to_pylist()}
    in_section = {r["section_id"]: r["text"] for r in store.read("sections", SHARD).to_pylist()}
    total = right = slices = words = lost = 0
    wrong: set[str] = set()
    read: dict[str, Pages] = {}
    for chunk in store.read("chunks", SHARD).to_pylist():
        name = versions[chunk["version_id"]]
        if name not in read:
            read[name] = Pages(docs / name)
        pages = read[name]
        total += 1
        text, anchors = chunk["chunk_text"], chunk["anchors"]
        section = in_section[chunk["section_id"]]
        slices += text == section[chunk["section_start"] : chunk["section_end"]]
        held = {anchor["page"] for anchor in anchors}
        elsewhere = words_elsewhere(text, anchors, pages)
        words += len(text.split())
        lost += len(elsewhere)
        whole = (-1e6, -1e6, 1e6, 1e6)
        there = "".join(pages.words_in(page, whole) for page in sorted(held))
        on_pages = held and (min(held), max(held)) == (chunk["page_start"], chunk["page_end"])
        if on_pages and max(held) <= pages.count and all(word in there for word in elsewhere):
            right += 1
        else:
            wrong.add(name)
    yield Row("pdf-places", "chunks that are slices of their section", slices / total, target=1.0)
    yield Row(
        "pdf-places",
        "chunks whose pages are those their words stand on",
        right / total,
        target=1.0,
        notes=f"{total} chunks of {len(read)} PDFs"
        + "".join(f"; {name}" for name in sorted(wrong)),
    )
    yield Row(
        "pdf-places",
        "words that stand in the box of their anchor",
        1 - lost / words,
        target=0.999,
        notes=f"{lost} of {words} elsewhere: accents drawn apart from their letters",
    )


def memory(work: Work) -> Iterator[Row]:
    """Peak resident memory of all processes that ingest one PDF of 600 pages, embedding included.

    Pages that processes share count once for each, so the true peak is lower.
    """
    folder = work.root / "pdf-memory"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "long.pdf"
    pages = _long(path) if not path.exists() else len(pymupdf.open(path))
    home = folder / "home"
    command = [sys.executable, "-m", "mcp_app.cli", "ingest", str(path), "--home", str(home)]
    command += ["--strategy", "minilm", "--json"]
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=work.environment()
    ) as process:
        peak = 0
        watch = psutil.Process(process.pid)
        while process.poll() is None:
            peak = max(peak, _resident(watch))
            time.sleep(_WATCH_S)
        said = json.loads(process.stdout.read()) if process.stdout else {}
    if process.returncode:
        raise RuntimeError(f"The ingest failed: {said}")
    yield Row(
        "pdf-memory",
        f"peak memory of ingesting a PDF of {pages} pages",
        peak / _GB,
        "GB",
        2.5,
        at_least=False,
        notes=f"all processes, {time.perf_counter() - began:.0f} s",
    )


def _long(path: Path) -> int:
    """The longest PDFs of the manifest behind each other until there are enough pages."""
    whole = pymupdf.open()
    parts = sorted((data() / "pdfs").glob("*.pdf"), key=lambda part: -part.stat().st_size)
    for part in parts:
        try:
            with pymupdf.open(part) as document:
                if document.page_count >= 50:
                    whole.insert_pdf(document)
        except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
            continue
        if whole.page_count >= PAGES:
            break
    pages: int = whole.page_count
    whole.save(path)
    whole.close()
    return pages


def _resident(process: psutil.Process) -> int:
    total = 0
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    for member in family:
        try:
            total += member.memory_info().rss
        except psutil.Error:
            continue
    return total
