"""A model in torch, by way of sentence-transformers: what is converted, or used on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def load_model(name_or_path: str, *, device: str | None) -> Any:
    """A ``SentenceTransformer`` in evaluation mode, loaded without a word on stderr.

    Raises OSError or ValueError when there is none of that name.
    """
    from sentence_transformers import SentenceTransformer

    with quiet():
        return SentenceTransformer(name_or_path, device=device).eval()


@contextmanager
def quiet() -> Iterator[None]:
    """Transformers without progress bars and notes (on an unused pooler that has no weights)."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        logging.enable_progress_bar()
