import time

import pytest

from rag_assets.markdown_dialects import as_commonmark, boxed_headings
from rag_assets.sections.blocks import scan_blocks
from rag_assets.sections.markdown_headings import tree_headings

ADMONITION = (
    '!!! warning "No"\n\n    Read [it](a.md).\n\n    * one\n\n    ```sh\n    # no\n    ```\n'
)


def kinds(text: str) -> list[str]:
    return [block.kind for block in scan_blocks(as_commonmark(text))]


def titles(text: str) -> list[str]:
    return [heading.title for heading in tree_headings(as_commonmark(text), 6)]


@pytest.mark.parametrize("mark", ["!!! note", '??? x "T"', "???+ tip", '=== "Linux"', "===! 'A'"])
def test_text_of_admonitions_and_tabs_is_no_code(mark: str) -> None:
    assert kinds(f"{mark}\n\n    Words.\n\n    - item\n") == ["paragraph", "paragraph", "list"]
    assert kinds(f"{mark}\n    Words\n    of it.\n\nAfter.") == ["paragraph", "paragraph"]


def test_code_in_an_admonition_stays_code() -> None:
    assert kinds(ADMONITION) == ["paragraph", "paragraph", "list", "code"]
    assert kinds("!!! note\n\n        code = 1\n") == ["paragraph", "code"]
    assert titles(ADMONITION) == []


def test_admonitions_in_admonitions_and_in_lists_are_read_too() -> None:
    nested = '=== "A"\n\n    !!! tip\n\n        Deep.\n\n    Less deep.\n'
    assert as_commonmark(nested) == '=== "A"\n\n!!! tip\n\nDeep.\n\nLess deep.\n'
    listed = "1. One\n\n    !!! tip\n\n        Deep.\n"
    assert as_commonmark(listed) == "1. One\n\n    !!! tip\n\n    Deep.\n"


def test_an_admonition_shown_as_code_stays_as_it_is() -> None:
    for text in ("```\n!!! note\n    Words.\n```\n", "Write:\n\n    !!! note\n        Words.\n"):
        assert as_commonmark(text) == text


def test_a_heading_below_an_admonition_takes_in_no_line_above() -> None:
    assert titles("!!! note\n    Title\n    ---\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "{% highlight sh linenos %}\n# no\n{% endhighlight %}",
        "{% codeblock %}\n# no\n```\n# no\n```\n{% endcodeblock %}",
        '{{< code file="a.toml" >}}\n# no\n[[x]]\n{{< /code >}}',
        "{{< highlight go >}}\n# no\n{{< / highlight >}}",
    ],
)
def test_code_between_tags_is_code(text: str) -> None:
    assert (kinds(text), titles(text)) == (["code"], [])


def test_lines_of_mathematics_are_no_headings() -> None:
    text = "$$\na\n=\nb\n\n# c\n$$\n\n# Title\n"
    assert titles(text) == ["Title"]
    assert titles("costs $$\n\n# One\n\n$$ more") == ["One"]


def test_prose_in_a_fence_of_myst_is_prose() -> None:
    assert kinds("```{note}\nRead [it](a.md).\n```\n") == ["paragraph"]
    assert kinds("````{admonition} A\n```py\nx\n```\n````\n") == ["paragraph", "code", "paragraph"]
    assert kinds("```{code-cell} python\nx\n```\n") == ["code"]


def test_prose_in_very_many_fences_is_read_as_far_as_anyone_nests_them() -> None:
    marks = ["`" * length for length in range(1_203, 2, -1)]
    opened = "".join(f"{mark}{{note}}\n" for mark in marks)
    closed = "".join(f"{mark}\n" for mark in reversed(marks))
    lines = as_commonmark(f"{opened}Words.\n{closed}").split("\n")
    assert lines[39].startswith(":::") and lines[40].startswith("```")
    assert lines[1_201] == "Words."


def test_lines_of_attributes_are_no_text() -> None:
    assert as_commonmark("Words.\n{: .no_toc}\n\n## A\n{:#x}\n") == "Words.\n\n\n## A\n\n"
    assert as_commonmark("{::comment}\n") == "{::comment}\n"


def test_a_heading_in_a_box_is_part_of_it() -> None:
    text = "# A\n\n::: details More\n## Inner\nWords.\n:::\n\n## B\n\n:::: v-pre\n## C\n::::\n"
    assert titles(text) == ["A", "B", "C"]
    assert titles(":::note\nWords.\n  :::\n\n## A\n\n:::note\nWords.\n:::\n") == ["A"]
    assert titles(":::note\nNever closed.\n\n## A\n\n:::note\nWords.\n:::\n") == ["A"]
    assert boxed_headings("::: tip\nWords.\n:::\n") == []


@pytest.mark.parametrize("text", [ADMONITION, '=== "A"\n\n    !!! tip\n\n        Deep.\n'])
def test_reading_it_again_changes_nothing(text: str) -> None:
    once = as_commonmark(text)
    assert once.count("\n") == text.count("\n")
    assert as_commonmark(once) == once


def test_boxes_far_down_a_long_document_are_found_quickly() -> None:
    item = "1. Item.\n\n    !!! note\n        Words of the note.\n\n"
    begun = time.process_time()
    read = as_commonmark("w\n" * 100_000 + "\n" + item * 1_000)
    assert time.process_time() - begun < 0.8
    assert read.endswith("1. Item.\n\n    !!! note\n    Words of the note.\n\n")
