"""A summary made of a document's own sentences (DEV_SPEC 3.3.2), without a language model.

Sentences are ranked by how well their words stand for the whole document (Radev et al. 2004,
centroid-based summarisation, with document frequencies counted over sections), what leads a
section weighs more, and each further one must say something new (maximal marginal relevance,
Carbonell and Goldstein 1998). Nothing is rewritten, so every sentence can be looked up.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log, sqrt
from operator import itemgetter
from typing import Literal

from rag_query.cancellation import checkpoint
from rag_query.contracts.documents import ChunkListing
from rag_query.text.analysis import analyzer
from rag_query.text.fences import code_ranges, holds
from rag_query.text.marks import Marked, marked
from rag_query.text.sentences import split_sentences

Style = Literal["short", "bullet", "detailed"]

#: Sentences of a summary; a detailed one has more when the document has more sections.
LENGTHS: dict[Style, int] = {"short": 3, "bullet": 7, "detailed": 15}
_MOST = 30
#: Best candidates that are compared with each other.
_COMPARED = 150
#: Weight of how central a sentence is against how new (MMR's lambda).
_CENTRAL = 0.7
#: How much more the first sentence of a section counts; the second half as much.
_LEAD = 0.25
#: In bytes, so that a short Chinese sentence counts like an English one that says as much.
_LEAST_BYTES, _MOST_BYTES = 8, 600
#: Passages with nothing to read. One with a table may hold prose beside its rows, which are no
#: sentences (see ``_HEADING_OR_RULE``).
_NOT_PROSE = frozenset({"code", "heading", "image", "formula"})
_LINE = re.compile(r"[^\n]+")
_MARKUP = re.compile(
    r"!\[[^\]]*\]\([^)]*\)|^\s{0,3}(?:[-*+>]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|\[\^[^\]]+\]:?"
)
_HEADING_OR_RULE = re.compile(r"^\s{0,3}(?:#{1,6}\s|[|]|[-=*_]{3,}\s*$|```|~~~|<[!/a-zA-Z])")
_SENTENCE_END = re.compile(r"[.!?。！？…;；)）」』”\"']$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the document, with where it stands.

    Attributes:
        text: as in the document, without Markdown's marks around it.
        chunk_id: the passage that holds it.
        section_path: of the passage.
        start, end: where it stands in the passage's text, half open.
        page: of the passage's beginning; None when the format has no pages.
        order: its place in the document, from 0.
    """

    text: str
    chunk_id: str
    section_path: str
    start: int
    end: int
    page: int | None
    order: int


def summarize(chunks: Sequence[ChunkListing], style: Style) -> list[Sentence]:
    """The sentences that stand best for these passages, in the document's order.

    Args:
        chunks: of one version, in order; overlaps between neighbours are read once.

    Returns:
        At most :data:`LENGTHS` sentences, a detailed one up to 30; fewer when the document is
        short, none when it holds no prose.
    """
    sentences = prose(chunks)
    words = [Counter(analyzer().tokens(sentence.text)) for sentence in sentences]
    kept = [n for n, found in enumerate(words) if found]
    sections = len({sentences[n].section_path for n in kept})
    wanted = LENGTHS[style] if style != "detailed" else min(_MOST, max(LENGTHS[style], sections))
    vectors = _weighed(sentences, words)
    scores = _scores(sentences, vectors)
    best = sorted(kept, key=lambda n: (-scores[n], n))[:_COMPARED]
    if style == "detailed":
        # Every section has its say before any has a second one.
        leaders = {sentences[n].section_path: n for n in reversed(best)}
        best.sort(key=lambda n: (leaders[sentences[n].section_path] != n, -scores[n], n))
    return [sentences[n] for n in sorted(_new_each(best, scores, vectors, wanted))]


def prose(chunks: Sequence[ChunkListing]) -> list[Sentence]:
    """The sentences of the passages that are prose: no code, tables, headings or images."""
    found: list[Sentence] = []
    read_to = 0
    for chunk in chunks:
        checkpoint()
        at = max(0, read_to - chunk.char_start)
        text = chunk.chunk_text[at:]
        read_to = max(read_to, chunk.char_end)
        if chunk.block_type in _NOT_PROSE:
            continue
        read = marked(text)
        for paragraph in _paragraphs(text):
            for start, end in split_sentences(paragraph.text):
                length = len(paragraph.text[start:end].rstrip())
                begin, last = paragraph.place(start), paragraph.place(start + length - 1)
                sentence = _MARKUP.sub("", _on_one_line(read, begin, last + 1)).strip()
                fits = _LEAST_BYTES <= len(sentence.encode()) <= _MOST_BYTES
                if fits and _SENTENCE_END.search(sentence):
                    found.append(
                        Sentence(
                            sentence,
                            chunk.chunk_id,
                            chunk.section_path,
                            start=at + begin,
                            end=at + last + 1,
                            page=chunk.page_start,
                            order=len(found),
                        )
                    )
    return found


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """Lines as one text.

    Attributes:
        begins: of each line, in the joined text and in the text it is from, ascending.
    """

    text: str
    begins: tuple[tuple[int, int], ...]

    def place(self, at: int) -> int:
        """Where a character of the joined text comes from."""
        joined, origin = self.begins[bisect_right(self.begins, at, key=itemgetter(0)) - 1]
        return origin + at - joined


def _paragraphs(text: str) -> list[_Paragraph]:
    """Lines joined to paragraphs, without headings, table rows, fences and what they enclose."""
    paragraphs: list[list[tuple[str, int]]] = [[]]
    code = code_ranges(text)
    at = 0
    for kept in text.splitlines(keepends=True):
        begin, at = at, at + len(kept)
        line = kept.rstrip()
        stripped = line.lstrip()
        if holds(code, begin) or not stripped or _HEADING_OR_RULE.match(line):
            paragraphs.append([])
        elif _MARKUP.match(line):
            paragraphs.append([(line, begin)])
        else:
            # Blanks that begin a further line are not part of the paragraph.
            inner = len(line) - len(stripped) if paragraphs[-1] else 0
            paragraphs[-1].append((line[inner:], begin + inner))
    return [_joined(lines) for lines in paragraphs if lines]


def _joined(lines: Sequence[tuple[str, int]]) -> _Paragraph:
    """Lines as one: with a blank between words, without one between Chinese characters."""
    text = ""
    begins: list[tuple[int, int]] = []
    for line, begin in lines:
        text += _between(text, line)
        begins.append((len(text), begin))
        text += line
    return _Paragraph(text, tuple(begins))


def _on_one_line(read: Marked, start: int, end: int) -> str:
    """What a reader sees of a part of a paragraph."""
    said = ""
    for line in _LINE.finditer(read.text, start, end):
        more = read.said(*line.span())
        said += _between(said, more) + more
    return said


def _between(text: str, line: str) -> str:
    """What stands between a text and the line that goes on with it."""
    is_chinese = text[-1:] >= "\u2e80" and line[:1] >= "\u2e80"
    return " " if text and line and not is_chinese else ""


def _weighed(
    sentences: Sequence[Sentence], words: Sequence[Counter[str]]
) -> list[dict[str, float]]:
    """Unit vectors: how often a word stands in a sentence by how few sections use it."""
    numbered = range(len(sentences))
    sections = [
        {word for n in members for word in words[n]}
        for _, members in groupby(numbered, key=lambda n: sentences[n].section_path)
    ]
    spread = Counter(word for section in sections for word in section)
    rarity = {word: log(1 + len(sections) / number) for word, number in spread.items()}
    vectors = []
    for found in words:
        vector = {word: (1 + log(n)) * rarity[word] for word, n in found.items()}
        length = sqrt(sum(value * value for value in vector.values())) or 1.0
        vectors.append({word: value / length for word, value in vector.items()})
    return vectors


def _scores(sentences: Sequence[Sentence], vectors: Sequence[dict[str, float]]) -> list[float]:
    """Closeness to the sum of all sentences, raised for the first two of each section."""
    center: Counter[str] = Counter()
    for vector in vectors:
        center.update(vector)
    length = sqrt(sum(value * value for value in center.values())) or 1.0
    scores: list[float] = []
    place: Counter[str] = Counter()
    for sentence, vector in zip(sentences, vectors, strict=True):
        close = sum(value * center[word] for word, value in vector.items()) / length
        before = place[sentence.section_path]
        lead = _LEAD / (1 + before) if before < 2 else 0.0
        place[sentence.section_path] += 1
        scores.append(close * (1 + lead))
    return scores


def _new_each(
    best: Sequence[int],
    scores: Sequence[float],
    vectors: Sequence[dict[str, float]],
    wanted: int,
) -> list[int]:
    """Of the best, one after the other that is central and unlike those taken before."""
    left, taken = list(best), list[int]()
    likeness = dict.fromkeys(left, 0.0)
    while left and len(taken) < wanted:
        checkpoint()
        chosen = max(left, key=lambda n: _CENTRAL * scores[n] - (1 - _CENTRAL) * likeness[n])
        left.remove(chosen)
        # The same sentence twice says nothing new, however central.
        if likeness[chosen] < 0.9:
            taken.append(chosen)
            for n in left:
                likeness[n] = max(likeness[n], _cosine(vectors[n], vectors[chosen]))
    return taken


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    return sum(value * other.get(word, 0.0) for word, value in one.items())
