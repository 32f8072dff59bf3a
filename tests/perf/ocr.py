"""OCR: pages a second on real scans, and characters right on pages whose text is known.

The known text is that of ordinary PDFs whose pages are drawn and read as if they were scans.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf

from rag_assets.ocr.base import OcrParams, Reading
from rag_assets.ocr.rapidocr import RapidOcr
from tests.perf.library import Work, data
from tests.perf.table import Row

#: File, page (from 0), language; pages of running text.
KNOWN = (
    ("debian_reference.en.pdf", 30, "English"),
    ("debian_reference.en.pdf", 60, "English"),
    ("debian_install.zh_CN.pdf", 20, "Chinese"),
    ("debian_install.zh_CN.pdf", 40, "Chinese"),
)
#: At most so many pages of one scan.
PAGES = 1


def rows(work: Work) -> Iterator[Row]:
    """Speed, pages with text, and characters right in both languages.

    Seconds are processor time, so that a busy machine counts less.
    """
    del work
    folder = data() / "pdfs"
    engine = RapidOcr(OcrParams())
    right: dict[str, list[tuple[float, int]]] = {}
    for name, page, language in KNOWN:
        with pymupdf.open(folder / name) as document:
            truth = "".join(document[page].get_text().split())
            reading, _ = _read(engine, document[page])
        found = "".join("".join(line.text for line in reading.lines).split())
        alike = SequenceMatcher(None, truth, found, autojunk=False).ratio()
        right.setdefault(language, []).append((alike, len(truth)))
    for language, pages in right.items():
        characters = sum(length for _, length in pages)
        yield Row(
            "ocr",
            f"characters right, {language}",
            sum(alike * length for alike, length in pages) / characters,
            notes=f"{len(pages)} drawn pages, {characters} characters, in reading order",
        )
    yield from _scans(engine, folder)


def _scans(engine: RapidOcr, folder: Path) -> Iterator[Row]:
    with (folder / "manifest.tsv").open(encoding="utf-8") as lines:
        listed = [row["file"] for row in csv.DictReader(lines, delimiter="\t") if _is_scan(row)]
    pages = with_text = 0
    seconds: list[float] = []
    for name in listed:
        with pymupdf.open(folder / name) as document:
            for page in list(document)[:PAGES]:
                reading, took = _read(engine, page)
                pages += 1
                with_text += bool(reading.lines)
                seconds.append(took)
    notes = f"{pages} pages of {len(listed)} files, processor time of all threads, loading included"
    yield Row("ocr", "pages a second", pages / sum(seconds), "1/s", notes=notes)
    yield Row("ocr", "scanned pages with text found", with_text / pages, notes=f"of {pages}")


def _is_scan(row: dict[str, str]) -> bool:
    return "scan" in row["feature"] and "text layer" not in row["feature"]


def _read(engine: RapidOcr, page: Any) -> tuple[Reading, float]:
    drawn = page.get_pixmap(dpi=150, colorspace=pymupdf.csRGB, alpha=False)
    picture = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3)
    began = time.process_time()
    reading = engine.read(picture)
    return reading, time.process_time() - began
