"""Every line keeps its place, and an image that appears later is linked."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from rag_assets.child_processes.pool import close_pools
from rag_assets.loading import stage as loading
from rag_assets.media import stage as media
from rag_assets.normalizing import stage
from rag_query.contracts.tables import NORMALIZED
from rag_query.text.ids import sha256_text
from tests.fixtures.library import SHARD, make_library, row_of

SAMPLES = Path(__file__).parents[3] / "data" / "samples"


@pytest.fixture(scope="module", autouse=True)
def _no_children_left() -> Iterator[None]:
    yield
    close_pools()


def test_samples_keep_the_place_of_every_line(tmp_path: Path) -> None:
    context = make_library(tmp_path, SAMPLES)
    loading.run(context, SHARD)
    media.run(context, SHARD)
    result = stage.run(context, SHARD)
    table = context.store.read("normalized", SHARD)
    assert table.schema.equals(NORMALIZED)
    facts = {row["version_id"]: row for row in context.store.read("parsed", SHARD).to_pylist()}
    stored = context.store.read("media", SHARD).to_pylist()
    assets = {(row["version_id"], row["ref_id"]): row["asset_id"] for row in stored}
    assert any(assets.values())
    rows = table.to_pylist()
    assert result.rows == len(rows) == len(facts)
    for row in rows:
        own = facts[row["version_id"]]
        assert row["md_norm_sha256"] == sha256_text(row["md_norm"])
        assert len(row["line_map"]) == row["md_norm"].count("\n") + 1
        lines = own["md"].split("\n")
        for text, number in zip(row["md_norm"].split("\n"), row["line_map"], strict=True):
            assert "asset://" in text or lines[number - 1].rstrip() == text
        texts = {(a["page"], a["x0"], a["y0"]): a for a in own["anchors"]}
        for anchor in row["anchors"]:
            before = texts[anchor["page"], anchor["x0"], anchor["y0"]]
            now = row["md_norm"][anchor["char_start"] : anchor["char_end"]]
            if "asset://" not in now:
                assert now == own["md"][before["char_start"] : before["char_end"]]
        gone = len(own["anchors"]) - len(row["anchors"])
        kinds = [kind for _, _, kind in json.loads(own["furniture"])]
        assert gone == sum(kind != "front_matter" for kind in kinds)
        assert "---\ntitle:" not in row["md_norm"]
        for ref in own["media_refs"]:
            resolved = assets[row["version_id"], ref["ref_id"]]
            assert (f"]({ref['origin_ref']})" in row["md_norm"]) == (resolved is None)
            assert resolved is None or f"](asset://{resolved})" in row["md_norm"]
    assert stage.run(context, SHARD).computed == 0


def test_an_image_that_appears_later_is_linked(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\n![m](m.png)\n", encoding="utf-8")
    (folder / "b.md").write_text("# B\n", encoding="utf-8")
    context = make_library(tmp_path / "home", folder)
    for step in (loading, media, stage):
        step.run(context, SHARD)
    assert row_of(context, "normalized", "a.md")["md_norm"] == "# A\n\n![m](m.png)"
    Image.new("RGB", (20, 10), "red").save(folder / "m.png")
    context = make_library(tmp_path / "home", folder)
    assert loading.run(context, SHARD).computed == 0
    assert media.run(context, SHARD).computed == 1
    assert stage.run(context, SHARD).computed == 1
    assert str(row_of(context, "normalized", "a.md")["md_norm"]).startswith("# A\n\n![m](asset://")
