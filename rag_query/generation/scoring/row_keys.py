"""Rows of a table, and items "key: value", of another thing than the question names.

Rows are alike but for what they are of: where the thing asked for has none, that of the thing
beside it holds as much of the question (a spelt loaf, a rye loaf). A word of the question may be a
synonym or beside the point. It names another thing where the document nowhere says it and either it
tells which loaf is meant as the row's key does of its own, or the question names a column and
nothing that the row holds itself. A row is of another thing too where the question names the key of
one beside it and the row holds nothing more of the question ("Who in Sales has the phone 4713?"),
or what it holds is a value to check ("Is the limit for Lyon 205?"). Both languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from rag_query.generation.passages.sections import all_above
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.questions.properties import DEGREES
from rag_query.generation.questions.question import Question
from rag_query.generation.vocabulary.answer_types import AnswerType
from rag_query.generation.vocabulary.asking import without_asking
from rag_query.generation.vocabulary.facts import plain
from rag_query.generation.vocabulary.verb_forms import base_forms
from rag_query.text.analysis import Analyzer

#: The key of an item.
_KEY = re.compile(r"\W*([^:：]{1,40}?)\s*[:：]\s*\S")
_NO_WORD = re.compile(r"[\W_]+")
_BRACKETS = re.compile(r"[（(][^（()）]*[)）]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
#: What asks for a column by another word than its head.
_ASKS_VALUE = frozenset(("cost", "price", "charg", "pay", "fee", "weigh", "amount", "valu"))
#: What asks for another row than the one it names.
_COMPARES = re.compile(
    r"\b(?:than|other|else|besides|except|instead|like|as|similar|same)\b|比|除|其他|其它|相同|一样|以外",
    re.IGNORECASE,
)
#: Letters in which forms of one word begin alike: child, children.
_SAME = 4
#: Characters that are no name of a thing by themselves.
_SHORT = 2


class RowKeys:
    """Compares what a question names with the keys of rows.

    Args:
        sentences: of the whole document.
    """

    def __init__(
        self, question: Question, sentences: Sequence[Sentence], analyzer: Analyzer
    ) -> None:
        self._analyzer = analyzer
        self._question = plain(question.whole).casefold()
        self._asked = base_forms(analyzer.tokens(question.whole))
        self._terms = question.terms.keys() - _ASKS_VALUE
        self._checks = question.answer_type is AnswerType.YES_NO
        self._sentences = sentences

    # Only what has rows is asked for these.
    @cached_property
    def _text(self) -> str:
        """All that the document says."""
        said = dict.fromkeys(
            text
            for s in self._sentences
            # What the first column holds stands above it alone: dishes, vehicles.
            for text in (s.chunk.title, *all_above(s), *s.heads, s.text)
        )
        return plain(" ".join(said)).casefold()

    @cached_property
    def _unsaid(self) -> set[str]:
        return {term for term in self._terms if not _is_said(term, self._text)}

    def is_beside_named(self, sentence: Sentence) -> bool:
        """Whether a row stands in a table of which the question names another row by its key, and
        holds nothing more of the question itself, unless that is a whole cell to check."""
        key = _key_of(sentence) if sentence.heads else ""
        said = self._named.get(_table_of(sentence)) if key else None
        if said is None or set(base_forms(self._analyzer.tokens(key))) <= set(self._asked):
            return False
        question = _NO_WORD.sub("", self._question)
        whole = [c for c in sentence.cells if _NO_WORD.sub("", plain(c)).casefold() in question]
        checked = self._terms_in(whole) if self._checks else set()
        return self._terms_in(sentence.cells) <= said | checked

    def is_of_another(self, sentence: Sentence) -> bool:
        """Whether a row or an item is of another thing than the one asked about."""
        key = _key_of(sentence)
        if not key or not self._unsaid:
            return False
        if _HAN.search(key):
            return self._is_other_in_chinese(key, sentence)
        words = base_forms(self._analyzer.tokens(key))
        if not words or set(words) - DEGREES <= set(self._asked):
            return False
        return self._tells_which(words) or (
            self._names_column(sentence) and not self._shares(sentence.cells)
        )

    @cached_property
    def _named(self) -> dict[tuple[str, ...], set[str]]:
        """The tables of which the question names a row by its key, and compares it with none: what
        of the question such rows and the heads hold."""
        named: dict[tuple[str, ...], set[str]] = {}
        if _COMPARES.search(self._question):
            return named
        for s in self._sentences:
            # By a word that heads a column the question may mean that.
            if s.heads and (key := _key_of(s)) and self._names(key) and not self._heads(s, key):
                held = self._terms_in((*s.heads, *s.cells))
                named.setdefault(_table_of(s), set()).update(held)
        return named

    def _heads(self, sentence: Sentence, key: str) -> bool:
        """Whether a key stands at the head of a column as well."""
        words = set(self._analyzer.tokens(key))
        return any(words <= set(self._analyzer.tokens(head)) for head in sentence.heads)

    def _terms_in(self, texts: Iterable[str]) -> set[str]:
        """The words of the question that texts hold."""
        return self._terms & set(base_forms(self._analyzer.tokens(" ".join(texts))))

    def _names(self, key: str) -> bool:
        """Whether the question holds a key of words whole."""
        if _HAN.search(key):
            key = _NO_WORD.sub("", plain(key)).casefold()
            return len(key) >= _SHORT and key in _NO_WORD.sub("", self._question)
        words = set(base_forms(self._analyzer.tokens(key)))
        return words <= set(self._asked) and any(word.isalpha() for word in words & self._terms)

    def _tells_which(self, key: Sequence[str]) -> bool:
        """Whether an unsaid word stands before the noun that the key ends on, where that has
        another one: spelt loaf, rye loaf."""
        noun = key[-1]
        # "1 hour" may be one hour, and tells not which.
        if len(key) < 2 or key[-2] in self._asked or key[-2].isdigit():
            return False
        pairs = zip(self._asked, self._asked[1:], strict=False)
        return any(after == noun and before in self._unsaid for before, after in pairs)

    def _names_column(self, sentence: Sentence) -> bool:
        """Whether the question names a column but the first."""
        heads = (
            base_forms(self._analyzer.tokens(_BRACKETS.sub("", h))) for h in sentence.heads[1:]
        )
        return any(head and set(head) <= set(self._asked) for head in heads)

    def _shares(self, cells: Iterable[str]) -> bool:
        words = base_forms(self._analyzer.tokens(" ".join(cells)))
        return any(
            word == term or (len(term) >= _SAME and word[:_SAME] == term[:_SAME])
            for word in words
            for term in self._terms
        )

    def _is_other_in_chinese(self, key: str, sentence: Sentence) -> bool:
        import rjieba

        key = _NO_WORD.sub("", plain(key)).casefold()
        question = _NO_WORD.sub("", self._question)
        if key in question:
            return False
        words = [word for word, _ in rjieba.tag(key)]
        ends = ("".join(words[at:]) for at in range(1, len(words)))
        end = next((end for end in ends if len(end) >= _SHORT and end in question), "")
        if end and (before := self._unsaid_nouns(question[: question.index(end)])):
            # 学生剪发, 男士剪发
            return question[: question.index(end)].rstrip("的").endswith(before[-1])
        named = [h for h in (_NO_WORD.sub("", h) for h in sentence.heads[1:]) if h in question]
        named = [head for head in named if len(head) >= _SHORT]
        if not named:
            return False
        rest = self._question
        for head in named:
            rest = rest.replace(head, " ")
        own = "|".join((key, *sentence.cells))
        shares = any(rest[at : at + _SHORT] in own for at in range(len(rest) - 1))
        return not shares and bool(self._unsaid_nouns(rest))

    def _unsaid_nouns(self, text: str) -> list[str]:
        import rjieba

        tagged = rjieba.tag(without_asking(text))
        nouns = (word for word, flag in tagged if flag.startswith("n") and len(word) >= _SHORT)
        return [noun for noun in nouns if noun not in self._text]


def _table_of(sentence: Sentence) -> tuple[str, ...]:
    """What the rows of one table have in common."""
    return (sentence.chunk.section_path, *sentence.heads)


def _key_of(sentence: Sentence) -> str:
    if len(sentence.cells) > 1:
        return sentence.cells[0]
    match = _KEY.match(sentence.text) if sentence.is_item else None
    return match[1] if match else ""


def _is_said(term: str, text: str) -> bool:
    """Whether a word stands in a text, be it in another form."""
    if not term.isascii():
        return term in text
    return re.search(rf"\b{re.escape(term[:_SAME])}", text) is not None
