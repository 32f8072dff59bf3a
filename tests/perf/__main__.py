"""``python -m tests.perf [NAME …]``: measure, print the table, write ``bench.json``."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.perf import (
    chunking,
    console,
    demo,
    durability,
    embedding,
    generation,
    ingest,
    latency,
    markdown_speed,
    mcp,
    ocr,
    pdf,
    pdf_places,
    retrieval,
    server,
    traces,
)
from tests.perf.library import WORK_VARIABLE, Work
from tests.perf.table import Row, save, show

BENCHES: dict[str, Callable[[Work], Iterable[Row]]] = {
    "demo": demo.rows,
    "embedding": embedding.rows,
    "markdown": ingest.markdown_rows,
    "scifact-ingest": ingest.scifact_rows,
    "scifact-default": ingest.beyond_rows,
    "unchanged": ingest.unchanged_rows,
    "memory": ingest.memory_rows,
    "markdown-speed": markdown_speed.rows,
    "chunking": chunking.rows,
    "chunking-all": chunking.all_rows,
    "server": server.rows,
    "mcp-overhead": mcp.overhead_rows,
    "mcp-sessions": mcp.session_rows,
    "mcp-soak": mcp.soak_rows,
    "kill": durability.rows,
    "console": console.rows,
    "latency": latency.rows,
    "latency-million": latency.million,
    "ocr": ocr.rows,
    "pdf": pdf.rows,
    "pdf-places": pdf_places.rows,
    "pdf-memory": pdf_places.memory,
    "generation": generation.rows,
    "generation-refusal": generation.refusal_rows,
    "traces": traces.rows,
    "retrieval": retrieval.rows,
    "retrieval-wider": retrieval.wider,
}

#: What ``make bench`` leaves out, because each takes an hour or more: only by name.
LONG = frozenset({"memory", "latency-million", "chunking-all", "retrieval-wider"})
USUAL = tuple(name for name in BENCHES if name not in LONG)


def main() -> None:
    """Run the named benches, or the usual ones."""
    parser = argparse.ArgumentParser(prog="python -m tests.perf", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    names = parser.parse_args().names or USUAL
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        parser.error(f"no bench is called {unknown[0]!r}; known: {', '.join(BENCHES)}")
    kept = os.environ.get(WORK_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="excerpta-bench-") as temporary:
        work = Work(Path(kept or temporary).resolve())
        work.root.mkdir(parents=True, exist_ok=True)
        measured: list[Row] = []
        for name in names:
            for row in BENCHES[name](work):
                measured.append(row)
                print(f"{row.bench}: {row.name} = {row.value:.4f} {row.unit}", flush=True)
                save([row])
    show(measured)


if __name__ == "__main__":
    main()
