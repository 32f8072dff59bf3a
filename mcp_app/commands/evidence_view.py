"""Evidence as a person wants to read it in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from rag_query.contracts.evidence import EvidenceItem, Signals
    from rag_query.contracts.pack import EvidencePack
    from rag_query.text.analysis import Analyzer


def show_pack(out: Console, pack: EvidencePack, questions: list[str]) -> None:
    """Print every evidence, numbered, with the words of the questions marked."""
    from rich.padding import Padding
    from rich.text import Text

    from rag_query.retrieval.render import readable
    from rag_query.text.analysis import Analyzer
    from rag_query.text.matching import content_words

    analyzer = Analyzer()
    asked = (content_words(analyzer.tokens(question)) for question in questions)
    terms = frozenset[str]().union(*asked)
    for number, item in enumerate(pack.evidences, 1):
        out.print(_heading(item, number))
        out.print(Padding(Text(_source(item), style="dim"), (0, 0, 0, 4), expand=False))
        out.print(Padding(Text(_scores(item.signals), style="dim"), (0, 0, 0, 4), expand=False))
        if item.snippet:
            out.print(
                Padding(marked(readable(item.snippet), terms, analyzer), (0, 0, 1, 4), expand=False)
            )
    if not pack.evidences:
        out.print("No evidence was found.")
    modes = sorted({query.retrieval_mode_effective for query in pack.explain.queries})
    out.print(
        f"{len(pack.evidences)} of {pack.stats.candidates} candidates · "
        f"{' and '.join(modes)} · {pack.stats.took_ms:.0f} ms · snapshot {pack.explain.snapshot}",
        style="dim",
    )


def marked(text: str, terms: frozenset[str], analyzer: Analyzer) -> Text:
    """``text`` with the words in bold whose tokens are among ``terms``."""
    from rich.text import Text

    from rag_query.text.matching import find_words

    shown = Text(text)
    for start, end in find_words(text, terms, analyzer):
        shown.stylize("bold yellow", start, end)
    return shown


def _heading(item: EvidenceItem, number: int) -> Text:
    from rich.text import Text

    from rag_query.text.section_paths import headings_below

    title = item.title or item.source_uri
    headings = headings_below(title, item.metadata.section_path)
    return Text.assemble(
        (f"{number:>2}. ", "bold"),
        (title, "bold cyan"),
        *((f" › {heading}", "cyan") for heading in headings),
    )


def _source(item: EvidenceItem) -> str:
    from rag_query.retrieval.citation import of_the_text

    where = item.metadata
    parts = []
    if where.page is not None:
        last = where.page_end or where.page
        parts.append(f"p. {where.page}" if last == where.page else f"pp. {where.page}-{last}")
    elif where.line_start is not None:
        lines = f"lines {where.line_start}-{where.line_end or where.line_start}"
        parts.append(lines + of_the_text(item.source_uri))
    if where.from_ocr:
        parts.append("read by OCR")
    if where.is_latest is False:
        parts.append(f"older version {where.version_no}")
    return " · ".join([*parts, item.source_uri, item.id])


def _scores(signals: Signals) -> str:
    parts = []
    if signals.rerank_score is not None:
        parts.append(f"rerank {signals.rerank_score:.3f}")
    if signals.fused_score is not None:
        parts.append(f"score {signals.fused_score:.4f}")
    if signals.fts_rank is not None:
        parts.append(f"words #{signals.fts_rank} (BM25 {signals.fts_score or 0:.2f})")
    if signals.vector_rank is not None:
        parts.append(f"meaning #{signals.vector_rank} (cosine {signals.vector_score or 0:.3f})")
    return " · ".join(parts)
