"""Which row of a table has the most or the least of what a question asks for: the highest margin,
最便宜的房间. Both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_query.generation.passages.sections import together
from rag_query.generation.passages.sentences import Sentence
from rag_query.generation.questions.question import Question
from rag_query.generation.vocabulary.facts import numbers
from rag_query.generation.vocabulary.verb_forms import base_forms
from rag_query.text.analysis import Analyzer

#: 最多可借 5 本 is a limit.
_ENDS = r"(?=的|是|呢|\W*$)"
_MOST = re.compile(
    r"\b(?:highest|largest|biggest|greatest|(?<!at )most(?: expensive)?|longest|heaviest|dearest)\b"
    rf"|最(?:高|多|大|长|重|贵){_ENDS}",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:lowest|smallest|fewest|(?<!at )least(?: expensive)?|shortest|lightest|cheapest)\b"
    rf"|最(?:低|少|小|短|轻|便宜){_ENDS}",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:second|third|fourth|next|\d(?:nd|rd|th)|increase[ds]?|decrease[ds]?|grew|growth|rose|rise"
    r"|fall|fell|drop(?:ped)?|change[ds]?|difference|average|mean)\b"
    r"|第[二三四五]|其次|增长|增加|增幅|下降|减少|降幅|变化|差[距额异]|人均|平均",
    re.IGNORECASE,
)
#: Ranks, of which the highest is the first.
_RANK = re.compile(r"\b(?:rank(?:ing)?|place|position)\b|名次|排名|排行|位次", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:which|who|whose|what|where)\b|哪|谁|什么", re.IGNORECASE)
#: What the rows are called is in the names of some of them: the single room, the double room.
_SORT = re.compile(
    r"(?:\b(?:which|what)\b|哪[个些种款类家座条间]?)(?P<rest>.{1,40})", re.IGNORECASE
)
#: The heads of the column in which superlatives are told that need not name it.
_COLUMNS = tuple(
    (re.compile(said, re.IGNORECASE), re.compile(heads, re.IGNORECASE))
    for said, heads in (
        (
            r"cheapest|dearest|expensive|便宜|贵",
            r"\b(?:prices?|costs?|fees?|fares?)\b|价|费|[（(]元",
        ),
        (r"longest|shortest|长|短", r"\b(?:length|distance|duration)\b|长|距离|里程"),
        (r"heaviest|lightest|重|轻", r"\bweight\b|重"),
    )
)
TOTAL = re.compile(
    r"\W*(?:(?:(?:grand |sub-?)?totals?|sum|all|overall|group|average|mean)\b"
    r"|合计|总计|总额|小计|共计|平均|总体|全部)",
    re.IGNORECASE,
)
_FREE = re.compile(r"free(?: of charge)?|no charge|免费|免票", re.IGNORECASE)
_NOTHING = re.compile(r"\W*|n/?a|none|无", re.IGNORECASE)
_NEGATIVE = re.compile(r"\s*(?:[-−–]|\()\s*\D?\d")
#: All of a number but what is counted: 12 million and 900,000 are not compared.
_BESIDE_DIGITS = re.compile(r"[\d\W十百千万亿]+")
#: How far the sum of rounded values may be from a total.
_ROUNDED = 0.005


@dataclass(frozen=True, slots=True)
class Extremes:
    """The rows that a superlative means.

    Attributes:
        rows: their numbers among the sentences: several, where they are equal.
        said: the superlative, as tokens.
    """

    rows: frozenset[int] = frozenset()
    said: frozenset[str] = frozenset()


def extremes(question: Question, sentences: Sequence[Sentence], analyzer: Analyzer) -> Extremes:
    """The rows with the most or the least of what is asked for; none where a sentence of the text
    says it, or where it is not clear of which table or column the question speaks."""
    asked = question.asking
    most, least = _MOST.findall(asked), _LEAST.findall(asked)
    if len(most) + len(least) != 1 or _NEXT.search(asked):
        return Extremes()
    said = (most or least)[0]
    heads = next((heads for words, heads in _COLUMNS if words.search(said)), None)
    if heads is None and not _WHICH.search(asked):
        return Extremes()
    found: list[tuple[str, dict[int, float]]] = []
    for table in tables_of(sentences):
        names = sentences[table[0]].heads
        column = _column(question, names, heads, analyzer)
        values = {} if column is None else _values(question, sentences, table, column, analyzer)
        if column is not None and len(values) > 1:
            found.append((names[column] if heads is None else "", values))
    if len(found) != 1 or _is_told(sentences, said, found[0][0], analyzer):
        return Extremes()
    values = found[0][1]
    best = max(values.values()) if most else min(values.values())
    rows = frozenset(row for row, value in values.items() if value == best)
    return Extremes(rows, tokens_of(said, analyzer))


def _is_told(sentences: Sequence[Sentence], said: str, column: str, analyzer: Analyzer) -> bool:
    """Whether a sentence that is no row holds the superlative, and a word of the column's head."""
    name = tokens_of(column, analyzer)
    return any(
        said.casefold() in each.text.casefold()
        and (not name or not name.isdisjoint(base_forms(analyzer.tokens(each.text))))
        for each in sentences
        if not each.cells
    )


def tables_of(sentences: Sequence[Sentence]) -> list[list[int]]:
    """The rows of each table that is there from its beginning, as numbers of sentences."""
    tables: list[list[int]] = []
    for n, sentence in enumerate(sentences):
        if not len(sentence.heads) == len(sentence.cells) > 1:
            continue
        if tables and tables[-1][-1] == n - 1 and _goes_on(sentences[n - 1], sentence):
            tables[-1].append(n)
        else:
            tables.append([n])
    return [table for table in tables if sentences[table[0]].chunk.header_row is None]


def _goes_on(before: Sentence, row: Sentence) -> bool:
    near = row.chunk.chunk_index <= before.chunk.chunk_index + 1
    return near and before.heads == row.heads and together(before, row)


def _column(
    question: Question, heads: Sequence[str], told_below: re.Pattern[str] | None, analyzer: Analyzer
) -> int | None:
    """The one column that a question means: below such a head, or the one whose head holds most of
    the question besides what the rows are. None where there is no such column, or several."""
    below = [n for n, head in enumerate(heads) if n and told_below and told_below.search(head)]
    sort = _sort(question, analyzer)
    weights = [weight_of(question, tokens_of(head, analyzer) - sort) for head in heads]
    most = max(weights[1:])
    named = [n for n, weight in enumerate(weights) if n and weight == most > 0]
    column = next((found[0] for found in (below, named) if len(found) == 1), None)
    if column is None or _RANK.search(heads[column]):
        return None
    # The cheapest dish with nuts: what a column of its own tells says which rows are meant.
    own = sort | tokens_of(heads[column], analyzer)
    others = (tokens_of(head, analyzer) - own for n, head in enumerate(heads) if n and n != column)
    return None if any(weight_of(question, each) for each in others) else column


def _values(
    question: Question,
    sentences: Sequence[Sentence],
    table: Sequence[int],
    column: int,
    analyzer: Analyzer,
) -> dict[int, float]:
    """The numbers in a column, by their rows; of the rows alone that hold what only some hold of
    the question. Empty where a cell holds something else, or the units differ."""
    rows = {n: sentences[n].cells for n in table if not TOTAL.match(sentences[n].cells[0])}
    values = values_of({n: cells[column] for n, cells in rows.items()})
    if (last := max(values, default=0)) == table[-1] and _is_total(last, values):
        del values[last]
    said = {n: tokens_of(" ".join(rows[n]), analyzer) for n in values}
    named = question.terms.keys() - _called(question, sentences[table[0]].heads, analyzer)
    held_by_some = {term for term in named if sum(term in each for each in said.values()) > 0}
    # Things side by side are named to choose among them: the single or the double room.
    every = {n: value for n, value in values.items() if held_by_some <= said[n]}
    any_of_them = {n: v for n, v in values.items() if not held_by_some.isdisjoint(said[n])}
    return every or any_of_them


def values_of(column: Mapping[int, str]) -> dict[int, float]:
    """The numbers in the cells of a column that hold anything; empty where one holds something
    else, or the units differ."""
    told = {n: cell for n, cell in column.items() if not _NOTHING.fullmatch(cell)}
    held = {n: numbers(cell) for n, cell in told.items() if not _FREE.fullmatch(cell)}
    if any(len(each) != 1 for each in held.values()):
        return {}
    if len({each[0].unit for each in held.values()}) > 1:
        return {}
    if len({_BESIDE_DIGITS.sub("", told[n]).casefold() for n in held}) > 1:
        return {}
    values = {n: 0.0 for n in told if n not in held}
    for n, each in held.items():
        values[n] = float(each[0].value) * (-1 if _NEGATIVE.match(told[n]) else 1)
    return values


def _called(question: Question, heads: Sequence[str], analyzer: Analyzer) -> frozenset[str]:
    """What the columns and the rows are called: it tells no row from another."""
    return tokens_of(" ".join(heads), analyzer) | _sort(question, analyzer)


def _sort(question: Question, analyzer: Analyzer) -> frozenset[str]:
    """What the things are called among which is to be chosen, as a token: 产品 of 哪个产品."""
    match = _SORT.search(question.asking)
    return frozenset(base_forms(analyzer.tokens(match["rest"]))[:1]) if match else frozenset()


def _is_total(row: int, values: Mapping[int, float]) -> bool:
    """Whether a row is the sum of the others, whatever it is called."""
    value = values[row]
    others = sum(values.values()) - value
    return len(values) > 2 and value != 0 and abs(value - others) <= _ROUNDED * abs(value)


def tokens_of(text: str, analyzer: Analyzer) -> frozenset[str]:
    return frozenset(base_forms(analyzer.tokens(text)))


def weight_of(question: Question, tokens: frozenset[str]) -> float:
    return sum(question.terms[term] for term in question.terms.keys() & tokens)
