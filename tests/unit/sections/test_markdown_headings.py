"""The default sectioner: where sections begin, and what they are called."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_assets.sections.base import Section
from rag_assets.sections.markdown_headings import MarkdownHeadings, MarkdownHeadingsParams
from rag_assets.sections.whole_doc import WholeDoc
from tests.unit.sections.test_blocks import LINES

RECIPE = """# 蛋炒饭的做法

一道家常蛋炒饭。

## 必备原料和工具

* 冷饭

## 计算

* 冷饭 500ml

## 操作

1. 翻炒

### 提示

大火。
"""


def cut(md: str, **params: Any) -> list[Section]:
    given_params = {"min_section_chars": 0, **params}
    return MarkdownHeadings(MarkdownHeadingsParams(**given_params)).sections(md)


def paths(md: str, **params: Any) -> list[str]:
    return [section.section_path for section in cut(md, **params)]


def test_headings_up_to_the_level_begin_sections() -> None:
    assert paths(RECIPE, max_section_level=2) == [
        "蛋炒饭的做法",
        "蛋炒饭的做法 / 必备原料和工具",
        "蛋炒饭的做法 / 计算",
        "蛋炒饭的做法 / 操作",
    ]
    assert paths(RECIPE, max_section_level=3)[-1] == "蛋炒饭的做法 / 操作 / 提示"
    assert cut(RECIPE)[1].title == "必备原料和工具"
    assert [section.level for section in cut(RECIPE)] == [1, 2, 2, 2, 3]


def test_text_before_the_first_heading_is_the_preamble() -> None:
    md = "intro\n\n# A\n\na\n"
    assert paths(md) == ["__preamble__", "A"]
    assert paths(md, doc_preamble_mode="drop") == ["A"]
    merged = cut(md, doc_preamble_mode="merge_into_first")
    assert [(s.section_path, md[s.start : s.end]) for s in merged] == [("A", md)]
    assert paths("no heading at all", doc_preamble_mode="drop") == ["__preamble__"]
    assert paths("\n\n# A\n") == ["A"]


def test_a_deeper_heading_directly_above_one_names_its_section() -> None:
    md = (
        "# dict\n\nKeys.\n\n#### append(Key)\n\n### Types\n\nAdds it.\n\n"
        "#### fetch(Key)\n### Types\nReads it.\n"
    )
    assert [(s.section_path, md[s.start :].split("\n", 1)[0]) for s in cut(md)] == [
        ("dict", "# dict"),
        ("dict / append(Key) / Types", "#### append(Key)"),
        ("dict / fetch(Key) / Types", "#### fetch(Key)"),
    ]
    assert cut(md)[1].title == "Types"
    assert md[cut(md, include_heading=False)[2].start :] == "Reads it.\n"


def test_an_empty_subsection_stays_in_its_section() -> None:
    md = "## Gauge\n\nText.\n\n#### Notes\n\n## Radar\n\nMore.\n\n#### Notes\n\nSeen.\n\n### End\n"
    assert paths(md) == ["Gauge", "Radar", "Radar / End"]
    assert md[cut(md)[0].end :].startswith("## Radar")


def test_a_kind_named_above_the_title_is_no_section() -> None:
    md = "### Class\n\n# Gauge\n\nMeasures.\n\n## Methods\n\nNone.\n"
    assert [(s.section_path, s.start) for s in cut(md)] == [
        ("Gauge", 0),
        ("Gauge / Methods", md.index("## M")),
    ]
    assert paths("Words.\n\n### Class\n\n# Gauge\n\nMeasures.\n")[0] == "__preamble__"


def test_the_heading_can_be_left_out_of_the_text() -> None:
    md = "# A\nbody\n\nB\n=\n\nmore\n"
    assert [md[s.start : s.end] for s in cut(md, include_heading=False)] == ["body\n\n", "\nmore\n"]


def test_a_rule_at_the_beginning_hides_no_heading() -> None:
    assert paths("---\n\n# A\na\n\n---\n# B\nb\n") == ["__preamble__", "A", "B"]


def test_a_heading_without_text_joins_its_first_child() -> None:
    md = "# Book\n\n## One\n\ntext\n\n## Two\n\ntext\n"
    sections = cut(md, min_section_chars=1)
    assert [s.section_path for s in sections] == ["Book / One", "Book / Two"]
    assert md[sections[0].start : sections[0].end] == "# Book\n\n## One\n\ntext\n\n"
    assert paths(RECIPE, min_section_chars=1) == paths(RECIPE)


def test_short_siblings_are_joined_under_both_names() -> None:
    md = "# A\n\nlong enough text\n\n## B\n\nb\n\n## C\n\nc\n\n## D\n\nlong enough text\n"
    assert paths(md, min_section_chars=10) == ["A", "A / B + C + D"]


def test_a_short_last_section_joins_what_is_before_it() -> None:
    long = "long enough text"
    assert paths(f"# A\n{long}\n## B\n{long}\n## C\nc\n", min_section_chars=10) == [
        "A",
        "A / B + C",
    ]
    assert paths(f"# A\n{long}\n## B\nb\n", min_section_chars=10) == ["A"]
    # Neither sibling nor parent stands before D, and B / C is not where D belongs.
    md = f"# A\n{long}\n## B\n{long}\n### C\n{long}\n## D\nd\n"
    assert paths(md, min_section_chars=10) == ["A", "A / B", "A / B / C", "A / D"]


@pytest.mark.parametrize("least", [0, 1, 10, 200])
@pytest.mark.parametrize("mode", ["separate", "merge_into_first"])
@given(md=st.lists(LINES, max_size=16).map("\n".join))
def test_sections_cover_the_text_in_order(least: int, mode: Any, md: str) -> None:
    sections = cut(md, min_section_chars=least, doc_preamble_mode=mode)
    place = sections[0].start if sections else len(md)
    assert not md[:place].strip()
    for section in sections:
        assert section.start == place
        place = section.end
    assert place == len(md)


@given(st.lists(LINES, max_size=16).map("\n".join))
@example("# One\n\nTitle\nof two lines\n===\n\n# One\n\n## Two")
def test_every_title_is_in_the_path_or_the_text_of_one_section(md: str) -> None:
    titles = [s.title for s in cut(md) if s.title]
    merged = cut(md, min_section_chars=30)
    # An underlined title may stand on two lines.
    plain = [" ".join(md[s.start : s.end].translate({42: "", 96: ""}).split()) for s in merged]
    for title in titles:
        assert any(
            title in s.section_path or title in text for s, text in zip(merged, plain, strict=True)
        )


def test_whole_doc_is_one_section() -> None:
    assert [(s.section_path, s.start, s.end) for s in WholeDoc().sections("# A\n")] == [
        ("__preamble__", 0, 4)
    ]
    assert WholeDoc().sections(" \n") == []


def test_attributes_of_headings_are_in_no_path() -> None:
    md = "# Start {#start}\n\na\n\n## Set up {: .no_toc}\n\nb\n\nMore {#more}\n---\n\nc\n"
    assert paths(md) == ["Start", "Start / Set up", "Start / More"]
    assert paths("# Use `{.class}`\n\na\n\n# {#x}\n\nb\n") == ["Use {.class}", "{#x}"]


def test_a_heading_in_html_alone_in_its_block_begins_a_section() -> None:
    md = (
        '<p>Banner</p>\n\n<h1 align="center">\n  Sea <b>level</b>\n</h1>\n\nText.\n\n'
        "<div>\n<h2>No</h2>\n</div>\n\n<h2>Gauge</h2>\nWords.\n\n## Use ![badge](b.svg)\n\nMore."
    )
    assert paths(md) == ["__preamble__", "Sea level", "Sea level / Use"]


def test_pictures_join_a_title_only_when_it_is_nothing_else() -> None:
    assert paths("# Contributing [![PRs Welcome](b.svg)](x)\n\nText.") == ["Contributing"]
    assert paths("# ![Logo](b.svg)\n\nText.") == ["Logo"]


def test_versions_of_a_changelog_are_peers_whatever_their_levels() -> None:
    newest = "## 4.7.1 (2022-04-12)\n\na\n\n# [4.7.0](x) (2021-05-13)\n\n### Fixes\n\nb\n\n"
    md = newest + "## v4.6.17\n\nc\n"
    assert paths(md) == [
        "4.7.1 (2022-04-12)",
        "4.7.0 (2021-05-13)",
        "4.7.0 (2021-05-13) / Fixes",
        "v4.6.17",
    ]
    assert paths("# Log\n\n## 4.7\n\na\n\n### 4.7.1\n\nb\n")[-1] == "Log / 4.7 / 4.7.1"


def test_what_a_release_brought_stands_below_it_where_patches_are_set_as_deep() -> None:
    newest = "# Log\n\n## [4.7.0](x) (2021-05-13)\n\n### Features\n\na\n\n"
    older = "### [4.6.17](x) (2021-04-29)\n\n### Fixes\n\nb\n\n### 4.6.16\n\nc\n\n## 4.6.0\n\nd\n"
    assert paths(newest + older)[1:] == [
        "Log / 4.7.0 (2021-05-13)",
        "Log / 4.7.0 (2021-05-13) / Features",
        "Log / 4.6.17 (2021-04-29)",
        "Log / 4.6.17 (2021-04-29) / Fixes",
        "Log / 4.6.16",
        "Log / 4.6.0",
    ]


@pytest.mark.parametrize(
    ("md", "last"),
    [
        ("# 1.0\n\na\n\n## 1.1\n\nb\n\n# 2.0\n\nc\n\n## 2.1\n\nd\n", "2.0 / 2.1"),
        (
            "# 8.0.1\n\na\n\n## Coming from\n\nb\n\n### 7.17.2\n\nc\n",
            "8.0.1 / Coming from / 7.17.2",
        ),
        ("# 8.0.0\n\na\n\n## 8.1.0\n\nb\n", "8.0.0 / 8.1.0"),
    ],
)
def test_numbers_of_sections_and_versions_that_a_section_is_about_stay_in_it(
    md: str, last: str
) -> None:
    assert paths(md)[-1].endswith(last)


def test_a_version_opens_its_section_though_what_it_brought_is_set_further_out() -> None:
    part = "{release}\n# Highlights\n\n- {release}\n\n## Fixes\n\nb\n\n"
    md = "".join(part.format(release=f"## {name}") for name in ("3.2.0", "3.1.0（2024-10-29）"))
    assert [
        (s.section_path, md[s.start :].split("\n", 1)[0]) for s in cut(md, min_section_chars=1)
    ] == [
        ("3.2.0 / Highlights", "## 3.2.0"),
        ("3.2.0 / Highlights / Fixes", "## Fixes"),
        ("3.1.0（2024-10-29） / Highlights", "## 3.1.0（2024-10-29）"),
        ("3.1.0（2024-10-29） / Highlights / Fixes", "## Fixes"),
    ]


def test_what_a_version_brought_is_its_own_however_its_headings_are_set() -> None:
    first = "## 2.0.1\n## Join us\n# News\n\n1. a\n\n"
    md = first + "## 2.0.0\n# News\n\n1. b\n\n## By whom\n\nc\n\n## 1.9.9\n# News\n\nd\n"
    assert paths(md, min_section_chars=1) == [
        "2.0.1 / Join us + News",
        "2.0.0 / News",
        "2.0.0 / News / By whom",
        "1.9.9 / News",
    ]


def test_versions_deep_below_the_title_of_a_changelog_stand_above_their_parts() -> None:
    newest = "# Log\n\na\n\n#### v2.1.0\n## New\n- b\n## Mended\n- c\n\n"
    md = newest + "#### v2.0.0\n\n## New\n\n- d\n\n#### v1.9.0\n\ne\n\n# Licence\n\nf\n"
    assert paths(md, min_section_chars=1) == [
        "Log",
        "Log / v2.1.0 / New",
        "Log / v2.1.0 / Mended",
        "Log / v2.0.0 / New",
        "Log / v1.9.0",
        "Licence",
    ]


def test_a_version_without_words_at_the_end_of_a_changelog_opens_nothing() -> None:
    md = "# Log\n\n## 1.1.0\n\na\n\n## 1.0.0\n\n# Licence\n\nb\n"
    assert paths(md)[-1] == "Licence"
    assert paths("## 1.1.0\n\n# Log\n\na\n\n## 1.0.0\n\nb\n")[0] == "Log"
