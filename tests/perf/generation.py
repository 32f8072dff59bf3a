"""Answers from one locked parent: figures of the default, extractive generator.

Every question goes through :class:`~rag_query.generation.conversation.asker.Asker` on a
library that the product's own ingest made. Where a choice is offered, the first candidate is
chosen.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.perf.library import Work, build, data
from tests.perf.table import Row

if TYPE_CHECKING:
    from rag_query.contracts.answer import Answer
    from rag_query.generation.conversation.asker import Asker
    from rag_query.retrieval.pipeline import Retriever

_FIRST = 500
_RECIPES = 20
_ASKED = (
    "需要哪些原料？",
    "第二步怎么做？",
    "步骤有哪些？",
    "有什么注意事项？",
    "可以用无人机送货吗？",
)


def rows(work: Work) -> Iterator[Row]:
    """All figures but those of refusal, whose libraries take long to build."""
    yield from acceptance_rows(work)
    yield from counterfactual_rows(work)
    yield from answer_rows(work)


def answer_rows(work: Work) -> Iterator[Row]:
    """Whether the gold string stands in an answer of at most three sentences, and how quickly."""
    taken: list[float] = []
    for corpus, queries, answers in (
        ("cmrc2018_zh/corpus", "queries", "answers"),
        ("xquad/corpus.zh", "queries.zh", "answers.zh"),
        ("xquad/corpus.en", "queries.en", "answers.en"),
    ):
        folder = data() / "retrieval" / corpus.split("/", maxsplit=1)[0]
        gold = {line["_id"]: line for line in _lines(folder / f"{answers}.jsonl")}
        asked = [q for q in _lines(folder / f"{queries}.jsonl") if q["text"]][:_FIRST]
        home, _ = build(
            work, corpus.replace("/", "-"), [folder.parent / f"{corpus}.jsonl"], "default"
        )
        for locked, target in ((True, 0.80), (False, 0.72)):
            held = refused = 0
            with _asker(work, home) as asker:
                for question in asked:
                    wanted = gold[question["_id"]]
                    lock = wanted["corpus-id"] if locked else None
                    answer = _decided(asker, question["text"], lock)
                    refused += not answer.generation_map
                    held += _holds(answer, wanted["answers"])
                    if not locked:
                        taken.append(answer.took_ms - answer.retrieval_ms)
            name = "the right parent locked" if locked else "no lock"
            yield _row(
                f"{corpus}, {name}: gold string in at most 3 sentences",
                held / len(asked),
                "",
                target,
                notes=f"{len(asked)} questions, {refused} refused",
            )
    yield _row(
        "library_ask beyond retrieval, warm, median",
        statistics.median(taken),
        "ms",
        60,
        at_least=False,
        notes=f"{len(taken)} questions",
    )


def refusal_rows(work: Work) -> Iterator[Row]:
    """Refusal where the gold passages of every second question were taken out of the library.

    Other passages may answer such a question all the same. Where answer strings are known, recall
    is also counted over the questions with such a string in none of the passages found for them.
    """
    for name in ("product_docs_rag", "rgb_zh"):
        folder = data() / "retrieval" / name
        gold: dict[str, set[str]] = {}
        for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
            query, passage, _ = line.split("\t")
            gold.setdefault(query, set()).add(passage)
        asked = [q for q in _lines(folder / "queries.jsonl") if q["_id"] in gold]
        out = {passage for q in asked[1::2] for passage in gold[q["_id"]]}
        corpus = work.root / f"{name}-without.jsonl"
        with corpus.open("w", encoding="utf-8") as file:
            for line in _lines(folder / "corpus.jsonl"):
                if line["_id"] not in out:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
        home, _ = build(work, f"{name}-without", [corpus], "default")
        strings = {
            line["_id"]: _strings(line["answers"])
            for line in _lines(folder / "answers.jsonl")
            if "answers" in line
        }
        counts = _Counts()
        with _retriever(work, home) as retriever:
            asker = _asker_of(retriever)
            for number, question in enumerate(asked):
                answerable = number % 2 == 0
                if answerable and not gold[question["_id"]] - out:
                    continue
                answer = _decided(asker, question["text"], None)
                counts.add(answerable=answerable, refused=not answer.generation_map)
                if not answerable and (wanted := strings.get(question["_id"])):
                    counts.add_known(
                        refused=not answer.generation_map,
                        found=_stands(_found(retriever, question["text"]), wanted),
                        held=_holds(answer, wanted),
                    )
        yield from counts.rows(name)


def counterfactual_rows(work: Work) -> Iterator[Row]:
    """rgb_zh's counterfactual sets: the evidence speaks, and two chunks that disagree are shown."""
    for language in ("zh", "en"):
        folder = data() / "retrieval" / "rgb_zh"
        items = list(_lines(folder / f"counterfactual.{language}_fact.jsonl"))
        corpus = work.root / f"counterfactual-{language}.jsonl"
        kept = []
        with corpus.open("w", encoding="utf-8") as file:
            for item in items:
                pair = _pair(item)
                if pair is None:
                    continue
                kept.append(item)
                wrong, right = pair
                for kind, text in (("wrong", wrong), ("both", f"{wrong}\n\n{right}")):
                    record = {"_id": f"{language}-{item['id']}-{kind}", "title": "", "text": text}
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
        home, _ = build(work, f"counterfactual-{language}", [corpus], "default")
        stated = shown = cited = 0
        with _asker(work, home) as asker:
            for item in kept:
                one = asker.ask(item["query"], lock=f"{language}-{item['id']}-wrong")
                stated += _holds(one, _strings(item["fakeanswer"]))
                cited += all(entry.used_chunks for entry in one.generation_map)
                two = asker.ask(item["query"], lock=f"{language}-{item['id']}-both")
                shown += bool(two.contradictions)
        notes = (
            f"{len(kept)} of {len(items)} items whose wrong and right passages differ in the answer"
        )
        yield _row(
            f"counterfactual {language}: the answer states what the evidence does",
            stated / len(kept),
            notes=notes,
        )
        yield _row(
            f"counterfactual {language}: all sentences cited",
            cited / len(kept),
            "",
            1.0,
            notes=notes,
        )
        yield _row(
            f"counterfactual {language}: contradiction in one parent shown",
            shown / len(kept),
            notes=notes,
        )


def acceptance_rows(work: Work) -> Iterator[Row]:
    """The four acceptance tests of section 10 on howtocook_zh."""
    folder = data() / "md" / "howtocook_zh"
    home, _ = build(work, "howtocook", [folder], "default")
    recipes = sorted(folder.glob("dishes/*/*.md")) + sorted(folder.glob("dishes/*/*/*.md"))
    titles = [path.stem for path in recipes]
    with _asker(work, home) as asker:
        answered = mapped = sentences = 0
        for number in range(200):
            title = titles[number * 37 % len(titles)]
            asked = ("怎么做？", "需要哪些原料？", "有什么注意事项？")[number % 3]
            answer = _decided(asker, f"{title}{asked}", None)
            answered += bool(answer.generation_map)
            sentences += len(answer.generation_map)
            mapped += sum(
                bool(e.used_chunks and e.spans and e.passed) for e in answer.generation_map
            )
        yield _row(
            "howtocook_zh: sentences that map to a chunk",
            mapped / sentences,
            "",
            1.0,
            notes=f"200 questions, {answered} answered, {sentences} sentences",
        )
        yield from _conversations(asker, titles)
    yield from _deleted(work, recipes)


def _conversations(asker: Asker, titles: Sequence[str]) -> Iterator[Row]:
    from rag_query.generation.conversation.replay import replay

    left = equal = turns = 0
    for number in range(_RECIPES):
        first = _decided(asker, f"{titles[number * 17 % len(titles)]}怎么做？", None)
        assert first.lock.parent is not None
        for asked in _ASKED:
            answer = asker.ask(asked, first.session_id)
            turns += 1
            inside = answer.lock.parent == first.lock.parent and (
                answer.evidence_set is None
                or answer.evidence_set.parent_id == first.lock.parent.parent_id
            )
            left += not inside
        equal += replay(asker, first.session_id).equal
    yield _row(
        "20 conversations of 6 turns: turns that left their parent",
        left,
        "",
        0,
        at_least=False,
        notes=f"{turns} follow-up turns",
    )
    yield _row("20 conversations replayed: equal to the first run", equal / _RECIPES, "", 1.0)


def _deleted(work: Work, recipes: Sequence[Path]) -> Iterator[Row]:
    """The steps of a recipe taken out: its answer changes or is refused."""
    chosen = [p for p in recipes if "\n## 操作" in p.read_text("utf-8")][:_RECIPES]
    answers: dict[str, list[Answer]] = {}
    for name in ("whole", "cut"):
        folder = work.root / f"recipes-{name}"
        folder.mkdir(exist_ok=True)
        for path in chosen:
            text = path.read_text("utf-8")
            if name == "cut":
                text = re.sub(r"\n## 操作\n.*?(?=\n## |\Z)", "", text, flags=re.DOTALL)
            (folder / path.name).write_text(text, "utf-8")
        home, _ = build(work, f"recipes-{name}", [folder], "default")
        with _asker(work, home) as asker:
            answers[name] = [asker.ask("步骤有哪些？", lock=path.name) for path in chosen]
    changed = sum(
        [e.text for e in whole.generation_map] != [e.text for e in cut.generation_map]
        for whole, cut in zip(answers["whole"], answers["cut"], strict=True)
    )
    yield _row(
        "key chunk deleted: answers that change or are refused",
        changed / len(chosen),
        "",
        1.0,
        notes=f"{len(chosen)} recipes",
    )


@dataclass(slots=True)
class _Counts:
    kept: int = 0
    answerable: int = 0
    refused: int = 0
    rightly: int = 0
    unanswerable: int = 0
    known: int = 0
    held: int = 0
    absent: int = 0
    absent_refused: int = 0

    def add(self, *, answerable: bool, refused: bool) -> None:
        self.answerable += answerable
        self.unanswerable += not answerable
        self.kept += answerable and not refused
        self.refused += refused
        self.rightly += refused and not answerable

    def add_known(self, *, refused: bool, found: bool, held: bool) -> None:
        """An unanswerable question whose answer strings are known.

        Args:
            found: one of them stands in a passage found for the question.
            held: one of them stands in the answer.
        """
        self.known += 1
        self.held += held
        self.absent += not found
        self.absent_refused += refused and not found

    def rows(self, name: str) -> Iterator[Row]:
        notes = f"{self.answerable} answerable, {self.unanswerable} unanswerable"
        bench = "generation-refusal"
        precision = self.rightly / max(1, self.refused)
        yield Row(bench, f"{name}: precision of refusal", precision, "", 0.85, notes=notes)
        recall = self.rightly / max(1, self.unanswerable)
        yield Row(bench, f"{name}: recall of refusal", recall, "", 0.75, notes=notes)
        if self.known:
            yield Row(
                bench,
                f"{name}: recall of refusal where no passage found holds an answer string",
                self.absent_refused / max(1, self.absent),
                "",
                notes=f"{self.absent} of {self.known} unanswerable; to {self.held} of them the "
                "answer holds the gold string all the same",
            )
        kept = self.kept / max(1, self.answerable)
        yield Row(bench, f"{name}: answerable questions answered", kept, "", 0.85, notes=notes)


def _row(name: str, value: float, unit: str = "", target: float | None = None, **more: Any) -> Row:
    return Row("generation", name, value, unit, target, **more)


@contextmanager
def _retriever(work: Work, home: Path) -> Iterator[Retriever]:
    os.environ.update(work.environment())
    from rag_query.library.home import Home
    from rag_query.retrieval.open import open_retriever

    with open_retriever(Home.resolve(home), sinks=()) as retriever:
        yield retriever


@contextmanager
def _asker(work: Work, home: Path) -> Iterator[Asker]:
    with _retriever(work, home) as retriever:
        yield _asker_of(retriever)


def _asker_of(retriever: Retriever) -> Asker:
    from rag_query.generation.conversation.asker import Asker

    return Asker(retriever)


def _found(retriever: Retriever, question: str) -> str:
    """The text of the passages found for a question, as many as answering looks at."""
    from rag_query.retrieval.ask import plan_for_question

    snapshot = retriever.library.snapshot()
    plan = plan_for_question(question, top_k=30, include_snippets=False)
    pack = retriever.run(plan, snapshot=snapshot)
    return " ".join(c.chunk_text for c in snapshot.chunks([e.chunk_id for e in pack.evidences]))


def _decided(asker: Asker, question: str, lock: str | None) -> Answer:
    """The answer; of several documents that fit, the first candidate's."""
    answer = asker.ask(question, lock=lock)
    return asker.ask("1", answer.session_id) if answer.status == "choice" else answer


def _holds(answer: Answer, golds: Sequence[str]) -> bool:
    said = " ".join(entry.text for entry in answer.generation_map[:3])
    return len(answer.generation_map) <= 3 and _stands(said, golds)


def _stands(text: str, strings: Sequence[str]) -> bool:
    plain = _plain(text)
    return any(_plain(string) in plain for string in strings)


def _pair(item: dict[str, Any]) -> tuple[str, str] | None:
    """A wrong and a right passage of an item that really differ in its answer."""
    fake, true = _strings(item["fakeanswer"]), _strings(item["answer"])
    wrong = [p for p in item["positive_wrong"] if any(_plain(f) in _plain(p) for f in fake)]
    right = [p for p in item["positive"] if any(_plain(t) in _plain(p) for t in true)]
    right = [p for p in right if not any(_plain(f) in _plain(p) for f in fake)]
    return (wrong[0], right[0]) if wrong and right else None


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for part in value for text in _strings(part)]


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).casefold()


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
