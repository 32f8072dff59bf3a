"""Images described by both vendors' wire formats, well and badly served."""

from __future__ import annotations

import base64
import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageColor

from rag_assets.captioning import stage
from rag_assets.chunks import stage as chunks
from rag_assets.context import StageContext
from rag_assets.enrichment import stage as enrichment
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.normalizing import stage as normalizing
from rag_assets.part_failures import warnings_of
from rag_assets.sections import stage as sections
from rag_query.contracts.tables import CAPTIONS
from rag_query.strategies.strategy import StageConfig
from rag_query.tracing.context import Trace, start
from tests.fixtures.library import SHARD, make_library
from tests.hashed_words import small_strategy
from tests.llm_server import Asked, Fault, Reply, Script, Vendor
from tests.unit.captioning.conftest import answer, asked_profile

KEY = "sk-very-secret"
TEXT = "# Design\n\nThe whole system in one picture.\n\n![架构图](a.png)\n\nIt is calm.\n"


def picture(color: str = "red", size: tuple[int, int] = (200, 120)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, "PNG")
    return out.getvalue()


class Made:
    """A library with one strategy, and the stages before captions run."""

    def __init__(self, folder: Path, served: Script, vendor: Vendor, **params: Any) -> None:
        self.docs = folder / "docs"
        self.docs.mkdir(exist_ok=True)
        self.home = folder / "home"
        kind = "openai_compatible" if vendor == "openai" else "anthropic"
        given = {
            "model": "vision-1",
            "base_url": served.base_url(vendor),
            "api_key_env": "THE_KEY",
            "max_retries": 0,
        } | params
        base = small_strategy()
        config = StageConfig(provider=f"captioner.{kind}", params=given)
        stages = base.stages.model_copy(update={"captioner": config})
        self.strategy = base.model_copy(update={"stages": stages})

    def run(self, run_id: str = "run_1", *, retry_failed: bool = False) -> StageContext:
        ctx = make_library(self.home, self.docs, strategy=self.strategy)
        ctx = StageContext(ctx.home, ctx.settings, ctx.strategy, run_id, retry_failed=retry_failed)
        for step in (loading, media, normalizing, sections, chunks, enrichment):
            step.run(ctx, SHARD)
        return ctx


def rows(ctx: StageContext) -> list[dict[str, Any]]:
    table = ctx.store.read("captions", SHARD)
    assert table.schema.equals(CAPTIONS)
    found: list[dict[str, Any]] = table.to_pylist()
    return found


@pytest.fixture(params=["openai", "anthropic"])
def vendor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Vendor:
    monkeypatch.setenv("THE_KEY", KEY)
    return request.param  # type: ignore[no-any-return]


def test_an_image_is_described_searched_and_never_a_fact(
    tmp_path: Path, served: Script, vendor: Vendor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = Made(tmp_path, served, vendor)
    (made.docs / "a.png").write_bytes(picture())
    (made.docs / "d.md").write_text(TEXT, encoding="utf-8")
    flow = answer("caption.flow_v1", nodes=[{"id": "1", "text": "box"}], edges=[])
    served.set(flow)
    trace = Trace("ingestion", made.strategy.config_id)
    with start(trace, []):
        ctx = made.run()
    (row,) = rows(ctx)
    assert (row["status"], row["image_type"], row["caption_profile_id"]) == (
        "ready",
        "diagram",
        "caption.flow_v1",
    )
    assert (row["model_id"], row["context_scope"]) == ("vision-1", "local")
    assert row["model_version"].startswith("model-2026-01-01")
    assert json.loads(row["caption"])["nodes"] == [{"id": "1", "text": "box"}]
    (asked,) = served.asked
    assert "It is calm." in asked.prompt and asked_profile(asked) == "caption.flow_v1"
    parts = asked.body["messages"][-1]["content"]
    image = next(part for part in parts if part["type"] != "text")
    if vendor == "openai":
        head, _, data = image["image_url"]["url"].partition(";base64,")
        assert head == "data:image/png"
    else:
        assert image["source"]["media_type"] == "image/png"
        data = image["source"]["data"]
    assert base64.b64decode(data) == picture()
    (enriched,) = ctx.store.read("enriched", SHARD).to_pylist()
    assert "zephyr index" in enriched["retrieval_text"]
    assert "A pipeline of four boxes." in enriched["captions"][-1]
    assert "zephyr" not in enriched["embedding_text"].lower()
    assert "zephyr" not in str(ctx.store.read("parsed", SHARD)["md"]).lower()
    assert "zephyr" not in str(ctx.store.read("chunks", SHARD)["chunk_text"]).lower()
    events = [event.payload for event in trace.events if event.kind == "caption.generated"]
    assert [event["context_hash"] for event in events] == [row["context_hash"]]
    assert (trace.counters["caption_success"], trace.counters["caption_failed"]) == (1, 0)
    kept = caplog.text + json.dumps(events) + ctx.strategy.model_dump_json()
    assert KEY not in kept
    # Nothing changed: nothing is asked.
    made.run("run_2")
    assert len(served.asked) == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply("no JSON at all"), ("LLM_BAD_OUTPUT", False)),
        (Reply(answer("caption.flow_v1")), ("LLM_BAD_OUTPUT", False)),
        (Reply(fault=Fault.OTHER_JSON), ("LLM_BAD_OUTPUT", True)),
        (Reply(fault=Fault.RATE_LIMITED), ("LLM_RATE_LIMITED", True)),
        (Reply(fault=Fault.SILENT), ("LLM_TIMEOUT", True)),
        (Reply(answer(), fault=Fault.REFUSED), ("LLM_REFUSED", False)),
        (Reply(fault=Fault.BAD_REQUEST), ("LLM_REFUSED", False)),
        (Reply(fault=Fault.UNAUTHORIZED), ("LLM_MISCONFIGURED", True)),
    ],
)
def test_a_failure_costs_the_caption_and_nothing_else(
    tmp_path: Path, served: Script, vendor: Vendor, reply: Reply, expected: tuple[str, bool]
) -> None:
    code, again = expected
    made = Made(tmp_path, served, vendor, deadline_s=0.7)
    (made.docs / "a.png").write_bytes(picture())
    (made.docs / "d.md").write_text(TEXT, encoding="utf-8")
    served.set(reply)
    ctx = made.run()
    (row,) = rows(ctx)
    assert (row["status"], row["code"], row["retry"]) == ("failed", code, again)
    assert (row["image_type"], row["summary"]) == ("unknown", "架构图")
    assert json.loads(row["caption"])["uncertainties"] == [f"No caption could be made: {code}."]
    assert KEY not in json.dumps(row, ensure_ascii=False)
    (enriched,) = ctx.store.read("enriched", SHARD).to_pylist()
    assert enriched["captions"] == ["架构图"]
    served.set(answer("caption.flow_v1", nodes=[{"id": "1", "text": "box"}], edges=[]))
    (row,) = rows(made.run("run_2"))
    assert row["status"] == ("ready" if again else "failed")
    assert len(served.asked) == int(again)


def of_its_profile(asked: Asked) -> str:
    """A truthful answer: whatever profile it was routed to, no flow can be seen in the picture."""
    return answer(asked_profile(asked), image_type="photo", summary="A bowl of rice.")


def test_a_picture_routed_wrongly_is_described_by_the_generic_profile(
    tmp_path: Path, served: Script, vendor: Vendor
) -> None:
    made = Made(tmp_path, served, vendor)
    (made.docs / "步骤三的成品.png").write_bytes(picture())
    (made.docs / "d.md").write_text(
        "操作步骤如下。\n\n![成品](步骤三的成品.png)\n", encoding="utf-8"
    )
    served.set(of_its_profile)
    (row,) = rows(made.run())
    assert (row["status"], row["code"], row["retry"]) == ("ready", None, False)
    assert (row["image_type"], row["caption_profile_id"]) == ("photo", "caption.generic_v1")
    profiles = [asked_profile(asked) for asked in served.asked]
    assert profiles == ["caption.flow_v1", "caption.generic_v1"]
    # In another document, among the same words, it is not asked of again.
    (made.docs / "e.md").write_text((made.docs / "d.md").read_text("utf-8") + "\n", "utf-8")
    again = rows(made.run("run_2"))
    assert [other["cache_key"] for other in again] == [row["cache_key"]] * 2
    assert len(served.asked) == 2


def test_what_a_model_said_badly_is_asked_again_only_on_demand(
    tmp_path: Path, served: Script, vendor: Vendor
) -> None:
    made = Made(tmp_path, served, vendor, parallel=1)
    (made.docs / "a.png").write_bytes(picture())
    (made.docs / "b.png").write_bytes(picture(size=(300, 90)))
    (made.docs / "d.md").write_text("![](a.png)\n\nfar\n\nfar\n\n![](b.png)", encoding="utf-8")
    served.set("I see a box.", Reply(fault=Fault.SERVER_ERROR))
    assert [row["code"] for row in rows(made.run())] == ["LLM_BAD_OUTPUT", "LLM_UNAVAILABLE"]
    served.set(answer())
    # The other picture of the document is described, this one is not sent.
    bad, other = rows(made.run("run_2"))
    assert (bad["code"], bad["retry"], other["status"]) == ("LLM_BAD_OUTPUT", False, "ready")
    assert len(served.asked) == 1
    made.run("run_3")
    assert len(served.asked) == 1
    assert {row["status"] for row in rows(made.run("run_4", retry_failed=True))} == {"ready"}
    assert len(served.asked) == 2


def test_too_many_requests_are_tried_again_after_the_wait_that_was_asked(
    tmp_path: Path, served: Script, vendor: Vendor
) -> None:
    made = Made(tmp_path, served, vendor, max_retries=2, deadline_s=30.0)
    (made.docs / "a.png").write_bytes(picture())
    (made.docs / "d.md").write_text("![](a.png)", encoding="utf-8")
    served.set(Reply(fault=Fault.RATE_LIMITED, retry_after="0"), Reply("{"), Reply(answer()))
    (row,) = rows(made.run())
    assert (row["status"], len(served.asked)) == ("ready", 3)


def test_a_dead_service_is_not_asked_for_every_image(
    tmp_path: Path, served: Script, vendor: Vendor
) -> None:
    made = Made(tmp_path, served, vendor, parallel=1, give_up_after=2, max_images=6)
    for number in range(8):
        (made.docs / f"{number}.png").write_bytes(picture(size=(100 + number, 90)))
    links = "\n\n".join(f"![]({number}.png)" for number in range(8))
    (made.docs / "d.md").write_text(links, encoding="utf-8")
    served.set(Reply(fault=Fault.SERVER_ERROR))
    found = rows(made.run())
    assert {row["code"] for row in found} == {"LLM_UNAVAILABLE"}
    assert (len(found), len(served.asked)) == (6, 2)


def test_an_image_the_service_cannot_read_costs_no_other(
    tmp_path: Path, served: Script, vendor: Vendor
) -> None:
    made = Made(tmp_path, served, vendor, parallel=1)
    for number in range(10):
        (made.docs / f"{number}.png").write_bytes(picture(size=(100 + number, 90)))
    links = "\n\n".join(f"![]({number}.png)" for number in range(10))
    (made.docs / "d.md").write_text(links, encoding="utf-8")
    served.set(Reply(answer()), Reply(fault=Fault.BAD_REQUEST), Reply(answer()))
    ctx = made.run()
    found = rows(ctx)
    assert [row["code"] for row in found] == [None, "LLM_REFUSED", *[None] * 8]
    assert "Could not process image" in found[1]["message"]


def test_failed_captions_are_counted_named_and_told(
    tmp_path: Path, served: Script, vendor: Vendor
) -> None:
    made = Made(tmp_path, served, vendor)
    for number in range(30):
        (made.docs / f"{number}.png").write_bytes(picture(size=(100 + number, 90)))
    links = "\n\n".join(f"![]({number}.png)" for number in range(30))
    (made.docs / "d.md").write_text(links, encoding="utf-8")
    served.set(Reply(fault=Fault.UNAUTHORIZED))
    trace = Trace("ingestion", made.strategy.config_id)
    with start(trace, []):
        made.run()
    assert (trace.counters["caption_success"], trace.counters["caption_failed"]) == (0, 30)
    result = enrichment.run(made.run("run_2"), SHARD)
    failed = result.details["failed_captions"]
    assert isinstance(failed, dict) and failed["codes"] == {"LLM_MISCONFIGURED": 30}
    assert len(failed["first"]) == 20
    assert failed["first"][0].keys() == {"asset_id", "error_code"}
    assert warnings_of([result.details]) == ["30 captions failed (LLM_MISCONFIGURED)."]


def test_images_that_the_limit_leaves_out_are_told(
    tmp_path: Path, served: Script, vendor: Vendor
) -> None:
    made = Made(tmp_path, served, vendor, max_images=2)
    for number in range(5):
        (made.docs / f"{number}.png").write_bytes(picture(size=(100 + number, 90)))
    links = "\n\n".join(f"![]({number}.png)" for number in range(5))
    (made.docs / "d.md").write_text(links, encoding="utf-8")
    served.set(answer())
    ctx = make_library(made.home, made.docs, strategy=made.strategy)
    for step in (loading, media, normalizing, sections, chunks):
        step.run(ctx, SHARD)
    result = enrichment.run(ctx, SHARD)
    assert len(rows(ctx)) == 2
    assert warnings_of([result.details]) == [
        "3 images were not described, by a limit of the strategy (CAPTION_LIMIT): d.md."
    ]


def test_images_are_described_once_the_key_is_set(
    tmp_path: Path, served: Script, vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made(tmp_path, served, vendor)
    (made.docs / "a.png").write_bytes(picture())
    (made.docs / "d.md").write_text("![](a.png)", encoding="utf-8")
    monkeypatch.delenv("THE_KEY")
    served.set(answer())
    (row,) = rows(made.run())
    assert (row["code"], len(served.asked)) == ("LLM_MISCONFIGURED", 0)
    monkeypatch.setenv("THE_KEY", KEY)
    (row,) = rows(made.run("run_2"))
    assert row["status"] == "ready"


def _turned() -> bytes:
    """A JPEG that is displayed upright: red above, blue below."""
    out = io.BytesIO()
    image = Image.new("RGB", (200, 100), "red")
    image.paste("blue", (0, 0, 100, 100))
    exif = Image.Exif()
    exif[0x0112] = 6  # turn clockwise
    image.save(out, "JPEG", exif=exif)
    return out.getvalue()


def _moving() -> bytes:
    """A GIF of two frames, red and then blue."""
    out = io.BytesIO()
    frames = [Image.new("RGB", (100, 200), color) for color in ("red", "blue")]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    return out.getvalue()


def _transparent() -> bytes:
    out = io.BytesIO()
    Image.new("RGBA", (100, 200), (0, 0, 0, 0)).save(out, "PNG")
    return out.getvalue()


def _printed() -> bytes:
    out = io.BytesIO()
    Image.new("CMYK", (100, 200), (0, 255, 255, 0)).save(out, "JPEG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (_turned(), ("blue", "red")),
        (_moving(), ("red", "red")),
        (_transparent(), ("white", "white")),
        (_printed(), ("red", "red")),
    ],
    ids=["turned", "moving", "transparent", "cmyk"],
)
def test_a_model_sees_what_a_person_sees(
    tmp_path: Path, served: Script, vendor: Vendor, data: bytes, shown: tuple[str, str]
) -> None:
    made = Made(tmp_path, served, vendor)
    (made.docs / "a.png").write_bytes(data)
    (made.docs / "d.md").write_text("![](a.png)", encoding="utf-8")
    served.set(answer())
    (row,) = rows(made.run())
    assert row["status"] == "ready"
    image = _sent_image(served.asked[0], vendor)
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", (100, 200))
    for height, color in zip((10, 190), shown, strict=True):
        seen = image.getpixel((50, height))
        assert isinstance(seen, tuple)
        wanted = ImageColor.getrgb(color)
        assert max(abs(a - b) for a, b in zip(seen, wanted, strict=True)) < 8


def _sent_image(asked: Asked, vendor: Vendor) -> Image.Image:
    part = next(p for p in asked.body["messages"][-1]["content"] if p["type"] != "text")
    sent = part["image_url"]["url"].split(",")[1] if vendor == "openai" else part["source"]["data"]
    return Image.open(io.BytesIO(base64.b64decode(sent)))


def test_small_pictures_drawings_and_broken_files_are_not_sent(
    tmp_path: Path, served: Script, vendor: Vendor
) -> None:
    made = Made(tmp_path, served, vendor, context_scope="none", max_side=128)
    (made.docs / "big.png").write_bytes(picture(size=(400, 300)))
    (made.docs / "dot.png").write_bytes(picture(size=(20, 20)))
    (made.docs / "d.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    (made.docs / "broken.png").write_bytes(picture()[:60])
    (made.docs / "d.md").write_text(
        "Words. ![](big.png) ![](dot.png) ![](d.svg) ![](broken.png)", encoding="utf-8"
    )
    served.set(answer())
    (row,) = rows(made.run())
    assert (row["status"], row["context_scope"]) == ("ready", "none")
    (asked,) = served.asked
    assert "Words." not in asked.prompt
    assert max(_sent_image(asked, vendor).size) == 128


def test_without_a_captioner_nothing_is_said(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "d.md").write_text("text", encoding="utf-8")
    assert stage.run(make_library(tmp_path / "home", docs), SHARD) is None
