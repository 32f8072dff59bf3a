"""Recipe sections by their titles, in both languages, with everything that stands below them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rag_assets.chunks.domain_types import RECIPE_COMPANIONS, RECIPE_TITLES, TitleTypes
from tests.unit.chunks.test_stage import cut
from tests.unit.sections.made_library import MadeLibrary

CHINESE = """# 红烧鱼的做法

一道家常菜。

## 必备原料和工具

- 鱼

## 计算

- 鱼 500 克

### 香料

- 八角 2 个

## 操作

### 处理鱼

- 去鳞

### 烧制

- 小火十分钟

## 附加内容

不要翻动。

### 参考资料

某书。
"""

ENGLISH = """# Pancakes

Thin ones, as in Holland.

## Ingredients (serves 4)

- flour

### For the sauce

- honey

## Directions

1. Whisk.

## Tips & Variations

Rest the batter.

## History

Known since 1100.
"""


def types(tmp_path: Path, md: str) -> dict[str, str]:
    """Section title -> block type of its chunks."""
    library = MadeLibrary(tmp_path)
    library.put("a.md", md)
    rows: list[dict[str, Any]] = cut(library)
    return {row["section_title"] or "": row["block_type"] for row in rows}


def test_a_chinese_recipe(tmp_path: Path) -> None:
    assert types(tmp_path, CHINESE) == {
        "红烧鱼的做法": "intro",
        "必备原料和工具": "ingredients",
        "计算": "ingredients",
        "香料": "ingredients",
        "处理鱼": "operation",
        "烧制": "operation",
        "附加内容": "tips",
        "参考资料": "tips",
    }


def test_a_recipe_in_other_chinese_words(tmp_path: Path) -> None:
    md = "# 番茄汤\n\n## 食材\n\n- 番茄\n\n## 做法\n\n- 煮\n\n## 小贴士\n\n慢煮。\n"
    assert types(tmp_path, md) == {
        "食材": "ingredients",
        "做法": "operation",
        "小贴士": "tips",
    }


def test_an_english_recipe(tmp_path: Path) -> None:
    assert types(tmp_path, ENGLISH) == {
        "Pancakes": "intro",
        "Ingredients (serves 4)": "ingredients",
        "For the sauce": "ingredients",
        "Directions": "operation",
        "Tips & Variations": "tips",
        "History": "paragraph",
    }


def test_a_recipe_whose_own_title_says_so(tmp_path: Path) -> None:
    md = "# 番茄汤的做法\n\n一道汤。\n\n## 操作\n\n- 煮\n\n## 推荐的做法\n\n慢煮。\n"
    assert types(tmp_path, md) == {
        "番茄汤的做法": "intro",
        "操作": "operation",
        "推荐的做法": "intro",
    }


@pytest.mark.parametrize(
    "md",
    [
        "# 数据库手册\n\n介绍。\n\n## 操作\n\n```sql\nselect 1;\n```\n\n### 备份\n\n每天。\n",
        "# Excel 教程\n\n说明。\n\n## 计算\n\n| 公式 |\n|---|\n| SUM |\n",
        "# 错误处理\n\n说明。\n\n## 推荐的做法\n\n```go\nreturn err\n```\n\n## 附加内容\n\n无。\n",
        "## 推荐的做法\n\n返回。\n\n### 操作\n\n记录。\n",
        "# 推荐的做法\n\n返回。\n\n# 操作\n\n记录。\n",
    ],
)
def test_general_titles_of_another_text_mean_nothing(tmp_path: Path, md: str) -> None:
    assert not {"intro", "ingredients", "operation", "tips"} & set(types(tmp_path, md).values())


def test_joined_titles_count_together() -> None:
    kinds = TitleTypes(RECIPE_TITLES, RECIPE_COMPANIONS)
    titles = ["必备原料和工具 + 计算", "操作 + 附加内容", "操作"]
    paths = [f"番茄汤 / {title}" for title in titles]
    assert kinds.of_document(titles, [2, 2, 2], paths) == ["ingredients", None, "operation"]
    mixed = ["必备原料和工具 + 操作", "附加内容"]
    assert kinds.of_document(mixed, [2, 2], mixed) == [None, "tips"]


def test_the_same_words_in_another_text_mean_nothing(tmp_path: Path) -> None:
    md = "# Release\n\nHow to.\n\n## Steps\n\nPush the tag.\n\n## Notes\n\nNone.\n"
    assert set(types(tmp_path, md).values()) == {"paragraph"}
