"""What stands below the labels of a recipe without headings is of the type they tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_assets.chunks.domain_types import RECIPE_COMPANIONS, RECIPE_TITLES, TitleTypes
from rag_assets.chunks.labels import labelled_parts
from tests.unit.chunks.test_stage import cut
from tests.unit.sections.made_library import MadeLibrary

TYPES = TitleTypes(RECIPE_TITLES, RECIPE_COMPANIONS)
ENGLISH = "Makes 16.\n\nIngredients: 500 g flour.\n\nMethod:\n1. Knead.\n2. Bake.\n\nNote: freezes."
CHINESE = "食材：牛腩 800 克。\n\n做法：\n1. 切块。\n2. 炖。\n\n提示：不要加冷水。"


def kinds(text: str) -> list[tuple[str, str | None]]:
    """The beginning of each part and its type."""
    parts = labelled_parts(text, TYPES)
    assert not parts or "".join(text[start:end] for start, end, _ in parts) == text
    return [(text[start:end].split(maxsplit=1)[0], kind) for start, end, kind in parts]


def test_labels_open_parts_up_to_the_next() -> None:
    assert kinds(ENGLISH) == [
        ("Makes", None),
        ("Ingredients:", "ingredients"),
        ("Method:", "operation"),
        ("Note:", "tips"),
    ]
    assert kinds(CHINESE) == [
        ("食材：牛腩", "ingredients"),
        ("做法：", "operation"),
        ("提示：不要加冷水。", "tips"),
    ]
    assert kinds("**原料：** 鱼\n\n**步骤：**\n\n1. 蒸") == [
        ("**原料：**", "ingredients"),
        ("**步骤：**", "operation"),
    ]


def test_a_heading_alone_above_the_first_label_is_no_part() -> None:
    assert kinds("# Jam\n\nIngredients: figs\n\nMethod:\n\n1. Boil") == [
        ("#", "ingredients"),
        ("Method:", "operation"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Method:\n1. Open the valve.\n\nNote: wear gloves.",
        "Ingredients: water.",
        "Name: Ann\nNotes: none",
        "- Ingredients: flour\n- Method: bake",
        "```yaml\ningredients: 3\nsteps: 4\n```",
        "The method: mix the ingredients: all of them.",
    ],
)
def test_other_texts_have_no_such_parts(text: str) -> None:
    assert kinds(text) == []


def test_a_recipe_without_headings_has_ingredients_and_steps(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", ENGLISH)
    rows = cut(library)
    assert [row["block_type"] for row in rows] == ["paragraph", "ingredients", "operation", "tips"]
    assert rows[2]["chunk_text"] == "Method:\n1. Knead.\n2. Bake."
