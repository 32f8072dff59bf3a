"""Which rows of a table fulfil what a question asks of their cells: 哪些城市不含早餐, "Which cities
have a limit above 200 EUR?". Both languages.

The heads of a table say as much of such a question above each of its rows, so that words alone tell
none from another. All rows that fulfil it are the answer, and no other row is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rag_query.generation.passages.sections import all_above
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.passages.table_rows import unit_of_head
from rag_query.generation.questions.question import Question
from rag_query.generation.scoring.superlatives import (
    TOTAL,
    tables_of,
    tokens_of,
    values_of,
    weight_of,
)
from rag_query.generation.vocabulary.facts import Number, negated, numbers
from rag_query.generation.vocabulary.verb_forms import base_forms
from rag_query.text.analysis import Analyzer

#: 哪些城市, "which cities": what the rows are called follows.
_WHICH = re.compile(
    r"(?:\b(?:which|what)\b|哪[些几种款类家个]?)(?P<rest>.+)", re.IGNORECASE | re.DOTALL
)
#: What a cell says that says no, and what one says that says yes.
_NO = re.compile(
    r"no(?:ne|t\b.{1,20})?|false|[-–—✗✘×✖]|否|无|没有|[不未](?![详定知明]).{0,4}|非", re.IGNORECASE
)
_YES = re.compile(r"yes|true|[✓✔√]|是|有|可|可以|能|支持", re.IGNORECASE)
#: What a cell says besides: yes (on weekdays); 有，限早晚.
_REMARK = re.compile(r"\s*[(（,，;；].*", re.DOTALL)
#: What among other values is one as they are.
_TRUTH = re.compile(r"true|false", re.IGNORECASE)
#: What is said of any property, and names none.
_SAYS = frozenset((
    "have", "has", "do", "does", "can", "not", "no", "without", "but", "includ", "requir", "need",
    "offer", "provid", "allow", "support", "contain", "come", "get", "avail", "possibl",
    "是否", "能否", "可否", "可以", "可", "能", "不能", "不可", "没有", "有", "不", "但", "含",
    "包含", "包括", "需要", "需", "要", "支持", "允许", "提供", "带",
))  # fmt: skip
#: What is said of a column of sums that is called otherwise.
_COSTS = frozenset(("cost", "costs", "charg", "pay", "price", "要", "花", "收费"))
_BRACKETS = re.compile(r"[（(][^（()）]*[)）]")
#: A head that counts in more than ones: 收入（万元）.
_IN_THOUSANDS = re.compile(r"[十百千万亿]|thousand|million|billion|\bk\b", re.IGNORECASE)
_FIGURE = r"\d[\d.,]*\s?(?:[a-z]{1,12}|[^\W\da-z_]{1,5}|%)?"
_NOT = r"(?P<not>\b(?:not?|never)\s+|n['’]t\s+|不)?"
_MORE = (
    r"\b(?:(?:more|higher|greater|larger|bigger|longer|heavier|wider|deeper|faster|older)"
    r"(?: expensive)? than|over|above|exceed(?:s|ing)?|at least)\b|超过|高于|大于|多于|长于|至少"
)
_LESS = (
    r"\b(?:(?:less|fewer|lower|smaller|shorter|lighter|cheaper|slower|younger)"
    r"(?: expensive)? than|under|below|at most|up to)\b|低于|小于|少于|短于|最多"
)
#: What a number is compared by: before it, behind it (600元以上) or around it (比600元高).
_BEFORE = re.compile(
    rf"{_NOT}(?:(?P<more>{_MORE})|(?P<less>{_LESS}))(?:\s?or equal to|或?等于)?\s*"
    rf"(?P<figure>\D{{0,2}}{_FIGURE})",
    re.IGNORECASE,
)
_BEHIND = re.compile(rf"(?P<figure>{_FIGURE}?)(?:(?P<more>及?以上)|(?P<less>及?以[下内]))")
_AROUND = re.compile(
    rf"比\s?(?P<figure>{_FIGURE}?)更?(?:(?P<more>[高贵多大长重])|(?P<less>[低少小短轻]|便宜))"
)
_DIGITS = re.compile(r"[\d\W]+")
#: What makes one of several things enough.
_OR = re.compile(r"\bn?or\b|或|还是", re.IGNORECASE)
#: What the unit of the number counts, beside words of the question in the head of a column.
_OF_UNIT = 0.1
#: What says that a number equal to the other is meant too.
_OR_EQUAL = re.compile(
    r"at (?:least|most)|up to|or equal|等于|至少|最多|以[上下内]$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Fulfilling:
    """The rows of a table that fulfil what a question asks of its columns.

    Attributes:
        rows: their numbers among the sentences; none where no row does.
        table: those of all its rows; none where no table is asked for its rows.
    """

    rows: frozenset[int] = frozenset()
    table: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Compared:
    """What a question compares with.

    Attributes:
        text: what says so.
        before: what stands before that.
        behind: what stands behind its number.
        is_more: what is more fulfils it.
    """

    text: str
    before: str
    behind: str
    number: Number
    is_more: bool
    or_equal: bool

    def fulfilled_by(self, value: float) -> bool:
        own = float(self.number.value)
        return (self.or_equal and value == own) or (value > own if self.is_more else value < own)


def fulfilling(question: Question, sentences: Sequence[Sentence], analyzer: Analyzer) -> Fulfilling:
    """The rows that fulfil what is asked; none where it is not clear of which table, or where the
    question says more of them than its heads and cells do."""
    which = _WHICH.search(question.asking)
    if which is None or question.before:
        return Fulfilling()
    compared = _comparison(question.asking)
    asked = [
        _Table(question, compared, which["rest"], {n: sentences[n] for n in rows}, analyzer)
        for rows in tables_of(sentences)
    ]
    found = [(each, meant) for each in asked if (meant := each.meant()).table]
    # What the rows are called tells the tables apart, and so does that one holds such a row.
    for is_better in (lambda each, _: each.is_called_first, lambda _, meant: bool(meant.rows)):
        better = [pair for pair in found if is_better(*pair)]
        found = better or found
    return found[0][1] if len(found) == 1 else Fulfilling()


def _comparison(text: str) -> _Compared | None:
    """The one number that a question compares with."""
    found = [match for form in (_BEFORE, _BEHIND, _AROUND) for match in form.finditer(text)]
    if len(found) != 1 or len(numbers(text)) != 1:
        return None
    match = found[0]
    held = numbers(match["figure"])
    if len(held) != 1:
        return None
    denied = bool(match.groupdict().get("not"))
    or_equal = denied or _OR_EQUAL.search(match[0]) is not None
    behind = _DIGITS.sub("", match["figure"]) + text[match.end() :]
    return _Compared(
        match[0],
        text[: match.start()],
        behind,
        held[0],
        (match["more"] is not None) != denied,
        or_equal,
    )


def _compares(text: str, number: Number) -> bool:
    """Whether a text compares with a number itself: Over 60, 12岁以下儿童."""
    is_compared = any(form.search(text) for form in (_BEFORE, _BEHIND, _AROUND))
    return is_compared and any(each.value == number.value for each in numbers(text))


class _Table:
    """A table of which a question may ask for some rows.

    Args:
        rest: of the question, what follows the word that asks.
        rows: its sentences by their numbers.
    """

    def __init__(
        self,
        question: Question,
        compared: _Compared | None,
        rest: str,
        rows: Mapping[int, Sentence],
        analyzer: Analyzer,
    ) -> None:
        first = rows[min(rows)]
        self._question, self._compared, self._analyzer = question, compared, analyzer
        self._cells = {n: row.cells for n, row in rows.items()}
        self._kept = {n: c for n, c in self._cells.items() if not TOTAL.match(c[0])}
        self._heads = [self._tokens(_BRACKETS.sub("", head)) for head in first.heads]
        self._head_texts = first.heads
        above = self._tokens(" ".join((first.chunk.title, *all_above(first))))
        left = question.asking.replace(compared.text, " ") if compared else question.asking
        self._left = question.terms.keys() & self._tokens(left)
        self._is_denied = negated(left) > 0
        self._called = frozenset(self._terms_of(rest)[:1]) & frozenset().union(*self._heads, above)
        #: Whether the question calls the rows as the first column does.
        self.is_called_first = not self._called.isdisjoint(self._heads[0])
        self._known = frozenset().union(*self._heads, above, _SAYS, _COSTS if compared else ())

    def meant(self) -> Fulfilling:
        """The rows a question asks for."""
        if not self._called or (self._is_denied and not self._question.denies):
            return Fulfilling()
        met: list[set[int]] = []
        if self._compared:
            if (compared := self._comparing(self._compared)) is None:
                return Fulfilling()
            met.append(compared)
        read = {n: self._yes_or_no(n) for n in self._named()}
        if None in read.values():
            return Fulfilling()
        answered = {n: said for n, said in read.items() if said}
        met += [self._as_asked(n, said) for n, said in answered.items()]
        said_of_some = self._left - self._known
        held = {n: self._tokens(" ".join(cells)) for n, cells in self._kept.items()}
        denied = frozenset().union(*(self._heads[n] for n in answered), _SAYS)
        if not met or not said_of_some <= frozenset().union(*held.values()):
            return Fulfilling()
        if self._is_denied and not self._question.denies <= denied:
            return Fulfilling()
        rows = {n for n, tokens in held.items() if said_of_some <= tokens}
        asked = len(self._named()) + (self._compared is not None) + bool(said_of_some)
        # One of two things is enough, or each is asked for: no row is of Paris and Rome.
        if (asked > 1 and _OR.search(self._question.asking)) or not rows:
            return Fulfilling()
        return Fulfilling(frozenset(rows.intersection(*met)), frozenset(self._cells))

    def _named(self) -> list[int]:
        """The columns whose heads the question says, but for what is said of any property."""
        names = [head - _SAYS or head for head in self._heads]
        asked = self._tokens(self._question.asking)
        return [n for n, name in enumerate(names) if n and name and name <= asked]

    def _yes_or_no(self, column: int) -> dict[int, bool] | None:
        """What each row's cell says where those of the column say yes and no alone, or where one
        says no for which is asked; empty where they say neither, None where only some do."""
        cells = {n: _REMARK.sub("", cells[column].strip()) for n, cells in self._kept.items()}
        denied = {cell.casefold() for cell in cells.values() if _NO.fullmatch(cell)}
        says = {n: _says(cell, denied) for n, cell in cells.items()}
        if negated(self._head_texts[column]) or len({*says.values()}) < 2:
            return {}
        if None in says.values():
            is_value = any(_TRUTH.fullmatch(cell) or not cell for cell in cells.values())
            if is_value or not self._is_denied:
                return None if True in says.values() else {}
        return {n: said is not False for n, said in says.items()}

    def _as_asked(self, column: int, said: Mapping[int, bool]) -> set[int]:
        """The rows whose cell of a column says what the question does."""
        denies = self._question.denies
        is_denied = self._is_denied and not denies.isdisjoint(self._heads[column] | _SAYS)
        return {n for n, yes in said.items() if yes != is_denied}

    def _comparing(self, compared: _Compared) -> set[int] | None:
        """The rows whose number is more, or less, than the question's, in the column that it names
        best, or the one that has its unit; None where there is no such column, or several."""
        near = {*self._terms_of(compared.before)[-1:], *self._terms_of(compared.behind)[:1]}
        first = [numbers(cells[0]) for cells in self._kept.values()]
        called = [*self._head_texts, *(cells[0] for cells in self._kept.values())]
        if any(_compares(text, compared.number) for text in called):
            return None  # Children under 12: what a row or a column is called compares nothing.
        if all(first) and not near.isdisjoint(self._heads[0]):
            return None  # Amounts above 500, each with its fee.
        columns: dict[int, dict[int, float]] = {}
        weights: dict[int, float] = {}
        for column, head in enumerate(self._head_texts[1:], 1):
            cells = {n: cells[column] for n, cells in self._kept.items()}
            values = {} if _IN_THOUSANDS.search(head) else values_of(cells)
            held = {number.unit for cell in cells.values() for number in numbers(cell)}
            units = (held | {unit_of_head(head)}) - {None}
            unit = compared.number.unit
            if any(map(numbers, cells.values())) and (not units or unit in units | {None}):
                columns[column] = values
                named = weight_of(self._question, self._heads[column] & near)
                weights[column] = named + _OF_UNIT * (unit in units)
        most = max(weights.values(), default=0)
        best = [n for n, weight in weights.items() if weight == most > 0]
        if len(best) != 1 or len(columns[best[0]]) < 2:
            return None
        found = {n for n, value in columns[best[0]].items() if compared.fulfilled_by(value)}
        # The fee above 500 is one of such an amount, where there is none as high.
        return found if found or not all(first) else None

    def _terms_of(self, text: str) -> list[str]:
        """The words of the question in a part of it, without what is said of any property."""
        tokens = base_forms(self._analyzer.tokens(text))
        return [t for t in tokens if t in self._question.terms and t not in _SAYS]

    def _tokens(self, text: str) -> frozenset[str]:
        return tokens_of(text, self._analyzer)


def _says(cell: str, denied: Collection[str]) -> bool | None:
    """Whether a cell says yes or no; None where it says neither. Included says yes where another
    cell, one of those that say no, says not included."""
    if _NO.fullmatch(cell):
        return False
    mine = cell.casefold()
    is_other = bool(mine) and any(
        other.endswith(mine) and len(other) > len(mine) for other in denied
    )
    return True if is_other or _YES.fullmatch(cell) else None
