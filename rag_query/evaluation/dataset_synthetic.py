"""``dataset.synthetic``: cases made of the library's own headings and sentences.

Of each chosen passage one question is made: its heading with the title above it, or one of its
sentences as a reader sees them with every third word left out, so that no leg finds it by the whole
text. Code and addresses are none. A heading or sentence that occurs twice in the library asks for
nothing in particular and is not taken. The choice depends on the seed and the chunk ids alone: the
same library gives the same cases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import rjieba
from pydantic import Field

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.evaluation import SYNTHETIC, Dataset, EvalCase
from rag_query.contracts.tables import SERVING
from rag_query.evaluation.dataset import dataset_of
from rag_query.library.snapshot import Snapshot
from rag_query.providers.registry import Params, register
from rag_query.text.ids import sha256_text
from rag_query.text.marks import marked
from rag_query.text.sentences import split_sentences

PROVIDER_ID = "dataset.synthetic"
_COLUMNS = [
    "chunk_id", "title", "section_path", "section_title", "chunk_text", "language", "format",
    "block_type",
]  # fmt: skip
#: What tells a heading from others.
_HEADING = ("title", "section_path")
#: A sentence has at least so many words to be told from others.
_MIN_WORDS = 6
_MAX_WORDS = 40
#: Every so-many-th word is left out.
_DROPPED = 3
#: Marks of blocks and of cells, and addresses.
_WORD = re.compile(r"\w+")
_MARKS = re.compile(
    r"^(?:(?:[-*+>]|#{1,6}|\d{1,3}[.)])\s+)+|(?<!\S)\|+(?!\S)|^\[[^\[\]]+\]:(?=\s)"
    r"|(?:https?://|www\.)[^\s\u3000-\u303f\uff00-\uffef]+|[\w.+-]+@[\w-]+\.[\w.-]+"
)


class SyntheticParams(Params):
    """``cases`` at most; ``kinds`` of questions, in turn."""

    cases: int = Field(100, ge=1, le=10_000)
    kinds: tuple[Literal["heading", "sentence"], ...] = Field(("heading", "sentence"), min_length=1)
    seed: int = 0


class SyntheticDataset:
    """Known-item questions: the passage a question was made of is what answers it."""

    def __init__(self, params: SyntheticParams, snapshot: Callable[[], Snapshot]) -> None:
        self._params = params
        self._snapshot = snapshot

    def load(self, dataset_id: str) -> Dataset:
        """Raises ExcerptaError ``INVALID_DATASET`` when no passage makes a question."""
        table = _passages(self._snapshot())
        ids = table["chunk_id"].to_pylist()
        order = sorted(
            range(len(ids)), key=lambda at: sha256_text(f"{self._params.seed}\x1f{ids[at]}")
        )
        headings = Counter(zip(*(table[name].to_pylist() for name in _HEADING), strict=True))
        written = _written_sentences(table) if "sentence" in self._params.kinds else Counter()
        cases: list[EvalCase] = []
        for at in order:
            if len(cases) == self._params.cases:
                break
            (row,) = table.slice(at, 1).to_pylist()
            for turn in range(len(self._params.kinds)):
                kind = self._params.kinds[(len(cases) + turn) % len(self._params.kinds)]
                made = (
                    _of_heading(row, headings)
                    if kind == "heading"
                    else _of_sentence(row, written, self._params.seed)
                )
                if made is not None:
                    cases.append(_case(row, kind, made))
                    break
        if not cases:
            raise ExcerptaError(
                ErrorCode.INVALID_DATASET,
                "The library has no headings or sentences that a question can be made of.",
            )
        return dataset_of(dataset_id, PROVIDER_ID, cases)


def _passages(snapshot: Snapshot) -> pa.Table:
    """Every passage of a latest version."""
    parts = [SERVING.empty_table().select(_COLUMNS)]
    for file in snapshot.manifest.tables.get("serving", {}).values():
        if file.rows:
            with pa.memory_map(str(snapshot.home.root / file.path)) as source:
                table = pa.ipc.open_file(source).read_all()
                parts.append(table.filter(pc.field("is_latest")).select(_COLUMNS))
    return pa.concat_tables(parts)


def _written_sentences(table: pa.Table) -> Counter[str]:
    """How often the words of each sentence are written in a row in the library."""
    return Counter(
        _wording(text[start:end])
        for part in table["chunk_text"].chunks
        for text in part.to_pylist()
        for start, end in split_sentences(text)
    )


def _case(row: dict[str, Any], kind: str, query: str) -> EvalCase:
    chunk = row["chunk_id"]
    return EvalCase(
        case_id=f"{kind}_{chunk}",
        query=query,
        tags=[SYNTHETIC, kind, row["language"]],
        expected_chunk_ids=[chunk],
    )


def _of_heading(row: dict[str, Any], headings: Counter[tuple[str, ...]]) -> str | None:
    """The document's title and the heading; only of a section that is one passage."""
    heading = row["section_title"]
    if not heading or headings[tuple(row[name] for name in _HEADING)] > 1:
        return None
    text = heading if row["title"] == heading else f"{row['title']} {heading}"
    return _spaced(text)


def _of_sentence(row: dict[str, Any], written: Counter[str], seed: int) -> str | None:
    usable = [said for sentence, said in _sentences(row) if written[sentence] == 1]
    if not usable:
        return None
    sentence = min(usable, key=lambda s: sha256_text(f"{seed}\x1f{s}"))
    words = _words(sentence)
    kept = [word for place, word in enumerate(words) if place % _DROPPED != _DROPPED - 1]
    spaced = any(" " in sentence[i : i + 20] for i in (0, len(sentence) // 2))
    return (" " if spaced else "").join(kept).strip()


def _sentences(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each sentence that makes a question: its words, and as a reader sees it."""
    text, mostly_code = row["chunk_text"], row["block_type"] == "code"
    read = marked(text, row["format"], mostly_code=mostly_code)
    if mostly_code and not read.fences:
        return
    for start, end in split_sentences(text):
        if read.is_code(start) or _is_indented(text, start, end):
            continue
        sentence = _spaced(_MARKS.sub(" ", read.said(start, end)))
        if _MIN_WORDS <= len(_words(sentence)) <= _MAX_WORDS:
            yield _wording(text[start:end]), sentence


def _wording(text: str) -> str:
    """A text's words without the marks beside them: an item of a list is the same as its text."""
    return " ".join(_WORD.findall(text)).casefold()


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _is_indented(text: str, start: int, end: int) -> bool:
    """Whether lines stand as far in as code without a fence does."""
    lines = text[text.rfind("\n", 0, start) + 1 : end].split("\n")
    return all(line.startswith(("    ", "\t")) for line in lines if line.strip())


def _words(sentence: str) -> list[str]:
    return [word for word in rjieba.cut(sentence) if word.strip()]


def _build(
    params: SyntheticParams, *, snapshot: Callable[[], Snapshot], **_: Any
) -> SyntheticDataset:
    return SyntheticDataset(params, snapshot)


register(PROVIDER_ID, version="3", params=SyntheticParams, build=_build)
