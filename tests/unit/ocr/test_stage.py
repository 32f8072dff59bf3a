"""An engine that hangs, crashes or fails costs the one picture it was at."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

import tests.unit.ocr.hostile
from rag_assets.child_processes.jobs import MODULES_VARIABLE
from rag_assets.child_processes.pool import close_pools
from rag_assets.context import StageContext
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.ocr import stage
from rag_assets.ocr.rapidocr import RapidOcr
from rag_assets.part_failures import warnings_of
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.contracts.tables import OCR
from rag_query.strategies.strategy import StageConfig
from rag_query.tracing.context import Trace, start
from tests.fixtures.library import SHARD, make_library
from tests.hashed_words import small_strategy


def picture(color: str, side: int = 64) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (side, side), color).save(out, "PNG")
    return out.getvalue()


def library_of(tmp_path: Path, colors: Sequence[str], **params: object) -> StageContext:
    """A library of one text that shows pictures of these colours, read up to its media."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for color in colors:
        (folder / f"{color}.png").write_bytes(picture(color))
    links = " ".join(f"![]({color}.png)" for color in colors)
    (folder / "d.md").write_text(f"# Colours\n\n{links}\n", encoding="utf-8")
    base = small_strategy()
    config = StageConfig(provider="ocr.hostile", params={"timeout_s": 6.0} | params)
    made = base.model_copy(update={"stages": base.stages.model_copy(update={"ocr": config})})
    ctx = make_library(tmp_path / "home", folder, strategy=made)
    ctx = StageContext(ctx.home, ctx.settings, ctx.strategy)
    loading.run(ctx, SHARD)
    media.run(ctx, SHARD)
    return ctx


def test_each_picture_pays_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODULES_VARIABLE, tests.unit.ocr.hostile.__name__)
    try:
        ctx = library_of(tmp_path, ("lime", "red", "blue", "yellow", "green"))
        trace = Trace("ingestion", ctx.strategy.config_id)
        with start(trace, []):
            done = stage.run(ctx, SHARD)
        # What the pictures themselves are to blame for is not tried twice.
        again = stage.run(ctx, SHARD)
        assert again is not None and again.computed == 0
    finally:
        close_pools()
    table = ctx.store.read("ocr", SHARD)
    assert table.schema.equals(OCR)
    rows = table.to_pylist()
    found = [(row["status"], row["text"] or row["code"]) for row in rows]
    assert found == [
        ("ready", "a meadow"),
        ("failed", "PARSER_TIMEOUT"),
        ("failed", "PARSE_FAILED"),
        ("failed", "PARSER_CRASHED"),
        ("ready", "a meadow"),
    ]
    assert all(str(tmp_path) not in str(row["message"]) for row in rows)
    (told,) = [event.payload for event in trace.events if event.kind == "ocr.generated"]
    assert (told["ready"], told["failed"]) == (2, 3)
    assert trace.counters == {"ocr_success": 2, "ocr_failed": 3}
    assert [unit["error_code"] for unit in told["failed_units"]].count("PARSER_TIMEOUT") == 1
    (warning,) = warnings_of([done.details] if done else [])
    assert warning.startswith("3 pictures could not be read by OCR (")


def test_pictures_that_a_limit_leaves_out_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODULES_VARIABLE, tests.unit.ocr.hostile.__name__)
    try:
        done = stage.run(library_of(tmp_path, ("lime", "green", "cyan"), max_images=1), SHARD)
    finally:
        close_pools()
    (warning,) = warnings_of([done.details] if done else [])
    assert warning == (
        "2 pages and images were left out of OCR by a limit of the strategy (OCR_LIMIT): d.md."
    )


def test_a_picture_is_read_again_once_the_engine_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODULES_VARIABLE, tests.unit.ocr.hostile.__name__)
    absent = tmp_path / "absent"
    absent.touch()
    monkeypatch.setenv(tests.unit.ocr.hostile.ABSENT_VARIABLE, str(absent))

    def read() -> tuple[int, dict[str, str]]:
        done = stage.run(ctx, SHARD)
        assert done is not None
        rows = ctx.store.read("ocr", SHARD).to_pylist()
        return done.computed, {row["status"]: row["code"] or row["text"] for row in rows}

    try:
        ctx = library_of(tmp_path, ("cyan",))
        assert read() == (1, {"failed": "MODEL_UNAVAILABLE"})
        assert read() == (1, {"failed": "MODEL_UNAVAILABLE"})
        absent.unlink()
        assert read() == (1, {"ready": "a meadow"})
        assert read() == (0, {"ready": "a meadow"})
    finally:
        close_pools()


def test_a_missing_package_is_named_before_anything_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ExcerptaError) as caught:
        RapidOcr(tests.unit.ocr.hostile.OcrParams())
    assert caught.value.code == ErrorCode.MODEL_UNAVAILABLE
    assert "excerpta[ocr]" in caught.value.hint
