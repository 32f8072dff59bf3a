"""How fast Markdown becomes sections and chunks on one core, nothing read or written."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

import pyarrow as pa

from tests.perf.library import Work, data
from tests.perf.table import Row

ROUNDS = 3


def rows(_work: Work) -> Iterator[Row]:
    """Megabytes of UTF-8 a second through both stage functions, the default strategy's."""
    import rag_assets.providers  # noqa: F401
    from rag_assets.chunks.rows import chunk_rows
    from rag_assets.sections.stage import section_rows
    from rag_query.strategies.strategy import load_strategy

    pa.set_cpu_count(1)
    strategy = load_strategy()
    sectioner = strategy.build("sectioner")
    chunker = strategy.build("chunker")
    normalized, size = _normalized()
    speeds: dict[str, list[float]] = {"sections": [], "chunks": [], "both": []}
    for _ in range(ROUNDS):
        began = time.process_time()
        sections = section_rows(normalized, sectioner, "bench")
        between = time.process_time()
        chunk_rows(sections, normalized, chunker, "bench")
        ended = time.process_time()
        speeds["sections"].append(size / (between - began))
        speeds["chunks"].append(size / (ended - between))
        speeds["both"].append(size / (ended - began))
    parts = ", ".join(f"{name} {median(speeds[name]):.1f}" for name in ("sections", "chunks"))
    yield Row(
        "markdown-speed",
        "sections and chunks on one core",
        median(speeds["both"]),
        "MB/s",
        10,
        notes=f"{size:.1f} MB; {parts} MB/s",
    )


def _normalized() -> tuple[pa.Table, float]:
    """Every Markdown file as a ``normalized`` row, and their size in MB."""
    from rag_assets.loading.markdown_syntax import Source, parse
    from rag_query.contracts.tables import NORMALIZED

    made = []
    size = 0
    for path in sorted((data() / "md").rglob("*")):
        if path.suffix not in (".md", ".mdx") or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        # Normalising takes the front matter out.
        front = parse(Source(text)).front_matter
        text = text[front.char_end if front else 0 :]
        size += len(text.encode())
        name = str(path)
        made.append(
            {
                "version_id": name,
                "doc_id": name,
                "md_norm": text,
                "md_norm_sha256": "",
                "line_map": list(range(1, text.count("\n") + 2)),
                "anchors": [],
                "stats": "{}",
                "transform_profile_id": "",
            }
        )
    return pa.Table.from_pylist(made, schema=NORMALIZED), size / 1e6
