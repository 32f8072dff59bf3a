"""``chunker.semantic_split``: chunks end where neighbouring sentences are least alike
(DEV_SPEC 3.4.6.1).

Every sentence is embedded once by the strategy's own embedder. A place between two sentences is
judged by the cosine of the mean vectors of the few sentences on either side of it. A sentence
that cannot be embedded is taken to be like the one before it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from rag_assets.chunks.base import ChunkerParams, Piece, title_types_of
from rag_assets.chunks.measure import LengthFunction, Ruler
from rag_assets.chunks.pieces import typed_pieces
from rag_assets.chunks.units import Unit, units_of
from rag_assets.sections.blocks import scan_blocks
from rag_query.providers.embedding.base import Embedder
from rag_query.providers.embedding.isolating import calls_to
from rag_query.providers.registry import register
from rag_query.tracing.context import count

log = logging.getLogger(__name__)

#: Similarities are compared to so many decimals, so that another engine of the same model, or
#: another batch, gives the same chunks.
_DECIMALS = 3
#: Below every distance between vectors.
_NEVER = -1.0


class SemanticSplitParams(ChunkerParams):
    """Parameters of ``chunker.semantic_split``."""

    chunk_size: int = Field(800, ge=16, description="at most, in the unit of length_function")
    min_chunk_size: int = Field(
        200, ge=0, description="no cut leaves less on either side; at most half of chunk_size"
    )
    breakpoint_percentile: float = Field(
        80.0, ge=0, le=100, description="percentile of the gaps above which a place is cut"
    )
    window_sentences: int = Field(2, ge=1, le=10, description="compared on either side of a place")
    length_function: LengthFunction = "chars"

    @property
    def uses_embedder(self) -> bool:
        return True

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        if self.min_chunk_size * 2 > self.chunk_size:
            raise ValueError("min_chunk_size must be at most half of chunk_size")
        return self


class SemanticSplit:
    """See the module."""

    def __init__(self, params: SemanticSplitParams, embedder: Callable[[], Embedder]) -> None:
        self._params = params
        self._embedder = embedder
        self.title_types = title_types_of(params)

    def split(self, text: str, title: str | None) -> list[Piece]:
        """See :class:`rag_assets.chunks.base.Chunker`. No piece is longer than ``chunk_size``.

        Raises ExcerptaError when the embedder is out of order as a whole.
        """
        blocks = scan_blocks(text)
        ruler = Ruler(text, self._params.length_function)
        units = units_of(text, blocks, ruler, self._params.chunk_size)
        if not units:
            return []
        spans = [(units[0].start, units[-1].end)]
        # Less than twice the least size could not be cut anyway.
        if ruler.size(*spans[0]) > max(2 * self._params.min_chunk_size, 1) and len(units) > 1:
            gaps = self._gaps(text, units)
            spans = _Division(units, ruler, gaps, self._params).spans()
        return typed_pieces(text, blocks, spans, self.title_types.of(title))

    def _gaps(self, text: str, units: list[Unit]) -> NDArray[np.float64]:
        """How unlike the text before and after each place is: shape (len(units) - 1,)."""
        vectors = self._vectors([text[u.start : u.end] for u in units])
        sums = np.zeros((len(units) + 1, vectors.shape[1]))
        np.cumsum(vectors, axis=0, out=sums[1:])
        place = np.arange(1, len(units))
        window = self._params.window_sentences
        before = sums[place] - sums[np.maximum(place - window, 0)]
        after = sums[np.minimum(place + window, len(units))] - sums[place]
        norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        likeness: NDArray[np.float64] = (before * after).sum(axis=1) / np.maximum(norms, 1e-9)
        return np.round(1.0 - likeness, _DECIMALS)

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        """Of shape (len(texts), dimensions). A text that fails has the vector of the nearest good
        one before it, or else of the first good one; all are zero when none is good."""
        calls = calls_to(self._embedder())
        vectors, failures = calls(texts)
        counts = calls.counts
        count(
            embed_calls=counts.embed_calls,
            embed_failures=counts.embed_failures,
            embed_retries=counts.retries,
        )
        good = np.asarray([failure is None for failure in failures])
        if good.all():
            return vectors
        why = next(failure.message for failure in failures if failure)
        log.warning("%d sentences could not be embedded: %s", len(texts) - good.sum(), why)
        return vectors[_nearest(good)]


class _Division:
    """Divides a section at its widest gaps, again and again."""

    def __init__(
        self,
        units: list[Unit],
        ruler: Ruler,
        gaps: NDArray[np.float64],
        params: SemanticSplitParams,
    ) -> None:
        self._units = units
        self._ruler = ruler
        self._params = params
        self._threshold = float(np.percentile(gaps, params.breakpoint_percentile))
        headings = np.asarray([unit.kind == "heading" for unit in units[:-1]])
        self._gaps = np.where(headings, _NEVER, gaps)  # A heading goes with what follows it.
        self._starts = np.asarray([unit.start for unit in units])
        self._ends = np.asarray([unit.end for unit in units])

    def spans(self) -> list[tuple[int, int]]:
        out: list[tuple[int, int]] = []
        open_ranges = [(0, len(self._units))]
        while open_ranges:
            first, last = open_ranges.pop()
            middle = self._cut(first, last)
            if middle is None:
                out.append((self._units[first].start, self._units[last - 1].end))
            else:
                open_ranges += [(middle, last), (first, middle)]
        return out

    def _cut(self, first: int, last: int) -> int | None:
        """The unit a second part of ``units[first:last]`` begins with; None to keep it whole."""
        start, end = self._units[first].start, self._units[last - 1].end
        too_long = self._ruler.size(start, end) > self._params.chunk_size
        if last - first < 2:
            return None
        # Units first+1 … last-1 may begin the second part.
        least = self._params.min_chunk_size
        low = (
            first
            + 1
            + int(np.searchsorted(self._ends[first : last - 1], self._ruler.reach(start, least)))
        )
        high = first + int(
            np.searchsorted(
                self._starts[first + 1 : last], self._ruler.reach_back(end, least), side="right"
            )
        )
        if low <= high:
            best = low + int(np.argmax(self._gaps[low - 1 : high]))
            if too_long or self._gaps[best - 1] > self._threshold:
                return best
            return None
        if not too_long:
            return None
        return first + 1 + int(np.argmax(self._gaps[first : last - 1]))


def _nearest(good: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each place the last good one up to it, or else the first good one; shape (n,)."""
    last = np.maximum.accumulate(np.where(good, np.arange(len(good)), -1))
    return np.where(last < 0, int(np.argmax(good)), last)


def _build(params: SemanticSplitParams, *, embedder: Callable[[], Embedder]) -> SemanticSplit:
    return SemanticSplit(params, embedder)


register("chunker.semantic_split", version="5", params=SemanticSplitParams, build=_build)
