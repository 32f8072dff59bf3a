"""Where the tokens of an embedder's own model lie in a text."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rag_query.providers.embedding.folder import ModelFolder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class ModelTokens:
    """The tokenizer of a model's folder, loaded on first use; prefixes and special tokens are
    not counted."""

    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder

    def starts(self, text: str) -> NDArray[np.int64]:
        """The offset in code points at which each token begins, in order: shape (tokens,)."""
        spans = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return np.asarray([start for start, _ in spans], dtype=np.int64)

    def count(self, text: str) -> int:
        """Tokens of ``text`` by itself."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder.path / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer


@runtime_checkable
class HasTokens(Protocol):
    """An embedder whose tokenizer is at hand; a remote one has none."""

    @property
    def tokens(self) -> ModelTokens: ...
