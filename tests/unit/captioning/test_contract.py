"""Captions: what a model may say of an image, by kind of image, and what is not taken."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from rag_assets.captioning.context import local_context
from rag_assets.captioning.contract import fallback, stored
from rag_assets.captioning.profiles import PROFILES, instructions, profile_of
from rag_assets.captioning.routing import route
from tests.unit.captioning.conftest import answer

EXTRAS = {
    "caption.generic_v1": {},
    "caption.table_v1": {"table": {"headers": ["a"], "rows": [["1"]]}, "kv_pairs": None},
    "caption.chart_v1": {"chart": {"series": [{"name": "s", "trend": "up", "peaks": ["3"]}]}},
    "caption.flow_v1": {"steps": [{"id": "1", "text": "start", "from": None, "to": "2"}]},
    "caption.screenshot_v1": {"ui": {"app": "x", "actions": ["Save"], "errors": ["E42"]}},
    "caption.photo_v1": {"scene_tags": ["sea"]},
}


@pytest.mark.parametrize("profile_id", PROFILES)
def test_each_profile_takes_its_own_fields_and_no_others(profile_id: str) -> None:
    output = PROFILES[profile_id].output
    caption = output.model_validate_json(answer(profile_id, **EXTRAS[profile_id]))
    kept = stored(caption)
    assert kept["profile_id"] == profile_id and kept["numbers"][0]["context"] == "drawn"
    assert output.model_validate_json(json.dumps(kept)) == caption
    with pytest.raises(ValidationError):
        output.model_validate_json(answer(profile_id, **EXTRAS[profile_id], invented=1))
    with pytest.raises(ValidationError):
        output.model_validate_json(answer("caption.other_v1", **EXTRAS[profile_id]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"summary": ""},
        {"summary": " \n "},
        {"image_type": "painting"},
        {"key_points": "p"},
        {"numbers": [{"name": "n", "value": "1", "unit": None, "context": ""}]},
        {"uncertainties": None},
    ],
)
def test_the_common_contract_is_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PROFILES["caption.generic_v1"].output.model_validate_json(answer(**wrong))


def test_more_key_points_than_asked_for_cost_no_caption() -> None:
    points = [f"point {number}" for number in range(15)]
    caption = PROFILES["caption.generic_v1"].output.model_validate_json(answer(key_points=points))
    assert caption.key_points == points[:12]


@pytest.mark.parametrize(
    ("profile_id", "fields", "kept"),
    [
        ("generic", {"numbers": [{"name": "n", "value": 42, "context": "axis"}]}, {
            "numbers": [{"name": "n", "value": "42", "context": "axis"}]}),
        ("chart", {"chart": {"series": [{"name": 2024, "peaks": [3.5]}]}}, {
            "chart": {"series": [{"name": "2024", "peaks": ["3.5"]}]}}),
        ("flow", {"steps": [{"id": 1, "text": "start", "to": 2}]}, {
            "steps": [{"id": "1", "text": "start", "to": "2"}]}),
        ("table", {"table": {"headers": [2024], "rows": [[1]]}}, {
            "table": {"headers": ["2024"], "rows": [["1"]]}}),
    ],
)  # fmt: skip
def test_a_number_that_is_no_string_costs_no_caption(
    profile_id: str, fields: dict[str, Any], kept: dict[str, Any]
) -> None:
    name = f"caption.{profile_id}_v1"
    caption = PROFILES[name].output.model_validate_json(answer(name, **fields))
    assert stored(caption).items() >= kept.items()


def test_a_table_is_a_grid_or_pairs() -> None:
    output = PROFILES["caption.table_v1"].output
    grid = {"headers": ["a"], "rows": [["1"]]}
    pairs = [{"key": "k", "value": "v"}]
    output.model_validate_json(answer("caption.table_v1", kv_pairs=pairs))
    for wrong in ({}, {"table": grid, "kv_pairs": pairs}):
        with pytest.raises(ValidationError):
            output.model_validate_json(answer("caption.table_v1", **wrong))


def test_the_fallback_invents_nothing() -> None:
    assert fallback("alt", "No caption could be made: LLM_TIMEOUT.") == {
        "image_type": "unknown",
        "summary": "alt",
        "uncertainties": ["No caption could be made: LLM_TIMEOUT."],
    }


@pytest.mark.parametrize(
    ("said", "near", "kind", "profile"),
    [
        ("表 3 各站读数", "", "table", "caption.table_v1"),
        ("sales chart.png", "", "chart", "caption.chart_v1"),
        ("", "下图是上传的流程。", "flowchart", "caption.flow_v1"),
        ("system_architecture.png", "a table of", "diagram", "caption.flow_v1"),
        ("登录界面截图", "", "screenshot", "caption.screenshot_v1"),
        ("photo of the pier", "", "photo", "caption.photo_v1"),
        ("IMG 0001.png", "Some words.", "unknown", "caption.generic_v1"),
        ("reasonable.png", "the portable gauge", "unknown", "caption.generic_v1"),
    ],
)
def test_words_route_an_image(said: str, near: str, kind: str, profile: str) -> None:
    found = route(said, near, None)
    assert (found, profile_of(found).profile_id) == (kind, profile)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("\nchart1.png", "chart"),
        ("\ntable2.png", "table"),
        ("\nphoto_1.png", "photo"),
        ("\nSalesChart.png", "chart"),
        ("\nUIFlow.png", "screenshot"),
        ("\n销量chart.png", "chart"),
        ("\n价格表.png", "table"),
        ("价格表\nx.png", "table"),
        ("水位图\nx.png", "chart"),
        ("\n水位图2.jpeg", "chart"),
        ("各站图表\nx.png", "chart"),
        ("流程图\n价格表.png", "flowchart"),
        ("架构图\nx.png", "diagram"),
        ("登录截图\nx.png", "screenshot"),
        *((f"{word}\n{word}.png", "unknown") for word in (
            "表面", "代表", "图书馆", "地图", "插图", "图 3", "手表", "portable", "charter",
        )),
    ],
)  # fmt: skip
def test_the_commonest_names_tell_the_kind(said: str, kind: str) -> None:
    assert route(said, "", None) == kind


def test_what_a_name_ends_with_tells_nothing_in_running_text() -> None:
    assert route("", "见下面的水位图", None) == route("", "他是代表 3 号", None) == "unknown"
    assert route("水位图\nx.png", "步骤如下", None) == "chart"


def test_the_context_is_the_paragraph_and_its_neighbours() -> None:
    asset = "ab" * 32
    md = f"# A\n\nfar\n\nbefore\n\nSee ![x](asset://{asset}) here.\n\nafter\n\nfar too"
    assert local_context(md, asset, 1000) == "before\n\nSee ![x] here.\n\nafter"
    assert local_context(md, "cd" * 32, 1000) == ""
    assert len(local_context("x" * 5000 + md + "y" * 5000, asset, 800)) <= 800


def test_the_prompt_forbids_what_the_contract_forbids() -> None:
    prompt = instructions(PROFILES["caption.chart_v1"], "zh")
    assert "caption.chart_v1" in prompt and "Chinese" in prompt
    assert "uncertainties" in prompt and "never as a source of facts" in prompt
