"""Markdown is kept as written; title, outline, images and front matter are read from it."""

import json
import time

import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.markdown import MarkdownLoader
from rag_assets.loading.markdown_syntax import Source
from rag_assets.loading.unseen_code import unseen_code
from rag_query.providers.registry import Params

GUIDE = """---
title: "The guide"
tags: [sea, tide]
date: 2026-01-02
---

Intro ![map](img/map%20a.png "A map").

# One

```sh
# not a heading
![not](an-image.png)
```

## Two *b* `c`

> - quoted ![q](<with space.png>)

Setext
------

| a | b |
|---|---|
| ![cell](c.png) | `![code](no.png)` |

![by name][logo] and ![short]

<p><img alt="Html" src='h.png'></p>

Inline <img src=i.png> too. <!-- ![hidden](x.png) -->

<!--
<img src="hidden.png">
-->

[logo]: logo.png
[short]: data:image/svg+xml,%3Csvg/%3E
"""


def load(text: str, name: str = "file.md") -> Loaded:
    return MarkdownLoader(Params()).load(text.encode(), LoadRequest(name))


def test_facts_are_the_text_and_front_matter_is_metadata() -> None:
    loaded = load(GUIDE)
    assert loaded.md == GUIDE
    assert loaded.title == "The guide"
    assert loaded.tags == ["sea", "tide"]
    assert loaded.metadata["date"] == "2026-01-02"
    front = loaded.furniture[0]
    assert GUIDE[front.char_end :].startswith("\nIntro")
    assert front.kind == "front_matter"


def test_outline_has_the_headings_a_reader_sees() -> None:
    loaded = load(GUIDE)
    assert [(item.level, item.title) for item in loaded.outline] == [
        (1, "One"),
        (2, "Two b c"),
        (2, "Setext"),
    ]
    for item in loaded.outline:
        assert item.char_start is not None
        line = GUIDE[item.char_start :].split("\n", 1)[0]
        assert line.lstrip("# ").startswith(item.title[:3])


def test_every_image_is_found_where_it_stands() -> None:
    loaded = load(GUIDE)
    found = [
        (ref.source_type, ref.origin_ref, GUIDE[ref.char_start : ref.char_end])
        for ref in loaded.media_refs
    ]
    assert found == [
        ("markdown", "img/map%20a.png", '![map](img/map%20a.png "A map")'),
        ("markdown", "with space.png", "![q](<with space.png>)"),
        ("markdown", "c.png", "![cell](c.png)"),
        ("markdown", "logo.png", "![by name][logo]"),
        ("markdown", "data:image/svg+xml,%3Csvg/%3E", "![short]"),
        ("html", "h.png", "<img alt=\"Html\" src='h.png'>"),
        ("html", "i.png", "<img src=i.png>"),
    ]
    quoted = loaded.media_refs[1]
    assert quoted.heading_path == "One / Two b c"
    assert quoted.line_start is not None
    assert GUIDE.split("\n")[quoted.line_start - 1].endswith("![q](<with space.png>)")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# First\n\n# Second", "First"),
        ("## Only second level", "Only second level"),
        ("## A dial\n\nWords.\n\n### Size\n\n### Colour", "A dial"),
        ("## When to use\n\nWords.\n\n### Not\n\n## API\n\n| a |\n|---|", ""),
        ("Words.\n\n## Below words", ""),
        ("```\n# code\n```\n\nTitle\n=====\n", "Title"),
        ("---\ntitle: 2024\n---\n# H", "2024"),
        ("no heading", ""),
        ("## 4.7.1 (2022-04-12)\n\n# [4.7.0](x) (2021-05-13)\n\n# Old", "Old"),
        ("## 4.7.1\n\n# Changelog", "Changelog"),
        ("# 4.7.1\n\n# Changelog", "4.7.1"),
        ("# [4.1.0](x) (2022-10-14)\n\n### Fixes\n\na\n\n## 4.0.2\n\nb", ""),
        ("## 4.1.0\n\na\n\n## 4.0.2\n\nb", ""),
        ("### 4.1.0: Maintenance Release\n\n- a", "4.1.0: Maintenance Release"),
        ("# 8.0 Migration Notes\n\n## 8.0.1\n\na\n\n## 8.0.2\n\nb", "8.0 Migration Notes"),
        ("## 3.2.0\n# News\n\n- a\n\n## 3.1.0\n# News\n\n- b", ""),
        ("Words.\n\n## Create a store\n\nUse it.\n\n# Recipes\n\n## More", ""),
        ("### A framework\n\n- Words.\n\n# Sponsors\n\n# More", "A framework"),
        ("## Note\n\n# Tides\n\nWords.", "Tides"),
        ("---\nname: tide-reader\n---\nRead the gauge.\n\n## When", "tide-reader"),
        ("---\nname: tide-reader\n---\n# Tides", "Tides"),
        ("---\nname: tide-reader\ntitle: Gauges\n---\nWords.", "Gauges"),
        ("## 3.11\n\n# 3.12", "3.12"),
    ],
)
def test_title(text: str, title: str) -> None:
    assert load(text).title == title


@pytest.mark.parametrize(
    "front",
    ["a: [", "a: &x [*x]", "- 1\n- 2", "a: &a [1,2]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
    )],
    ids=["broken", "cycle", "list", "bomb"],
)  # fmt: skip
def test_bad_front_matter_never_stops_a_document(front: str) -> None:
    loaded = load(f"---\n{front}\n---\n\n# T\n")
    assert loaded.title == "T"
    assert set(loaded.metadata) <= set("abcdefghij")


def test_front_matter_yaml_cannot_read_still_gives_its_simple_lines() -> None:
    loaded = load("---\ntitle: Pumps: a guide\ntags: a, b\nlist:\n  - x\n---\nbody")
    assert loaded.title == "Pumps: a guide" and loaded.tags == ["a", "b"]
    assert loaded.warnings[0].startswith("FRONT_MATTER_INVALID: line 2, column 13: ")
    assert [f.kind for f in loaded.furniture] == ["front_matter"]


def test_a_number_too_large_to_be_kept_costs_no_document() -> None:
    large = "0x" + "F" * 4000
    loaded = load(f"---\ntitle: Pump\nid: {large}\n---\n\n# T\n")
    assert (loaded.title, loaded.metadata["id"]) == ("Pump", large)
    assert loaded.warnings == ["FRONT_MATTER_INVALID: a number has more than 4300 digits"]
    assert load(f"+++\nid = {large}\n+++\n\n# T\n").title == "T"


def test_a_set_in_front_matter_is_read_in_one_order() -> None:
    names = ["alpha", "beta", "delta", "gamma", "omega"]
    loaded = load("---\ntags: !!set {omega, beta, gamma, alpha, delta}\n---\n\n# T\n")
    assert loaded.tags == loaded.metadata["tags"] == names


@pytest.mark.parametrize(
    "between",
    [
        "\nImportant notice: the pump is off.\n\n# Pump",
        "# Pump",
        "- one\n- two",
        "Only prose.",
        'Mind: "this\n\n# Pump\n\nprose',
    ],
)
def test_text_between_two_rules_is_text(between: str) -> None:
    loaded = load(f"---\n{between}\n\n---\n\n## After\n")
    assert not loaded.furniture and not loaded.metadata and not loaded.warnings
    assert [item.title for item in loaded.outline] == ["Pump", "After"][
        -1 - ("# Pump" in between) :
    ]


TOML = """title = "Rain gauge"
date = 2024-05-06T07:08:09Z
at = 07:08:09
tags = ["rain", "gauge"]
[params]
depth = inf
"""
JSON = """{
  "title": "Rain gauge",

  "tags": ["rain", "gauge"]
}
"""


@pytest.mark.parametrize("front", [f"+++\n{TOML}+++ \n", JSON])
def test_front_matter_of_hugo(front: str) -> None:
    text = f"{front}\nIntro ![map](m.png)\n\n# 水位 {{#level}}\n\n![b](n.png)\n"
    loaded = load(text)
    assert loaded.md == text
    assert (loaded.title, loaded.tags) == ("Rain gauge", ["rain", "gauge"])
    assert [(f.char_start, f.char_end, f.kind) for f in loaded.furniture] == [
        (0, len(front), "front_matter")
    ]
    assert [item.char_start for item in loaded.outline] == [text.index("# 水位")]
    places = [(ref.char_start, ref.line_start) for ref in loaded.media_refs]
    above = front.count("\n")
    assert places == [(text.index("![map]"), above + 2), (text.index("![b]"), above + 6)]
    json.dumps(loaded.metadata, allow_nan=False)


def test_front_matter_of_hugo_without_text() -> None:
    assert load("+++\n+++").metadata == {}
    assert load('+++\ntitle = "T"\n+++').title == "T"


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        '{"title": "x"} is a record.\n\nText.',
        '{"a": 1}\n\nText.',
        '{"title": "broken\n\nText.',
        "{" + '"title":[' * 20_000 + "\n\nText.",
        "{{< figure >}}\n\nText.",
        "+++\nno TOML\n+++\n\nText.",
        '+++\ntitle = "never closed"\n\nText.',
    ],
)
def test_what_only_begins_like_front_matter_is_text(text: str) -> None:
    loaded = load(text)
    assert not loaded.furniture and not loaded.metadata and not loaded.title


def test_embeds_of_obsidian_that_are_images() -> None:
    text = """图 ![[en.png]] and ![[sub/my photo.JPG|300]] ![[zh.png|The pump]]

| a |
|---|
| ![[t.png\\|30x40]] ![[u.png\\|u]] |

![[note]] ![[note.md#png]] `![[code.png]]` ![[]] ![[.png] ![x]([[y]].png)
"""
    loaded = load(text)
    found = [
        (ref.origin_ref, ref.alt, text[ref.char_start : ref.char_end]) for ref in loaded.media_refs
    ]
    assert found == [
        ("en.png", None, "![[en.png]]"),
        ("sub/my photo.JPG", None, "![[sub/my photo.JPG|300]]"),
        ("zh.png", "The pump", "![[zh.png|The pump]]"),
        ("t.png", None, "![[t.png\\|30x40]]"),
        ("u.png", "u", "![[u.png\\|u]]"),
        ("[[y]].png", "x", "![x]([[y]].png)"),
    ]


def test_mdx_stays_text() -> None:
    text = "import X from './x'\n\n# T\n\n<X prop={1}>\n\n![a](b.png)\n\n</X>\n"
    loaded = load(text, "page.mdx")
    assert loaded.md == text
    assert [ref.origin_ref for ref in loaded.media_refs] == ["b.png"]


def test_a_chinese_readme_below_its_badges_is_chinese() -> None:
    badge = "[![License](https://img.shields.io/badge/license-MIT-green.svg)](LICENSE.md)\n"
    assert load(f"# SDK\n\n{badge * 8}\n## 下载\n\n这是我们建议的方式").language == "zh"


def test_language_is_told_without_front_matter() -> None:
    assert load("---\nslug: some-long-english-slug-of-many-words\n---\n水位").language == "zh"


def test_a_heading_in_a_quote_or_a_list_is_not_the_documents() -> None:
    loaded = load("> # Note\n\n- # Step\n\n# Real\n")
    assert loaded.title == "Real" and [item.title for item in loaded.outline] == ["Real"]


def test_front_matter_below_blank_lines_is_no_heading() -> None:
    loaded = load("\ufeff\n  \n---\ndate: 2018-11-07\ntitle: Notes\n---\n\nText.\n")
    assert (loaded.title, loaded.outline) == ("Notes", [])
    assert loaded.metadata == {"date": "2018-11-07", "title": "Notes"}
    assert loaded.md[loaded.furniture[0].char_end :] == "\nText.\n"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('<h1 align="center">Ant <b>Design</b></h1>\n\nWords.\n\n## Use', "Ant Design"),
        ('<div>\n<a><img alt="Logo"></a>\n<h1>Next.js</h1>\n</div>\n\n## Use', "Next.js"),
        ('<h1><img alt="Vant"></h1>\n\nWords.', "Vant"),
        ("<h1>Fastify</h1>\n\n## Errors\n\nWords.", "Errors"),
        ("<h1>Fastify</h1>\n\n[![b](b.svg)](x)\n\n## Docs\n\nWords.", "Fastify"),
        ("# 🎉 Features\n\nWords.\n\n# Install\n\nWords.", ""),
        ("# Features\n\nWords.\n\n## Speed\n\nWords.", "Features"),
        ("<h1>Rollup</h1>\n\n## 📖 Overview\n\nWords.", "Rollup"),
        ("<h1>验潮仪</h1>\n\n## 介绍\n\n文字。", "验潮仪"),
        ("[![b](b.svg)](x)\n<img src=a.png>\n\n## Only\n\nWords.", "Only"),
        ("# Contributing [![PRs Welcome](b.svg)](x)\n", "Contributing"),
        ("<!-- <h1>No</h1> -->\n\nWords.\n\n## Below", ""),
        ("```\ncode\n```\n\n## Below", ""),
    ],
)
def test_a_title_that_html_or_the_first_heading_says(text: str, title: str) -> None:
    assert load(text).title == title


def test_a_heading_in_html_alone_in_its_block_is_in_the_outline() -> None:
    loaded = load("<h1 id=x>\nA &amp; B\n</h1>\n\n<div><h2>No</h2></div>\n\n## C ![d](e)\n")
    assert [(item.level, item.title) for item in loaded.outline] == [(1, "A & B"), (2, "C")]


def test_images_in_admonitions_are_found_where_they_stand() -> None:
    text = "---\na: b\n---\n!!! note\n\n    ![m](m.png) and ![n](n.png)\n"
    found = [text[ref.char_start : ref.char_end] for ref in load(text).media_refs]
    assert found == ["![m](m.png)", "![n](n.png)"]


def test_a_heading_in_a_box_is_not_in_the_outline() -> None:
    loaded = load("---\na: b\n---\n# A\n\n::: tip\n## Inner\n:::\n\n## B\n")
    assert [item.title for item in loaded.outline] == ["A", "B"]


def test_imports_and_exports_of_mdx_are_no_content() -> None:
    code = "import Tabs from '@theme/Tabs';\nimport {\n  A,\n} from \"b\"\n"
    export = "\nexport const X = () => (\n  <b/>\n);\n"
    text = f"---\na: b\n---\n{code}{export}\n## Title\n\nimport duties from others\n"
    loaded = MarkdownLoader(Params()).load(text.encode(), LoadRequest("file.mdx"))
    begin, end, kind = loaded.furniture[1]
    assert (text[begin:end], kind, loaded.title) == (code + export, "module", "Title")
    plain = load(text).furniture[1]
    assert text[plain.char_start : plain.char_end] == code
    assert len(load("import duties from the customs\n").furniture) == 0


def test_scripts_styles_and_comments_of_mdx_are_read_by_nobody() -> None:
    md = (
        "<script setup>\nimport { a } from 'b'\n\nconst c = 1\n</script>\n\n# Brakes\n\n14 mm.\n\n"
        "<style>\n.brake { color: red }\n</style>\n\n{/* 999 rpm */}\n\n"
        '```html\n<style>\na {}\n</style>\n```\n\nAdd this:\n\n<script src="a.js"></script>\n'
    )  # fmt: skip
    unseen = [
        md[start:end].split("\n", 1)[0]
        for start, end, kind in load(md, name="a.mdx").furniture
        if kind == "code"
    ]
    assert unseen == ["<script setup>", "<style>", "{/* 999 rpm */}"]
    assert [item.kind for item in load(md, name="a.md").furniture] == ["code", "code"]


@pytest.mark.parametrize(
    ("md", "unseen"),
    [
        ("<script>a()</script> The pump.\n\nOil it.\n\n<script>b()</script>\n",
         ["<script>b()</script>\n"]),
        ("{/* a */} The pump.\n\nOil it.\n\n{/* b */}\n", ["{/* b */}\n"]),
        ("<style>\na\n\nOil it.\n\n```html\n<style>\nb\n</style>\n```\n\nEnd.\n", []),
        ("<style>\na\n\nOil it.\n\n<style>\nb\n</style>\n", ["<style>\nb\n</style>\n"]),
        ("```html\n<script>\n```\n\nThen:\n\n<script>\na()\n</script>\n",
         ["<script>\na()\n</script>\n"]),
        ("Oil it.\n\n<SCRIPT>a()</SCRIPT>", ["<SCRIPT>a()</SCRIPT>"]),
        ("<!-- a -->\n\nOil it.\n\n  <!--\nb\n\n--> \n", ["<!-- a -->\n", "  <!--\nb\n\n--> \n"]),
        ("# Pump\n<!-- a -->\n<!-- b -->\nOil it.\n", ["<!-- a -->\n", "<!-- b -->\n"]),
        ("Oil it.\n<!-- a -->\n\nDaily.\n\n<!-- b -->\n| c |\n|---|\n",
         ["<!-- a -->\n", "<!-- b -->\n"]),
        ("Oil it.\n<!-- a -->\n---\n", []),
        ("| a |\n|---|\n<!-- b -->\n| c |\n|---|\n", []),
        ("- Oil it.\n\n<!-- a -->\n\n    oil()\n", []),
        ("<!-- a --> Oil it.\n\nThe pump <!--\nb\n-->\n\n    <!-- c -->\n\n<!-- d\n", []),
        ("```html\n<!-- a -->\n```\n\n> <!-- b -->\n", []),
        ("Oil it.\n\n%%\nor not?\n\n```\na\n```\n%%\n\n%% ask Ben %%\n\nDaily.\n",
         ["%%\nor not?\n\n```\na\n```\n%%\n", "%% ask Ben %%\n"]),
        ("A %% of all.\n\n%% open\n\n```\n%% code %%\n```\n\n%%\nopen\n%% too\n", []),
        ("| a |\n|---|\n%% ask %%\n| c |\n|---|\n", []),
        ("For one sign write\n\n%%\n\nwhere\n\n%%\n\nis read as one.\n", []),
        ("<style>\n/* <script>\n</style>\n{/*/}\n\n<style>b</style>\n",
         ["<style>\n/* <script>\n</style>\n", "<style>b</style>\n"]),
    ],
)  # fmt: skip
def test_text_beside_a_script_or_a_comment_or_behind_an_open_one_is_read(
    md: str, unseen: list[str]
) -> None:
    ranges = load(md, name="a.mdx").furniture
    assert [md[begin:end] for begin, end, kind in ranges if kind == "code"] == unseen


@pytest.mark.parametrize(
    "md",
    [
        "<script>\n" * 20_000,
        "<script>\n" * 20_000 + "</script>\n",
        "<script\n" * 20_000,
        "{/* \n" * 20_000 + "*/} x",
        "<!--\n" * 20_000 + "-->\n",
        "<!-- a -->\n" * 20_000,
        "%%\n" * 20_001,
        "%%\n" + "a\n" * 40_000,
        "<!-- a -->\n\n" * 10_000 + " " * 10_000,
        "```\n<style>a\n</style>\n```\n" * 10_000,
    ],
)
def test_scripts_that_are_never_closed_are_found_out_quickly(md: str) -> None:
    begun = time.process_time()
    list(unseen_code(md, 0, mdx=True))
    assert time.process_time() - begun < 1


def test_lines_of_a_long_document_are_told_quickly() -> None:
    source = Source("word\n" * 400_000)
    begun = time.process_time()
    assert all(source.line_at(5 * line) == line + 1 for line in range(390_000, 394_000))
    assert (source.line_at(0), source.line_at(4), source.line_at(5)) == (1, 1, 2)
    assert time.process_time() - begun < 0.5
