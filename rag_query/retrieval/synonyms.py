"""Synonyms and abbreviations from a file of the library (DEV_SPEC 3.2.3.2).

The file has one entry a line, in the form Solr and Elasticsearch read:

* ``ups, uninterruptible power supply, 不间断电源``: each of them stands for all.
* ``潮位站 => 验潮站, tide station``: the left stands for the right too, not the other way round.

Blank lines and what follows ``#`` do not count. What an entry adds joins the words of the one BM25
search with less weight than the question's own; what is embedded stays as it was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rag_query.contracts.explain import SynonymUse
from rag_query.text.analysis import analyzer
from rag_query.text.ids import sha256_text

#: Weight of an added word beside 1 for a word of the question.
SYNONYM_WEIGHT = 0.7
#: Words that all entries together may add to one question.
MAX_ADDED = 32
MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Entry:
    """A variant as tokens, and what else it stands for."""

    tokens: tuple[str, ...]
    written: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Synonyms:
    """A file's entries.

    Attributes:
        by_first: first token of a variant -> its entries, the longest first.
        profile_id: sha256 of the file; empty when there is none.
        problems: lines that say nothing, for the caller.
    """

    by_first: dict[str, list[_Entry]]
    profile_id: str = ""
    problems: tuple[str, ...] = ()

    def used(self, text: str) -> list[SynonymUse]:
        """What the words of a text add, in their order."""
        tokens = analyzer().tokens(text)
        uses: dict[str, SynonymUse] = {}
        left = MAX_ADDED
        for at in range(len(tokens)):
            for entry in self.by_first.get(tokens[at], ()):
                if entry.written in uses or tuple(tokens[at : at + len(entry.tokens)]) != (
                    entry.tokens
                ):
                    continue
                added = [o for o in entry.others if not _stands(o, tokens)][:left]
                if added:
                    left -= len(added)
                    uses[entry.written] = SynonymUse(
                        written=entry.written, added=added, weight=SYNONYM_WEIGHT
                    )
        return list(uses.values())


NONE = Synonyms({})


def load_synonyms(path: Path) -> Synonyms:
    """The file's entries; none when there is no file. Read again only when it has changed.

    A file that cannot be read is named in ``problems``; it never fails a question.
    """
    try:
        stat = path.stat()
    except OSError:
        return NONE
    return _load(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _load(path: Path, _mtime: int, size: int) -> Synonyms:
    if size > MAX_BYTES:
        return Synonyms({}, problems=(f"{path.name} is larger than {MAX_BYTES} bytes",))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        return Synonyms({}, problems=(f"{path.name} cannot be read ({type(exc).__name__})",))
    by_first: dict[str, list[_Entry]] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        entries = _entries(content)
        if not entries:
            problems.append(f"{path.name}, line {number}: nothing stands for anything")
        for entry in entries:
            by_first.setdefault(entry.tokens[0], []).append(entry)
    for held in by_first.values():
        held.sort(key=lambda entry: -len(entry.tokens))
    return Synonyms(by_first, sha256_text(text), tuple(problems[:3]))


def _entries(line: str) -> list[_Entry]:
    left, arrow, right = line.partition("=>")
    names, others = _named(left), _named(right) if arrow else ()
    entries = []
    for name in names:
        tokens = tuple(analyzer().tokens(name))
        stands_for = others or tuple(other for other in names if other != name)
        if tokens and stands_for:
            entries.append(_Entry(tokens, name, stands_for))
    return entries


def _named(text: str) -> tuple[str, ...]:
    names = (part.strip() for part in text.replace("，", ",").split(","))
    return tuple(dict.fromkeys(name for name in names if name))


def _stands(words: str, tokens: Sequence[str]) -> bool:
    own = analyzer().tokens(words)
    return not own or any(
        list(tokens[at : at + len(own)]) == own for at in range(len(tokens) - len(own) + 1)
    )
