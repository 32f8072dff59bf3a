"""Which document a question names, where the library holds others of its kind.

A name in a title that the title of a like document has not binds a question to the one: what the
leaflet of Meparol says without a name is said of Meparol, not of Torvalin. Of a question in Chinese
any word in Latin letters is a name; elsewhere a capital tells too little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from rag_query.contracts.answer import Parent
from rag_query.generation.parents.candidates import Found
from rag_query.generation.questions.question import Question
from rag_query.generation.questions.unknown_names import is_said, words_of_names
from rag_query.generation.vocabulary.facts import han_names
from rag_query.generation.vocabulary.verb_forms import forms_of
from rag_query.library.titles import Titles
from rag_query.text.analysis import Analyzer
from rag_query.text.language import detect_language
from rag_query.text.matching import FUNCTION_WORDS, find_words

#: Share of the words of the shorter of two titles that both have, from which on they are alike.
_ALIKE = 1 / 3

#: Words of a question that name other documents, as it writes them -> the ids of these.
Bound = Mapping[str, frozenset[str]]


def bound_elsewhere(
    question: Question,
    parent: Parent,
    titles: Titles,
    analyzer: Analyzer,
    text: Callable[[], str],
) -> Bound:
    """The names in a question that stand nowhere in a parent and in the title of a like document.

    A word that is not written as a name and that other documents say, as the leave of "Leave
    Policy", is one only beside what both titles say. Whoever says a word of the parent's own title
    as well compares the two.

    Args:
        text: all text of the parent, read only for a name that it seems to lack.
    """
    mine = _title_words(parent.title, analyzer)
    terms = question.own or frozenset(question.terms)
    found: dict[str, frozenset[str]] = {}
    for term in sorted(_naming(terms - mine)) if mine else ():
        forms = forms_of(term)
        if not titles.is_name(forms) or titles.is_said(parent.parent_id, forms):
            continue
        is_proper = _is_written_as_name(term, question, analyzer)
        is_proper = is_proper or not titles.is_said_elsewhere(forms)
        others = frozenset(
            each.doc_id
            for each in titles.bearing(forms, mine)
            if each.doc_id != parent.doc_id
            and _is_named_instead(
                terms, mine, _title_words(each.title, analyzer), is_proper=is_proper
            )
        )
        words = find_words(question.text, forms, analyzer) if others else []
        written = (question.text[start:end] for start, end in words)
        found |= {word: others for word in written if not is_said(word, text())}
    return found


def _is_named_instead(
    terms: frozenset[str], mine: frozenset[str], theirs: frozenset[str], *, is_proper: bool
) -> bool:
    both = mine & theirs
    are_alike = len(both) >= _ALIKE * min(len(mine), len(theirs))
    is_named = is_proper or not both.isdisjoint(terms)
    return are_alike and is_named and (mine - theirs).isdisjoint(terms)


def _is_written_as_name(term: str, question: Question, analyzer: Analyzer) -> bool:
    """Whether a word has a capital or quotation marks in a question, or is a Chinese name."""
    names = (*question.names, *han_names(question.text, "nr", "ns", "nt", "nz"))
    return term in analyzer.tokens(" ".join(names))


def _title_words(title: str, analyzer: Analyzer) -> frozenset[str]:
    return _naming(frozenset(analyzer.tokens(title)) - FUNCTION_WORDS)


def _naming(tokens: frozenset[str]) -> frozenset[str]:
    """Without single characters and numbers, which tell documents apart only by what they count:
    14 Harbour Street, 14 days."""
    return frozenset(t for t in tokens if len(t) > 1 and not t.isdecimal())


def not_of_others(
    question: Question,
    found: Sequence[Found],
    bound: Callable[[Parent], Bound],
    analyzer: Analyzer,
) -> list[Found]:
    """Found parents without those in the place of which the question names another found one; all
    of them where none would be left."""
    there = {each.parent.doc_id for each in found}
    titled = [_title_words(each.parent.title, analyzer) for each in found]
    asked = frozenset().union(*map(forms_of, question.own or question.terms))
    told = frozenset().union(*titled) & asked
    # Looked up only for a parent whose title lacks what that of another one says: it takes long.
    left = [
        each
        for each, mine in zip(found, titled, strict=True)
        if told <= mine
        or question.is_across(each.language)
        or all(there.isdisjoint(others) for others in bound(each.parent).values())
    ]
    return left or list(found)


def speaking_of(
    question: Question, found: Sequence[Found], text_of: Callable[[Found], str]
) -> list[Found]:
    """For a question in Chinese, found parents without those that nowhere hold a name in Latin
    letters which another is called by, in its title or its file's name.

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
