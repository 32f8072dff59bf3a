"""Which of the found parents a question in Chinese can be about that names something in Latin
letters.

Such a word is a name, and where a document bears it in its title or in its file's name (the
leaflet of Torvalin), what another one says without that name, the leaflet of another drug, is said
of something else. In English a capital tells too little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import unquote

from rag_query.generation.candidates import Found
from rag_query.generation.question import Question
from rag_query.generation.unknown_names import is_said, words_of_names
from rag_query.text.language import detect_language


def speaking_of(
    question: Question, found: Sequence[Found], text_of: Callable[[Found], str]
) -> list[Found]:
    """Found parents without those that nowhere hold a name which another is called by.

    Args:
        text_of: all text of a parent.
    """
    left = list(found)
    if question.language != "zh":
        return left
    for word in sorted(words_of_names(question.names)):
        bearers = [each for each in left if is_said(word, _called(each))]
        # One in the question's language is found by its words.
        if any(detect_language(text_of(each)) != question.language for each in bearers):
            left = [each for each in left if is_said(word, f"{_called(each)} {text_of(each)}")]
    return left


def _called(found: Found) -> str:
    """The title and the name of the file."""
    parent = found.parent
    return f"{parent.title} {unquote(parent.source_uri.rpartition('/')[2])}"
