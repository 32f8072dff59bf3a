"""Tasks of a page: items of a list that begin with a box, ticked or not."""

from __future__ import annotations

import re

from rag_assets.loading.html.tree import Element, content

#: What begins a block that is no paragraph; text that begins so is escaped.
_NO_TEXT = re.compile(r"#{1,6} |- |\d+\. |> |\| |```")
_NOTION = frozenset({"checkbox-on", "checkbox-off"})


def marked_as_task(item: Element, blocks: list[str]) -> list[str]:
    """The blocks of an item, with its state as Markdown has it where the item is a task
    and begins with text.

    Args:
        item: an ``<li>``.
    """
    done = _is_done(item)
    if done is None or not blocks or _NO_TEXT.match(blocks[0]):
        return blocks
    return [f"[{'x' if done else ' '}] {blocks[0]}", *blocks[1:]]


def _is_done(item: Element) -> bool | None:
    """None of what is no task."""
    if "data-inline-task-id" in item.given:  # Confluence
        return "checked" in item.classes
    for node in content(item.children):
        if isinstance(node, str):
            if node.strip():
                break
        elif node.tag == "input":
            return "checked" in node.given if node.given.get("type") == "checkbox" else None
        elif not _NOTION.isdisjoint(node.classes):
            return "checkbox-on" in node.classes
    return None
