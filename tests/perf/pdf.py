"""Reading PDFs: the status of every file, words kept, and time against bare text extraction."""

from __future__ import annotations

import csv
import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pymupdf

from rag_assets.child_processes.jobs import Job
from rag_assets.child_processes.pool import ProcessPool
from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.parse import TARGET, RawBytes
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams
from rag_query.contracts.errors import ExcerptaError
from rag_query.library.settings import Limits
from tests.fixtures.places import as_printed, letters, without_accents, without_powers
from tests.perf.library import Work, data
from tests.perf.table import Row

ROUNDS = 3
#: A document with fewer characters says nothing about speed or recall.
MIN_CHARS = 200
READY = "ready"


@dataclass(frozen=True, slots=True)
class _Read:
    """One file: its code, seconds of ours and of bare extraction, words kept of its text."""

    name: str
    code: str
    expected: frozenset[str]
    ours_s: float
    bare_s: float
    chars: int
    words: int
    kept: int
    pages: int
    tables: int
    headings: int

    @property
    def has_text(self) -> bool:
        return self.code == READY and self.chars >= MIN_CHARS


def rows(work: Work) -> Iterator[Row]:
    """A row for each PDF of the manifest, and the whole set."""
    del work
    folder = data() / "pdfs"
    with (folder / "manifest.tsv").open(encoding="utf-8") as lines:
        listed = list(csv.DictReader(lines, delimiter="\t"))
    loader = PdfLoader(PdfParams())
    # As in the processes that parse: they collect between documents.
    gc.disable()
    read = [_read(loader, folder / row["file"], row["measured"]) for row in listed]
    gc.enable()
    for one in read:
        if one.has_text:
            yield Row(
                "pdf",
                f"{one.name}: time over bare extraction",
                one.ours_s / max(one.bare_s, 1e-6),
                notes=f"{one.code}, {one.pages} pages, {1000 * one.ours_s:.1f} ms, "
                f"words kept {one.kept / max(one.words, 1):.4f}, {one.tables} tables, "
                f"{one.headings} headings",
            )
        else:
            wrong = "" if one.code in one.expected else f"; asked {', '.join(one.expected)}"
            yield Row(
                "pdf",
                f"{one.name}: status as listed",
                float(one.code in one.expected),
                notes=f"{one.code}{wrong}",
            )
    wrong_files = [one.name for one in read if one.code not in one.expected]
    texts = [one for one in read if one.has_text]
    bare_s = sum(one.bare_s for one in texts)
    words = sum(one.words for one in texts)
    yield Row(
        "pdf",
        "PDFs with another status than listed",
        len(wrong_files),
        "files",
        0,
        False,
        notes=", ".join(wrong_files) or f"of {len(read)}",
    )
    yield Row("pdf", "words kept", sum(one.kept for one in texts) / words, target=0.99)
    yield Row(
        "pdf",
        "time over bare extraction, all with text",
        sum(one.ours_s for one in texts) / bare_s,
        target=2.0,
        at_least=False,
        notes=f"{len(texts)} files, {sum(one.pages for one in texts)} pages, medians of {ROUNDS}",
    )
    limits = Limits()
    yield Row(
        "pdf",
        "the same as a run reads them, over bare extraction in one process",
        _by_pool_s([folder / one.name for one in texts], limits) / bare_s,
        notes=f"{limits.parse_workers} child processes and what they hand back",
    )


def _by_pool_s(paths: list[Path], limits: Limits) -> float:
    """Wall seconds of the stage's jobs in children that have begun, the median."""
    sizes = [path.stat().st_size for path in paths]
    jobs = [
        Job(
            path.name,
            TARGET,
            ("loader.pdf", "{}", RawBytes(str(path), 0, size), LoadRequest(path.name)),
            size,
        )
        for path, size in zip(paths, sizes, strict=True)
    ]
    pool = ProcessPool(limits.parse_workers, limits.parse_timeout_s, limits.parse_memory_bytes)
    took: list[float] = []
    try:
        # The first round only starts the children.
        for _ in range(1 + ROUNDS):
            began = time.perf_counter()
            for job, outcome in pool.run(jobs):
                assert outcome.error is None, (job.key, outcome.error)
            took.append(time.perf_counter() - began)
    finally:
        pool.close()
    return median(took[1:])


def _read(loader: PdfLoader, path: Path, measured: str) -> _Read:
    ours: list[float] = []
    bare: list[float] = []
    texts: list[str] = []
    loaded: Loaded | None = None
    code = READY
    for _ in range(ROUNDS):
        began = time.perf_counter()
        texts = _bare(path)
        bare.append(time.perf_counter() - began)
        began = time.perf_counter()
        try:
            loaded = loader.load(path, LoadRequest(path.name))
        except ExcerptaError as exc:
            code = str(exc.code)
        ours.append(time.perf_counter() - began)
    squeezed = "".join(as_printed(loaded.md).split()) if loaded else ""
    squeezed += "\n" + without_powers(squeezed)
    plain = without_accents(squeezed)
    words = [word for text in texts for word in letters(text).replace("\\", "").split()]
    return _Read(
        path.name,
        code,
        _expected(measured),
        median(ours),
        median(bare),
        sum(map(len, texts)),
        len(words),
        # A word cut at the end of a line is joined with its other half, without the hyphen.
        sum(_is_kept(word.removesuffix("-"), squeezed, plain) for word in words),
        (loaded.pages if loaded else None) or 0,
        loaded.summary["tables"] if loaded else 0,
        len(loaded.outline) if loaded else 0,
    )


def _is_kept(word: str, squeezed: str, plain: str) -> bool:
    """Whether a word stands in a text, or without accents in the text without them (``plain``) when
    it has some apart from their letters."""
    if word in squeezed:
        return True
    bare = without_accents(word)
    return len(bare) < len(word) and bare in plain


def _bare(path: Path) -> list[str]:
    """What PyMuPDF extracts; nothing of a document or page it cannot read."""
    texts = []
    try:
        with pymupdf.open(path) as document:
            for number in range(document.page_count):
                try:
                    texts.append(document[number].get_text())
                except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
                    texts.append("")
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return []
    return texts


def _expected(measured: str) -> frozenset[str]:
    """The statuses that are right for what the manifest says was found in a file."""
    if "needs password" in measured:
        return frozenset({"PDF_ENCRYPTED"})
    if measured.startswith("0 pages"):
        return frozenset({"PDF_CORRUPT", "PDF_NO_PAGES"})
    return frozenset({READY})
