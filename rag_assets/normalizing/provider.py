"""``transformer.normalize_pre``: facts to the text that is cut into sections and chunks.

The result is the facts with a sequence of edits, so every character keeps its origin: anchors and
line numbers of the result are computed, never guessed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from pydantic import Field

from rag_assets.markdown_dialects import code_edits, line_edits
from rag_assets.normalizing import rules
from rag_assets.normalizing.html_tables import html_tables
from rag_assets.normalizing.rules import Link
from rag_query.providers.registry import Params, register
from rag_query.text.edits import Edit, EditedText, Offsets
from rag_query.text.fences import code_ranges

VERSION = "4"


@dataclass(frozen=True, slots=True)
class Facts:
    """What normalisation reads of a document.

    Attributes:
        md: the facts.
        furniture: (start, end, kind) as the loader reported them.
        links: image references, resolved or not.
        anchor_starts: offsets of the anchors of ``md``, in order; int64.
        anchor_ends: the same, exclusive.
    """

    md: str
    furniture: list[tuple[int, int, str]]
    links: list[Link]
    anchor_starts: Offsets
    anchor_ends: Offsets


@dataclass(frozen=True, slots=True)
class Normal:
    """The result.

    Attributes:
        md_norm: the text.
        line_map: for each of its lines the 1-based line of the facts; never decreasing.
        anchor_starts: where the anchors of the facts begin in ``md_norm``; an anchor all of whose
            text was removed has its start at its end.
        anchor_ends: the same, exclusive.
        stats: counts of what was done.
    """

    md_norm: str
    line_map: Offsets
    anchor_starts: Offsets
    anchor_ends: Offsets
    stats: dict[str, int]


class PreTransformer(Protocol):
    """A provider of type ``transformer`` for the stage ``transform_pre``."""

    def normalize(self, facts: Facts) -> Normal:
        """The text to be cut. Pure; the same facts give the same result."""
        ...


class NormalizeParams(Params):
    """Parameters of ``transformer.normalize_pre``.

    Attributes:
        drop_furniture: remove running headers, footers, page numbers and navigation.
        max_blank_lines: blank lines kept in a row.
        strip_trailing_blanks: remove blanks at the ends of lines.
    """

    drop_furniture: bool = True
    max_blank_lines: int = Field(1, ge=1, le=10)
    strip_trailing_blanks: bool = True


class NormalizePre:
    """The standard pre-chunk normalisation (DEV_SPEC 3.1.7.1, point 1)."""

    def __init__(self, params: NormalizeParams) -> None:
        self._params = params

    def normalize(self, facts: Facts) -> Normal:
        """See :class:`PreTransformer`; idempotent on its own output."""
        dropped = [
            (start, end, kind)
            for start, end, kind in facts.furniture
            if kind == "front_matter" or self._params.drop_furniture
        ]
        links = list(rules.image_links(facts.md, facts.links))
        data = list(rules.data_uris(facts.md, links))
        controls = list(rules.controls(facts.md))
        first = EditedText(
            facts.md, [*(Edit(start, end) for start, end, _ in dropped), *links, *data, *controls]
        )
        fenced = EditedText(first.text, code_edits(first.text))
        plain = EditedText(fenced.text, line_edits(fenced.text))
        # What dialects call code holds no table, and text of admonitions may.
        tables = EditedText(plain.text, html_tables(plain.text))
        code = code_ranges(tables.text)
        blanks: list[Edit] = []
        if self._params.strip_trailing_blanks:
            blanks = list(rules.trailing_blanks(tables.text, code))
        stripped = EditedText(tables.text, blanks)
        if blanks:
            code = code_ranges(stripped.text)
        runs = list(rules.blank_runs(stripped.text, code, self._params.max_blank_lines))
        last = EditedText(stripped.text, runs)
        steps = [step for step in (first, fenced, plain, tables, stripped, last) if step.edits]
        text = last.text
        stats = Counter({f"removed_{kind}": 0 for _, _, kind in dropped})
        stats.update(f"removed_{kind}" for _, _, kind in dropped)
        stats.update(
            removed_chars=len(facts.md) - len(text),
            control_edits=len(controls),
            table_edits=len(tables.edits),
            dialect_edits=len(fenced.edits) + len(plain.edits),
            lines_stripped=len(blanks),
            blank_runs=len(runs),
            images_rewritten=len(links),
            data_uris_emptied=len(data),
        )
        return Normal(
            text,
            _line_map(facts.md, text, steps),
            _forward(facts.anchor_starts, steps),
            _forward(facts.anchor_ends, steps),
            dict(stats),
        )


def _forward(offsets: Offsets, steps: list[EditedText]) -> Offsets:
    for step in steps:
        offsets = step.forward(offsets)
    return offsets


def _line_map(md: str, md_norm: str, steps: list[EditedText]) -> Offsets:
    if not steps:
        return np.arange(1, md_norm.count("\n") + 2, dtype=np.int64)
    starts = np.concatenate(([0], _newlines(md_norm) + 1))
    for step in reversed(steps):
        starts = step.backward(starts)
    return np.searchsorted(_newlines(md), starts, side="left") + 1


def _newlines(text: str) -> Offsets:
    """Offsets of line feeds."""
    if text.isascii():
        return np.flatnonzero(np.frombuffer(text.encode(), np.uint8) == 10)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.flatnonzero(points == 10)


register("transformer.normalize_pre", version=VERSION, params=NormalizeParams, build=NormalizePre)
