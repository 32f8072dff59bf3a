"""``chunker.token_split``: windows of tokens with an overlap, whatever stands in them
(DEV_SPEC 3.4.6.1). The limit is strict; within it a window ends between words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from pydantic import Field

from rag_assets.chunks.base import OverlappingParams, Piece, title_types_of
from rag_assets.chunks.boundaries import Boundaries
from rag_assets.chunks.measure import Measure, Ruler, TokenRuler
from rag_assets.chunks.pieces import typed_pieces
from rag_assets.sections.blocks import scan_blocks
from rag_assets.sections.places import visible
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.base import Embedder
from rag_query.providers.embedding.tokens import HasTokens, ModelTokens
from rag_query.providers.registry import register

#: A window ends between words when it is at least this full there.
_LEAST_FILL = 0.75


class TokenSplitParams(OverlappingParams):
    """Parameters of ``chunker.token_split``."""

    chunk_size: int = Field(256, ge=16, description="tokens at most")
    chunk_overlap: int = Field(32, ge=0, description="tokens at most; less than half of chunk_size")
    tokens: Literal["model", "estimated"] = Field(
        "model", description="those of the embedder's own tokenizer, or about 4 letters each"
    )

    @property
    def uses_embedder(self) -> bool:
        return self.needs_tokens

    @property
    def needs_tokens(self) -> bool:
        return self.tokens == "model"


class TokenSplit:
    """See the module."""

    def __init__(self, params: TokenSplitParams, tokens: Callable[[], ModelTokens] | None) -> None:
        self._params = params
        self._tokens = tokens
        self.title_types = title_types_of(params)

    def split(self, text: str, title: str | None) -> list[Piece]:
        """See :class:`rag_assets.chunks.base.Chunker`.

        No piece by itself has more than ``chunk_size`` tokens, unless one character has.
        """
        start, end = visible(text, 0, len(text))
        if start == end:
            return []
        blocks = scan_blocks(text)
        tokens = self._tokens() if self._tokens else None
        spans = _Windows(text, tokens, self._params).spans(start, end)
        return typed_pieces(text, blocks, spans, self.title_types.of(title))


class _Windows:
    """The windows over one section."""

    def __init__(self, text: str, tokens: ModelTokens | None, params: TokenSplitParams) -> None:
        self._text = text
        self._tokens = tokens
        self._size = params.chunk_size
        self._overlap = params.chunk_overlap
        self._ruler: Measure = (
            TokenRuler(text, tokens.starts(text)) if tokens else Ruler(text, "estimated_tokens")
        )
        self._at = Boundaries(text, [], self._ruler, params.chunk_size, (" ", ""))

    def spans(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Ranges without blanks at their edges that cover ``start:end``, which has none."""
        covered = start
        while True:
            start, cut = self._window(start, covered, end)
            yield visible(self._text, start, cut)
            if cut >= end:
                return
            covered = visible(self._text, cut, end)[0]
            start = self._overlap_start(cut, covered)

    def _window(self, start: int, covered: int, end: int) -> tuple[int, int]:
        """The next window; its overlap is given up when it leaves no room for new text."""
        room = self._size
        cut = self._cut(start, covered, end, room)
        # By itself a piece can have a few more tokens than it has in its surroundings.
        while (extra := self._count(start, cut) - self._size) > 0 and cut > covered + 1:
            if start < covered:
                start = covered
            else:
                room = max(room - extra, 0)
            shorter = self._cut(start, covered, end, room)
            cut = shorter if room or shorter < cut else cut - 1
        return start, cut

    def _count(self, start: int, cut: int) -> int:
        if self._tokens is None:
            return 0  # The estimate is the same everywhere.
        return self._tokens.count(self._text[start:cut].strip())

    def _cut(self, start: int, covered: int, end: int, room: int) -> int:
        high = self._ruler.reach(start, room)
        if high >= end:
            return end
        low = max(covered, self._ruler.reach(start, _LEAST_FILL * room))
        if low < high and (word := self._at.last(low, high)):
            return word
        return max(self._at.whole_character(covered, high) or high, covered + 1)

    def _overlap_start(self, cut: int, covered: int) -> int:
        """A word's beginning before ``cut``, or where new text begins."""
        if not self._overlap:
            return covered
        word = self._at.first(self._ruler.reach_back(cut, self._overlap), cut)
        return covered if word is None else visible(self._text, word, covered + 1)[0]


def _build(
    params: TokenSplitParams, *, embedder: Callable[[], Embedder] | None = None
) -> TokenSplit:
    if params.tokens == "estimated":
        return TokenSplit(params, None)

    def tokens() -> ModelTokens:
        model = embedder() if embedder else None
        if not isinstance(model, HasTokens):
            raise ExcerptaError(
                ErrorCode.INVALID_STRATEGY,
                "chunker.token_split: the strategy's embedder has no tokenizer here.",
                hint="Set the chunker's `tokens` to `estimated`.",
            )
        return model.tokens

    return TokenSplit(params, tokens)


register("chunker.token_split", version="5", params=TokenSplitParams, build=_build)
