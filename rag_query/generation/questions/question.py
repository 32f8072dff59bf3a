"""What a question asks: its content words and how rare they are, its numbers and names, and what
kind of thing would answer it. Rules, in both languages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rag_query.generation.passages.release_headings import RELEASED, heads_release
from rag_query.generation.questions.owners import Owned, owned_property
from rag_query.generation.questions.properties import asked_property
from rag_query.generation.questions.stated import Stated, StatedKind, stated_in
from rag_query.generation.questions.two_things import each_asked
from rag_query.generation.questions.unknown_names import unknown_names
from rag_query.generation.vocabulary.answer_types import (
    AnswerType,
    answer_type,
    asked_units,
    asks_event,
    asks_measure,
    asks_price,
    asks_who,
    holds_type,
    names_whom,
    tells_sum,
    tells_vaguely,
)
from rag_query.generation.vocabulary.asking import (
    compound_before,
    without_asking,
    without_coming_up,
    without_counting,
)
from rag_query.generation.vocabulary.changes import kind_of_change, without_changes
from rag_query.generation.vocabulary.facts import (
    MONEY,
    Number,
    denied,
    latin_names,
    numbers,
    quoted,
    values,
)
from rag_query.generation.vocabulary.free_of_charge import told_free
from rag_query.generation.vocabulary.locators import Locator, locator_asked
from rag_query.generation.vocabulary.verb_forms import base_forms, forms_of
from rag_query.generation.vocabulary.versions import asks_version, dotted
from rag_query.generation.vocabulary.words import ASKING
from rag_query.text.analysis import Analyzer
from rag_query.text.language import Language, detect_language

#: What a Chinese word is wrongly joined with: 假要 of 年假要提前申请, 要炖 of 牛腩要炖多久.
_VERBS = frozenset("是要")
#: Words of their own, though they stand nowhere.
_NO_VERBS = frozenset({"要点", "要领", "要素", "要求", "要件", "要害", "要塞"})

_ASKS = re.compile(
    r"^(?:And|What|Which|Who|Whose|When|Where|Why|How|In|On|At|By|For|To|Is|Are|Was|Were|Do|Does|Did"
    r"|Can|Could|Has|Have|Will|Should|The|A|An|According|Besides|During|After|Before)\b\s*"
    r"(?:(?:of|the)\s+)?"
)
#: What begins a question and elsewhere may be a name or a part of one: May, Will, Name.
_BEGINS = re.compile(
    r"(?:^|[.!?:]\s+)\W*(?:Please\s+)?(?:May|Must|Would|Shall|Might|Need|Am|If|Under|Within|Without"
    r"|From|With|Give|List|Name|Compare|Describe|Explain|Define|Find|Show|Tell|State|Quote|Cite"
    r"|Summari[sz]e|Outline|Identify|Calculate|Translate)\b"
)
_POSSESSIVE = re.compile(r"['’]s\b|['’](?!\w)")
#: What a word weighs that prefers what a list calls so, and needs not be there: "What was fixed?"
_HINT = 0.15

#: How far behind a negation the word may stand that it denies: "not normally lent", 不能租车.
_DENIED_CHARS, _DENIED_TOKENS = 40, 3

#: token -> number of chunks that hold it.
Frequency = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    Attributes:
        terms: content token -> weight, its rarity in the library (BM25's idf), in (0, ~12]; a word
            and its parts (实验室 and 实验) share one.
        quantities: numbers named in the question, with their units.
        names: quoted titles and capitalised names.
        units: of the number asked for; empty when none is named.
        compound: the nouns right before the words that ask how many, as tokens: those of all but
            the last noun, and those of the last, as (病假, 工资) of 病假工资按多少发放. A number in
            a text that has the last noun and none of those before it is of another thing (日工资).
            Both empty where there are not two nouns.
        attribute: the noun that names what is asked for of something, as a token: pressure of "the
            pump's maximum pressure"; empty for most.
        owned: the property asked for with its owner, as "the pump" there.
        stated: the settings, codes, versions and years it is about; empty for most questions.
        before: the questions of the conversation it goes on from; empty where it stands alone.
        asking: the text that says what is asked: its own, that of those before too where it asks
            nothing by itself.
        unknown: the names it gives that stand nowhere in the library.
        own: its own terms, one of which must be said, where it goes on from others; else empty.
        locator: the kind of address, site or number to call it asks for; None for most.
        kind: its terms that name that kind, which one of these says without the word.
        denies: its terms that it denies, as "lent" of "Which items are not lent?"; none of what
            asks whether something is so.
    """

    text: str
    language: Language
    terms: dict[str, float]
    quantities: tuple[Number, ...]
    names: tuple[str, ...]
    answer_type: AnswerType
    units: frozenset[str] = frozenset()
    compound: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    attribute: str = ""
    owned: Owned = field(default_factory=Owned)
    stated: tuple[Stated, ...] = ()
    before: str = ""
    asking: str = ""
    unknown: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    locator: Locator | None = None
    kind: frozenset[str] = frozenset()
    denies: frozenset[str] = frozenset()
    parts: tuple[Question, ...] = ()

    @property
    def whole(self) -> str:
        """Its text, that of the questions it goes on from first."""
        return f"{self.before} {self.text}".strip()

    @property
    def subjects(self) -> frozenset[str]:
        """The terms that are no part of another."""
        parts = set().union(*_parts_of(self.terms).values())
        return frozenset(self.terms.keys() - parts)

    @property
    def numbers(self) -> frozenset[str]:
        """The values named in the question."""
        return frozenset(number.value for number in self.quantities)

    @property
    def weight(self) -> float:
        """Of all terms together."""
        return sum(self.terms.values())

    def is_across(self, language: str | None) -> bool:
        """Whether its words cannot meet those of a document in that language."""
        return language not in (self.language, None) and "other" not in (self.language, language)

    def holds_type(self, text: str) -> bool:
        """Whether a text holds something of the kind asked that is not named here already."""
        return self._holds_type(text) or self._is_told_free(text)

    def is_only_told_free(self, text: str) -> bool:
        """Whether a text holds no price but that there is none."""
        return not self._holds_type(text) and self._is_told_free(text)

    def _holds_type(self, text: str) -> bool:
        if self.locator is not None:
            return self.locator.is_held(text, self.asking)
        return holds_type(self.answer_type, self.units, self.asking, self.numbers, text)

    def _is_told_free(self, text: str) -> bool:
        """Whether a price is asked for, and a text says of what the question is about that it
        costs nothing."""
        return self._asks_price and told_free(text, self.asking, self.terms)

    @property
    def _asks_price(self) -> bool:
        return self.answer_type is AnswerType.NUMBER and asks_price(self.asking, self.units)

    @property
    def asks_event(self) -> bool:
        """Whether only a date, or what it came with, answers it."""
        return self.answer_type is AnswerType.DATE and asks_event(self.asking)

    @property
    def asks_who(self) -> bool:
        """Whether the name of someone tells best."""
        return self.answer_type is AnswerType.PERSON and asks_who(self.text)

    def is_told_above(self, heading: str, text: str) -> bool:
        """Whether a heading holds the date or the version asked for, and the sentence none."""
        if not heads_release(heading):
            return False
        if asks_version(self.text):
            return values(text) <= self.numbers and any(
                each not in self.text for each in dotted(heading)
            )
        is_date = self.answer_type is AnswerType.DATE
        return is_date and self.holds_type(heading) and not self.holds_type(text)

    def said_by(self, heading: str) -> frozenset[str]:
        """The words of the question that a heading says without them: released, where it is a
        version and the date asked for."""
        is_date = self.answer_type is AnswerType.DATE and self.holds_type(heading)
        told = is_date and heads_release(heading) and bool(dotted(heading))
        return RELEASED & self.terms.keys() if told else frozenset()

    @property
    def is_about_someone(self) -> bool:
        """Whether it asks who someone is whom it names."""
        return self.answer_type is AnswerType.PERSON and names_whom(self.text)

    def quantified(self, text: str) -> bool:
        """Whether a text tells the number asked for, be it in words."""
        if self.holds_type(text) or not self.asks_figure:
            return self.holds_type(text) or tells_vaguely(text)
        return not asks_measure(self.asking) and tells_sum(text)

    @property
    def asks_figure(self) -> bool:
        """Whether a number answers, and not any quantity: a measure or a sum of money."""
        is_sum = not self.units.isdisjoint(MONEY) and self.units <= MONEY | {"%"}
        return is_sum or asks_measure(self.asking)


def read_question(text: str, analyzer: Analyzer, frequency: Frequency, chunks: int) -> Question:
    """Read a question.

    Args:
        frequency: how many of the library's ``chunks`` hold a token.
    """
    stated = stated_in(text)
    # The parts of a name that must stand whole would count it several times.
    ignored = {t for each in stated for name in each.names for t in analyzer.tokens(name)[1:]}
    is_versioned = any(each.kind is StatedKind.VERSION for each in stated)
    said = without_changes(text) if is_versioned else text
    if any(each.names for each in stated):
        said = without_coming_up(said)
    tokens = _content(without_asking(said), analyzer, frequency) or _content(
        text, analyzer, frequency
    )
    before, last = compound_before(text)
    hints = set(analyzer.tokens(kind_of_change(text))) if is_versioned else set()
    content = tuple(token for token in tokens if token not in ignored)
    terms = _counted_once(
        {
            token: math.log(1 + (chunks - tokens[token] + 0.5) / (tokens[token] + 0.5))
            * (_HINT if token in hints else 1)
            for token in content
        }
    )
    locator = locator_asked(text)
    # IP and URL are no names there.
    named = text.replace(locator.named, " ") if locator else text
    kind = base_forms(analyzer.tokens(locator.named)) if locator else ()
    language = detect_language(text)
    asked = answer_type(text)
    return Question(
        text=text,
        language=language,
        terms=terms,
        quantities=tuple(numbers(without_counting(text))),
        names=(*quoted(text), *_names(named, language)),
        answer_type=asked,
        units=asked_units(text),
        compound=(frozenset(analyzer.tokens(before)), frozenset(analyzer.tokens(last))),
        attribute=asked_property(text, terms, analyzer),
        owned=owned_property(text, terms, analyzer),
        stated=stated,
        asking=text,
        # Where no word stands anywhere, the index may be damaged.
        unknown=unknown_names(named, analyzer, frequency) if any(tokens.values()) else frozenset(),
        locator=locator,
        kind=frozenset(kind) & terms.keys(),
        denies=frozenset() if asked is AnswerType.YES_NO else _denied_terms(text, terms, analyzer),
        parts=tuple(read_question(e, analyzer, frequency, chunks) for e in each_asked(text)),
    )


def _denied_terms(text: str, terms: Mapping[str, float], analyzer: Analyzer) -> frozenset[str]:
    """The terms that a question denies: of what follows each negation the first."""
    found: set[str] = set()
    for rest in denied(text):
        tokens = base_forms(analyzer.tokens(rest[:_DENIED_CHARS]))[:_DENIED_TOKENS]
        found.update([token for token in tokens if token in terms][:1])
    return frozenset(found)


def _names(text: str, language: Language) -> list[str]:
    """Names in Latin letters, without the word that asks before one and its possessive: Python of
    "What Python …", Tesla of "Tesla's". In Chinese a capital is no matter of the first word."""
    text = _BEGINS.sub(lambda match: match[0].lower(), text)
    names = latin_names(text, skip_first=language != "zh")
    bare = (_POSSESSIVE.sub("", _ASKS.sub("", name)) for name in names)
    return [name for name in bare if name]


def _content(text: str, analyzer: Analyzer, frequency: Frequency) -> dict[str, int]:
    """The tokens that do not ask, verbs in one form -> number of chunks that hold them."""
    found: dict[str, int] = {}
    for token in base_forms(analyzer.tokens(text)):
        df = sum(map(frequency, forms_of(token)))
        word = token
        may_hold_verb = not df and len(token) == 2 and token not in _NO_VERBS
        if may_hold_verb and not _VERBS.isdisjoint(token):
            word, df = _without_verb(token, frequency)
        if word not in ASKING:
            found.setdefault(word, df)
    return found


def _without_verb(token: str, frequency: Frequency) -> tuple[str, int]:
    """What two characters are that stand nowhere together: the other one, where it does -> number
    of chunks that hold it."""
    parts = ((part, frequency(part)) for part in token if part not in _VERBS)
    return next(((part, df) for part, df in parts if df), (token, 0))


def _counted_once(weights: Mapping[str, float]) -> dict[str, float]:
    """Terms, those that are parts of a longer one sharing one weight with it.

    The analysis gives 实验室 and 实验, hl-v850 and hl and v850: a question says each but once. That
    weight is the longer one's, or of its parts together where they are rarer: 普通员工.
    """
    shared: dict[str, float] = {}
    parts_of = _parts_of(weights)
    for term in weights.keys() - set().union(*parts_of.values()):
        parts = parts_of[term]
        share = max(weights[term], sum(weights[part] for part in parts)) / (1 + len(parts))
        for each in (term, *parts):
            shared[each] = max(shared.get(each, 0.0), share)
    return {term: shared[term] for term in weights}


def _parts_of(terms: Collection[str]) -> dict[str, list[str]]:
    """Each term with the others that are Chinese words within it, or parts of the compound it is.

    Looked up by what stands in the term, as a pasted text may have thousands of them.
    """
    known = frozenset(terms)
    lengths = sorted({*map(len, terms)})
    return {term: list(dict.fromkeys(_parts_in(term, known, lengths))) for term in terms}


def _parts_in(term: str, known: Collection[str], lengths: Sequence[int]) -> Iterator[str]:
    if term.isascii() and term.isalnum():  # One word, of which none is a part.
        return
    for length in lengths:
        if length >= len(term):
            return
        for at in range(len(term) - length + 1):
            part = term[at : at + length]
            if part in known and _is_part(part, term, at):
                yield part


def _is_part(part: str, term: str, at: int) -> bool:
    """Whether what stands ``at`` a place of a term is a part of it. The analysis cuts no single
    Chinese character out of a longer word."""
    if not part.isascii():
        return len(part) > 1
    around = term[max(0, at - 1) : at] + term[at + len(part) : at + len(part) + 1]
    return not any(each.isascii() and each.isalnum() for each in around)
