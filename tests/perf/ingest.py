"""Ingest as a whole: nothing lost, little beyond embedding, little done again, bounded memory."""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rag_query.library.home import Home
from rag_query.providers.embedding.models import ensure_model
from rag_query.providers.embedding.openvino import OpenVinoEmbedder, OpenVinoParams
from rag_query.strategies.strategy import load_strategy
from tests.perf.cheap import CheapWork
from tests.perf.library import Work, data, excerpta
from tests.perf.run_cost import stage_seconds, watched
from tests.perf.table import Row

#: SciFact's abstracts; fewer for a quick look.
ABSTRACTS = 5183
#: Of the whole ingest and of what it is measured against.
ROUNDS = 3
#: Documents of the run that has nothing to do.
MANY = 10_000
#: Of the large tree, in bytes.
TREE_BYTES = 1_000_000_000
_RECIPE_TYPES = {"intro", "ingredients", "operation", "tips"}


def markdown_rows(work: Work) -> Iterator[Row]:
    """All of ``md``: no file lost; every recipe has its parts; nothing done the second time; one
    changed document costs little and changes no other's chunks."""
    tree = work.home("markdown-tree")
    if not tree.exists():
        shutil.copytree(data() / "md", tree)
    files = sum(path.suffix in (".md", ".mdx") for path in tree.rglob("*") if path.is_file())
    place = Home.resolve(work.home("markdown-default"))
    home = str(place.root)
    first, took = excerpta(work, "ingest", str(tree), "--home", home)
    status, _ = excerpta(work, "status", "--home", home)
    counts = status["counts"]
    held = counts["documents"] + counts.get("duplicates", 0)
    yield Row("markdown", "Markdown files lost", files - held, "files", 0, False, f"of {files}")
    yield Row("markdown", "full ingest", took, "s", notes=f"{counts['chunks']} chunks")
    chunks = _chunks(place)
    dishes = {uri: kinds for uri, kinds in _types(chunks).items() if "/dishes/" in uri}
    lacking = sum(not kinds >= _RECIPE_TYPES for kinds in dishes.values())
    notes = f"of {len(dishes)}: intro, ingredients, operation, tips"
    yield Row("markdown", "recipes that lack a part", lacking, "", 0, False, notes)
    again, took = excerpta(work, "ingest", str(tree), "--home", home)
    yield Row("markdown", "the same run again", took, "s", 10, False)
    yield Row("markdown", "versions computed again", again["computed"], "", 0, False)
    assert first["snapshot"] == again["snapshot"], "a run with nothing to do published"
    yield from _one_changed(work, place, tree, chunks, sum(_seconds(place, first).values()))


def _one_changed(
    work: Work, place: Home, tree: Path, before: dict[str, tuple[str, str]], full: float
) -> Iterator[Row]:
    path = sorted(tree.rglob("*.md"))[200]
    path.write_text(path.read_text(encoding="utf-8") + f"\n\n{time.time_ns()}\n", encoding="utf-8")
    changed, _ = excerpta(work, "ingest", str(tree), "--home", str(place.root))
    seconds = _seconds(place, changed)
    share = sum(seconds.values()) / full
    slowest = sorted(seconds, key=lambda name: -seconds[name])[:3]
    notes = "most in " + ", ".join(f"{name} {seconds[name]:.2f} s" for name in slowest)
    yield Row(
        "markdown",
        "one document changed: stages over the full build",
        share,
        "",
        0.03,
        False,
        notes,
    )
    after = _chunks(place)
    uri = path.relative_to(tree).as_posix()
    others = {c for c, (source, _) in before.items() if not source.endswith(uri)}
    lost = len(others - after.keys())
    yield Row("markdown", "chunk ids of other documents changed", lost, "", 0, False)


@dataclass(frozen=True, slots=True)
class _Ingested:
    """A whole ingest of SciFact: its seconds, those of embedding its chunks, by length and without
    anything else, and what its stages took."""

    whole: float
    pure: float
    chunks: int
    stages: dict[str, float]

    @property
    def beyond(self) -> float:
        return self.whole / self.pure - 1

    def notes(self) -> str:
        slowest = sorted(self.stages, key=lambda name: -self.stages[name])[:5]
        return f"{self.chunks} chunks; " + ", ".join(
            f"{name} {self.stages[name]:.1f} s" for name in slowest
        )


def scifact_rows(work: Work) -> Iterator[Row]:
    """Documents a second of a whole ingest with MiniLM, over sentence-transformers' plain fp32
    ``encode`` of the same texts; and what the ingest costs beyond embedding its chunks."""
    from rag_query.providers.embedding.torch_model import load_model

    corpus, texts = _scifact(work)
    ours = _embedder(work, "minilm")
    theirs = load_model(str(work.root / "models" / ours.card.embedder_id), device="cpu")
    theirs.encode(texts[:8])
    # In turn, and a ratio of each round, for the machine's pace drifts.
    rounds: list[tuple[_Ingested, float]] = []
    for _ in range(ROUNDS):
        ingested = _ingest(work, corpus, "minilm", ours)
        rounds.append((ingested, _took(lambda: theirs.encode(texts))))
    yield Row(
        "scifact-ingest",
        "whole ingest over sentence-transformers fp32 encode",
        median(plain / ingested.whole for ingested, plain in rounds),
        target=3.5,
        notes="documents/s: "
        + "; ".join(
            f"{len(texts) / ingested.whole:.1f} against {len(texts) / plain:.1f}"
            for ingested, plain in rounds
        ),
    )
    yield _beyond("minilm", [ingested for ingested, _ in rounds])


def beyond_rows(work: Work) -> Iterator[Row]:
    """What an ingest costs beyond embedding its chunks with the default model; one round, for it
    takes ten minutes."""
    corpus, _ = _scifact(work)
    yield _beyond("default", [_ingest(work, corpus, "default", _embedder(work, "default"))])


def _beyond(strategy: str, rounds: Sequence[_Ingested]) -> Row:
    return Row(
        "scifact-ingest",
        f"ingest beyond pure embedding of the same chunks, {strategy}",
        median(ingested.beyond for ingested in rounds),
        "",
        0.15,
        False,
        notes="; ".join(f"{r.whole:.1f} s, {r.pure:.1f} s pure" for r in rounds)
        + f"; {rounds[-1].notes()}",
    )


def _scifact(work: Work) -> tuple[Path, list[str]]:
    """The corpus as a file to ingest, and its texts."""
    corpus = work.home("scifact-corpus.jsonl")
    source = data() / "retrieval" / "scifact" / "corpus.jsonl"
    lines = source.read_text(encoding="utf-8").splitlines()[:ABSTRACTS]
    corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
    records = [json.loads(line) for line in lines]
    return corpus, [f"{record['title']}\n{record['text']}" for record in records]


def _embedder(work: Work, strategy: str) -> OpenVinoEmbedder:
    """A strategy's own, unpacked and converted before anything is timed."""
    params = OpenVinoParams.model_validate(load_strategy(strategy).stage("embedder").params)
    embedder = OpenVinoEmbedder(ensure_model(params.model, work.root / "models"), params)
    embedder.embed_passages([f"number {number}" for number in range(8)])
    return embedder


def _ingest(work: Work, corpus: Path, strategy: str, embedder: OpenVinoEmbedder) -> _Ingested:
    place = Home.resolve(work.home(f"scifact-whole-{strategy}"))
    shutil.rmtree(place.root, ignore_errors=True)
    arguments = ["ingest", str(corpus), "--home", str(place.root), "--strategy", strategy]
    result, whole = excerpta(work, *arguments)
    by_length = sorted((text for _, text in _chunks(place, "chunk_text").values()), key=len)
    pure = _took(lambda: embedder.embed_passages(by_length))
    return _Ingested(whole, pure, len(by_length), _seconds(place, result))


def _took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def unchanged_rows(work: Work) -> Iterator[Row]:
    """10,000 files, and the run after that has nothing to do (a hashing embedder for the first)."""
    cheap = CheapWork(work.root)
    tree = work.home("many-tree")
    for number in range(MANY):
        path = tree / f"d{number % 100:02d}" / f"note-{number}.md"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# Note {number}\n\nWhat note {number} says.\n", encoding="utf-8")
    place = Home.resolve(work.home("many"))
    home = str(place.root)
    arguments = ["ingest", str(tree), "--home", home, "--strategy", cheap.strategy()]
    _, first = excerpta(cheap, *arguments)
    again, took = excerpta(cheap, "ingest", "--home", home)
    seconds = sum(_seconds(place, again).values())
    notes = f"{MANY:,} files; the first run took {first:.0f} s"
    yield Row("unchanged", "nothing changed: stages", seconds, "s", 3, False, notes)
    yield Row("unchanged", "nothing changed: in all", took, "s", 10, False, notes)


def memory_rows(work: Work) -> Iterator[Row]:
    """A tree of Markdown made of varied copies of ``md``, with a hashing embedder."""
    cheap = CheapWork(work.root)
    tree = work.home("large-tree")
    size = _grow(tree, TREE_BYTES)
    place = Home.resolve(work.home("large"))
    shutil.rmtree(place.root, ignore_errors=True)
    seen = watched(
        cheap, place, "ingest", str(tree), "--home", str(place.root), "--strategy", cheap.strategy()
    )
    notes = f"{size / 1e6:.0f} MB of Markdown in {seen.seconds:.0f} s, a hashing embedder"
    peak = seen.peak_bytes / 1e9
    yield Row("memory", "ingest of a large tree: peak of the run", peak, "GB", 2.5, False, notes)


def _grow(tree: Path, size: int) -> int:
    """Make a tree of at least ``size`` bytes; each copy says something else in each paragraph."""
    sources = [
        (path.relative_to(data() / "md"), path.read_text(encoding="utf-8", errors="replace"))
        for path in sorted((data() / "md").rglob("*.md"))
    ]
    chance = random.Random(7)
    written = copy = 0
    while written < size:
        for name, text in sources:
            path = tree / f"copy-{copy:03d}" / name
            mark = f" {chance.randrange(10**9)}\n\n"
            varied = text.replace("\n\n", mark)
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(varied, encoding="utf-8")
            written += len(varied.encode())
        copy += 1
    return written


def _seconds(place: Home, result: dict[str, object]) -> dict[str, float]:
    return stage_seconds(place, str(result["job_id"]))


def _chunks(place: Home, column: str = "block_type") -> dict[str, tuple[str, str]]:
    """chunk_id of newest versions -> (source_uri, a column), of the published snapshot."""
    import pyarrow as pa

    from rag_query.library.snapshot import Library

    manifest = Library.open(place).snapshot().manifest
    found: dict[str, tuple[str, str]] = {}
    for file in manifest.tables["serving"].values():
        with pa.memory_map(str(place.root / file.path)) as source:
            rows = pa.ipc.open_file(source).read_all()
        names = ("chunk_id", "source_uri", column, "is_latest")
        for chunk, uri, value, latest in zip(*(rows[n].to_pylist() for n in names), strict=True):
            if latest:
                found[chunk] = (uri, value)
    return found


def _types(chunks: dict[str, tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for uri, kind in chunks.values():
        found.setdefault(uri, set()).add(kind)
    return found
