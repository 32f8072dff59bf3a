"""Models are prepared once, known by all that decides their vectors, and made again if damaged."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.embedding import models
from rag_query.providers.embedding.folder import RECORD
from rag_query.providers.embedding.models import SHIPPED, ensure_model
from rag_query.providers.embedding.openvino import OpenVinoEmbedder


def test_the_shipped_models_say_what_retrieval_must_know(
    e5: OpenVinoEmbedder, minilm: OpenVinoEmbedder
) -> None:
    assert (e5.card.query_prefix, e5.card.passage_prefix) == ("query: ", "passage: ")
    assert (e5.card.max_tokens, e5.card.dimensions, e5.card.languages) == (512, 384, ("*",))
    assert (minilm.card.query_prefix, minilm.card.passage_prefix) == ("", "")
    assert (minilm.card.max_tokens, minilm.card.dimensions) == (256, 384)
    assert minilm.card.languages == ("en",)
    assert e5.card.space.space_id != minilm.card.space.space_id


def test_whatever_decides_the_vectors_is_in_the_version(
    minilm: OpenVinoEmbedder, models_dir: Path
) -> None:
    folder = ensure_model("all-MiniLM-L6-v2", models_dir)
    versions = {
        folder.card().embedder_version,
        folder.card(max_tokens=128).embedder_version,
        folder.card(query_prefix="q: ").embedder_version,
        folder.card(passage_prefix="p: ").embedder_version,
    }
    assert len(versions) == 4
    # What the model does not take changes nothing.
    assert folder.card(max_tokens=4096) == folder.card()


def test_a_ready_model_is_opened_without_torch(minilm: OpenVinoEmbedder, models_dir: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from rag_query.providers.embedding.models import ensure_model\n"
        "ensure_model('all-MiniLM-L6-v2', Path(sys.argv[1]))\n"
        "sys.exit('torch' in sys.modules or 'openvino' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, models_dir], check=False).returncode == 0


def test_two_processes_that_need_a_model_get_one_folder(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from rag_query.providers.embedding.models import ensure_model\n"
        "print(ensure_model('all-MiniLM-L6-v2', Path(sys.argv[1])).card().embedder_version)"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    answers = {process.communicate()[0] for process in running}
    assert len(answers) == 1
    assert [p.name for p in tmp_path.iterdir() if not p.name.startswith(".")] == [
        "all-MiniLM-L6-v2"
    ]
    assert not list(tmp_path.glob(".tmp-*"))


def test_a_damaged_folder_is_made_again(tmp_path: Path) -> None:
    folder = ensure_model("all-MiniLM-L6-v2", tmp_path)
    (folder.path / "model.safetensors").write_bytes(b"half a file")
    (folder.path / "left over").write_text("x")
    again = ensure_model("all-MiniLM-L6-v2", tmp_path)
    assert (again.path / "model.safetensors").stat().st_size > 90_000_000
    assert not (again.path / "left over").exists()
    assert again.card() == folder.card()


def test_a_copied_library_keeps_its_models(minilm: OpenVinoEmbedder, tmp_path: Path) -> None:
    folder = ensure_model("all-MiniLM-L6-v2", tmp_path / "a")
    shutil.copytree(
        tmp_path / "a" / "all-MiniLM-L6-v2",
        tmp_path / "b" / "all-MiniLM-L6-v2",
        copy_function=shutil.copyfile,
    )
    before = (tmp_path / "b" / "all-MiniLM-L6-v2" / RECORD).stat().st_mtime_ns
    assert ensure_model("all-MiniLM-L6-v2", tmp_path / "b").card() == folder.card()
    assert (tmp_path / "b" / "all-MiniLM-L6-v2" / RECORD).stat().st_mtime_ns == before


def test_weights_of_another_wheel_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "MINILM_SHA256", "0" * 64)
    with pytest.raises(ExcerptaError) as caught:
        ensure_model("all-MiniLM-L6-v2", tmp_path)
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE
    assert not (tmp_path / "all-MiniLM-L6-v2").exists()
    assert not list(tmp_path.glob(".tmp-*"))


def test_a_folder_given_by_path_is_left_alone_and_watched(
    minilm: OpenVinoEmbedder, models_dir: Path, tmp_path: Path
) -> None:
    own = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(models_dir / "all-MiniLM-L6-v2", own, ignore=shutil.ignore_patterns("open*"))
    (own / RECORD).unlink()
    (own / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "ask: ", "document": "text: "}})
    )
    files = sorted(own.rglob("*"))
    first = ensure_model(str(own), tmp_path / "models")
    assert first.path == own
    assert sorted(own.rglob("*")) == files
    assert (first.card().query_prefix, first.card().passage_prefix) == ("ask: ", "text: ")
    assert first.card().embedder_id == "all-MiniLM-L6-v2"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "describe", None)  # it is not read again
        assert ensure_model(str(own), tmp_path / "models") == first

    tokenizer = json.loads((own / "tokenizer.json").read_text())
    (own / "tokenizer.json").write_text(json.dumps(tokenizer, indent=1))
    changed = ensure_model(str(own), tmp_path / "models")
    assert changed.card().embedder_version != first.card().embedder_version


def test_an_unknown_model_is_named_in_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ExcerptaError) as caught:
        ensure_model("no such model!", tmp_path)
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE
    assert "no such model!" in caught.value.message
    assert all(name in caught.value.hint for name in SHIPPED)


def test_an_incomplete_folder_says_what_is_missing(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "config.json").write_text("{}")
    (own / "modules.json").write_text("[]")
    with pytest.raises(ExcerptaError, match=r"tokenizer\.json") as caught:
        ensure_model(str(own), tmp_path / "models")
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE
    assert str(tmp_path) not in caught.value.message
