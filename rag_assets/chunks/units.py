"""The sentences of a section, and what counts as one: a heading, a code block, a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_assets.chunks.boundaries import Boundaries
from rag_assets.chunks.measure import Measure
from rag_assets.sections.blocks import Block
from rag_assets.sections.places import visible
from rag_query.text.sentences import split_sentences

_BY_LINE = frozenset({"code", "table", "html"})


@dataclass(frozen=True, slots=True)
class Unit:
    """``text[start:end]`` without blanks at its edges, of one block of that kind."""

    start: int
    end: int
    kind: str


def units_of(text: str, blocks: Sequence[Block], ruler: Measure, limit: float) -> list[Unit]:
    """The units of a section in order; every visible character lies in one.

    None is longer than ``limit``: longer code and tables are taken by the line, and a longer
    sentence is cut between words.
    """
    at = Boundaries(text, blocks, ruler, limit, (" ", ""))
    out: list[Unit] = []
    for start, end, kind in _raw(text, blocks, ruler, limit):
        low, high = visible(text, start, end)
        while low < high:
            cut = high
            if ruler.size(low, high) > limit:
                reach = ruler.reach(low, limit)
                half = ruler.reach(low, limit / 2)
                cut = (
                    at.last(half, reach, keep_whole=False)
                    or at.last(low, reach, keep_whole=False)
                    or max(reach, low + 1)
                )
            out.append(Unit(*visible(text, low, cut), kind))
            low = visible(text, cut, high)[0] if cut < high else high
    return out


def _raw(
    text: str, blocks: Sequence[Block], ruler: Measure, limit: float
) -> Iterator[tuple[int, int, str]]:
    covered = 0
    for begin, stop, kind in _parts(blocks):
        yield covered, begin, "paragraph"
        covered = stop
        whole = kind in ("code", "table", "heading")
        if whole and ruler.size(begin, stop) <= limit:
            yield begin, stop, kind
        elif kind in _BY_LINE:
            start = begin
            for line in text[begin:stop].splitlines(keepends=True):
                yield start, start + len(line), kind
                start += len(line)
        else:
            for start, end in split_sentences(text[begin:stop]):
                yield begin + start, begin + end, kind
    yield covered, len(text), "paragraph"


def _parts(blocks: Sequence[Block]) -> Iterator[tuple[int, int, str]]:
    """The blocks as ranges with a kind; one with code or tables inside is parted at them."""
    for block in blocks:
        at = block.start
        for inside in block.nested:
            yield at, inside.start, block.kind
            yield inside.start, inside.end, inside.kind
            at = inside.end
        yield at, block.end, block.kind
