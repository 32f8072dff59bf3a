"""Recipe sections by their titles, in both languages, with everything that stands below them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def test_an_english_recipe(tmp_path: Path) -> None:
    assert types(tmp_path, ENGLISH) == {
        "Pancakes": "intro",
        "Ingredients (serves 4)": "ingredients",
        "For the sauce": "ingredients",
        "Directions": "operation",
        "Tips & Variations": "tips",
        "History": "paragraph",
    }


def test_the_same_words_in_another_text_mean_nothing(tmp_path: Path) -> None:
    md = "# Release\n\nHow to.\n\n## Steps\n\nPush the tag.\n\n## Notes\n\nNone.\n"
    assert set(types(tmp_path, md).values()) == {"paragraph"}
