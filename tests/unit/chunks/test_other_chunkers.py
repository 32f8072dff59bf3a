"""What every chunker promises, and what each of the others is for."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rag_assets.chunks.base import Chunker
from rag_assets.chunks.measure import Ruler
from rag_assets.chunks.semantic_split import SemanticSplit, SemanticSplitParams
from rag_assets.chunks.sentence_window import SentenceWindow, SentenceWindowParams
from rag_assets.chunks.token_split import TokenSplit, TokenSplitParams
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding.base import Embedder, ModelCard
from rag_query.providers.embedding.isolating import PROBE
from rag_query.providers.embedding.models import ensure_model
from rag_query.providers.embedding.tokens import ModelTokens
from rag_query.providers.registry import REGISTRY
from rag_query.tracing.context import Trace, start
from tests.unit.chunks.test_rcts import LONG_LINES
from tests.unit.sections.test_blocks import LINES

SIZE = 64


class ByTopic(Embedder):
    """Embeds a sentence by the first of a few words it names; anything else is a third topic."""

    card = ModelCard("topics", "1", 3, 512, ("*",))

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [("cat" in text, "ship" in text, True) for text in texts]
        vectors = np.asarray(rows, np.float32) * np.asarray([4, 4, 1], np.float32)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_passages(texts)


class Refusing(ByTopic):
    """Refuses every call with one of some sentences in it."""

    def __init__(self, refused: Collection[str]) -> None:
        self.refused = refused

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if any(text in self.refused for text in texts):
            raise ExcerptaError(ErrorCode.EMBED_FAILED, "refused")
        return super().embed_passages(texts)


class Taking(ByTopic):
    """Embeds some sentences as if they were others."""

    def __init__(self, others: Mapping[str, str]) -> None:
        self.others = others

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return super().embed_passages([self.others.get(text, text) for text in texts])


def semantic(embedder: Any = None, **params: Any) -> SemanticSplit:
    return SemanticSplit(SemanticSplitParams(**params), lambda: embedder or ByTopic())


CHUNKERS: dict[str, Callable[[], Chunker]] = {
    "tokens": lambda: TokenSplit(
        TokenSplitParams(chunk_size=SIZE, chunk_overlap=9, tokens="estimated"), None
    ),
    "sentences": lambda: SentenceWindow(SentenceWindowParams(chunk_size=SIZE)),
    "semantic": lambda: semantic(chunk_size=SIZE, min_chunk_size=20),
}


@pytest.mark.parametrize("name", CHUNKERS)
@given(
    text=st.lists(LINES | LONG_LINES, max_size=14).map("\n".join)
    | st.text(alphabet="ab .\n中。，\u0301\u200d👍🏽`#|", max_size=400)
)
def test_pieces_cover_the_section_within_the_size(name: str, text: str) -> None:
    ruler = Ruler(text, "estimated_tokens" if name == "tokens" else "chars")
    covered = 0
    for piece in CHUNKERS[name]().split(text, None):
        chunk = text[piece.start : piece.end]
        assert chunk and chunk == chunk.strip()
        assert not text[covered : piece.start].strip()
        assert piece.end > covered
        covered = piece.end
        assert ruler.size(piece.start, piece.end) <= SIZE
    assert not text[covered:].strip()


@pytest.fixture(scope="session")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> ModelTokens:
    return ModelTokens(ensure_model("all-MiniLM-L6-v2", tmp_path_factory.mktemp("models")))


@given(
    text=st.lists(LINES | LONG_LINES, max_size=10).map("\n".join)
    | st.text(alphabet="ab .\n中。，\u0301\u200d👍🏽`#|ﷺﬃ", max_size=200)
)
def test_no_piece_has_more_of_the_models_tokens(tokens: ModelTokens, text: str) -> None:
    params = TokenSplitParams(chunk_size=24, chunk_overlap=5)
    covered = 0
    for piece in TokenSplit(params, lambda: tokens).split(text, None):
        assert not text[covered : piece.start].strip()
        assert piece.end > covered
        covered = piece.end
        assert tokens.count(text[piece.start : piece.end]) <= 24
    assert not text[covered:].strip()


def test_token_windows_overlap_and_end_between_words(tokens: ModelTokens) -> None:
    text = "several ordinary words stand in every line of this text " * 20
    params = TokenSplitParams(chunk_size=30, chunk_overlap=6)
    pieces = TokenSplit(params, lambda: tokens).split(text, None)
    assert len(pieces) > 5
    for before, after in pairwise(pieces):
        assert before.start < after.start < before.end
        assert 0 < tokens.count(text[after.start : before.end]) <= 6
        assert text[before.end] == " " and text[after.start - 1] == " "


@pytest.mark.parametrize("name", CHUNKERS)
def test_every_cell_of_a_row_without_blanks_is_whole_in_a_chunk(name: str) -> None:
    cells = [f"{n}.25-v0x{n}" for n in range(200)]
    row = "|".join(cells)
    pieces = CHUNKERS[name]().split(row, None)
    assert {cell for p in pieces for cell in row[p.start : p.end].split("|")} >= set(cells)


def test_tokens_of_an_embedder_without_a_tokenizer_are_asked_for_plainly() -> None:
    chunker = REGISTRY.create("chunker.token_split", {}, embedder=ByTopic)
    with pytest.raises(ExcerptaError, match="estimated"):
        chunker.split("text", None)


def test_windows_hold_whole_sentences_and_repeat_the_last() -> None:
    text = "先把鸡蛋打散，加入盐。然后热锅倒油。翻炒均匀即可。装盘上桌。" * 4
    chunker = SentenceWindow(SentenceWindowParams(chunk_size=40, overlap_sentences=1))
    pieces = chunker.split(text, None)
    assert all(text[piece.start : piece.end].endswith("。") for piece in pieces)
    assert all(after.start < before.end for before, after in pairwise(pieces))
    none = SentenceWindow(SentenceWindowParams(chunk_size=40, overlap_sentences=0))
    assert all(a.end <= b.start for a, b in pairwise(none.split(text, None)))


@pytest.mark.parametrize("name", ["sentences", "semantic"])
def test_tables_that_fit_are_whole_and_headings_stay_with_their_text(name: str) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    text = f"A first sentence to fill up the space. And more.\n\n# Head\n\n{table}\n\nEnd. Words."
    chunks = [text[p.start : p.end] for p in CHUNKERS[name]().split(text, None)]
    assert any(table in chunk for chunk in chunks)
    assert not any(chunk.endswith("# Head") for chunk in chunks)


@pytest.mark.parametrize("name", ["sentences", "semantic"])
def test_code_in_a_list_that_fits_is_whole(name: str) -> None:
    code = "```\n   first = 1. Second = 2.\n   ```"
    text = "Words. " * 4 + "\n\n" + f"1. Do this. And that.\n\n   {code}\n\n" * 3
    chunks = [text[p.start : p.end] for p in CHUNKERS[name]().split(text, None)]
    assert sum(chunk.count(code) for chunk in chunks) == 3
    assert all(chunk.count("```") % 2 == 0 for chunk in chunks)


def test_a_table_that_is_cut_names_its_header() -> None:
    rows = "\n".join(f"| {n} | {n} {n} |" for n in range(20))
    pieces = CHUNKERS["sentences"]().split(f"| h | k |\n|---|---|\n{rows}", None)
    assert [piece.header_row for piece in pieces][:2] == [None, "| h | k |"]


def test_a_change_of_topic_is_where_semantic_chunks_end() -> None:
    cats, ships = "The cat sat on a mat. " * 6, "A ship went out to sea. " * 6
    text = cats + ships + cats
    pieces = semantic(chunk_size=400, min_chunk_size=60, breakpoint_percentile=85).split(text, None)
    assert [text[p.start : p.end] for p in pieces] == [cats.strip(), ships.strip(), cats.strip()]


@given(
    ships=st.lists(st.booleans(), min_size=4, max_size=24),
    refused=st.sets(st.integers(0, 23)),
    window=st.integers(1, 3),
)
def test_a_refused_sentence_is_like_the_one_before_it(
    ships: list[bool], refused: set[int], window: int
) -> None:
    said = [f"The {'ship' if s else 'cat'} number {i:02} was seen." for i, s in enumerate(ships)]
    good = [i for i in range(len(said)) if i not in refused]
    assume(good)
    like = {said[i]: said[max((g for g in good if g < i), default=good[0])]
            for i in range(len(said)) if i in refused}  # fmt: skip
    params = {"chunk_size": 200, "min_chunk_size": 20, "window_sentences": window}
    text = " ".join(said)
    found = semantic(Refusing(like), **params).split(text, None)
    assert found == semantic(Taking(like), **params).split(text, None)


def test_the_sentences_that_are_refused_do_not_stop_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    said = [f"The cat number {i} was seen." for i in range(9)]
    trace = Trace("ingestion", "c" * 64)
    with start(trace):
        pieces = semantic(Refusing(said), chunk_size=100, min_chunk_size=20).split(
            " ".join(said), None
        )
    assert len(pieces) > 1
    assert "9 sentences could not be embedded: refused" in caplog.text
    assert trace.counters["embed_failures"] == 17 and trace.counters["embed_calls"] == 26


def test_an_embedder_that_is_out_of_order_cuts_nothing() -> None:
    said = [f"The cat number {i} was seen." for i in range(9)]
    with pytest.raises(ExcerptaError, match="refused") as raised:
        semantic(Refusing([*said, PROBE]), chunk_size=100, min_chunk_size=20).split(
            " ".join(said), None
        )
    assert raised.value.code is ErrorCode.EMBED_FAILED


def test_bounds_of_parameters() -> None:
    with pytest.raises(ValueError, match="chunk_overlap"):
        TokenSplitParams(chunk_size=100, chunk_overlap=50)
    with pytest.raises(ValueError, match="min_chunk_size"):
        SemanticSplitParams(chunk_size=100, min_chunk_size=51)


def test_the_embedder_is_part_of_the_profile_where_it_decides(tmp_path: Path) -> None:
    from rag_assets.chunks.stage import build_chunker, chunk_build_profile_id
    from tests.unit.sections.made_library import MadeLibrary

    library = MadeLibrary(tmp_path)
    before = chunk_build_profile_id(library.strategy)
    library.set_params("embedder", model="all-MiniLM-L6-v2")
    assert chunk_build_profile_id(library.strategy) == before
    library.set_provider("chunker", "chunker.semantic_split")
    english = chunk_build_profile_id(library.strategy)
    assert isinstance(build_chunker(library.ctx), SemanticSplit)
    library.set_params("embedder", model="multilingual-e5-small")
    assert chunk_build_profile_id(library.strategy) != english
