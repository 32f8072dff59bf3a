"""Links and addresses in Markdown: where they lead, where they stand, and what is none."""

import time

import pytest

from rag_assets.links.base import FoundLink
from rag_assets.links.markdown import MarkdownLinker, MarkdownLinkerParams
from rag_query.text.ids import doc_id

OWN = "file://inbox/docs/a.md"


def links(md: str, **params: object) -> list[FoundLink]:
    linker = MarkdownLinker(MarkdownLinkerParams.model_validate(params))
    return linker.links(md, root="inbox", rel_path="docs/a.md", own_uri=OWN)


@pytest.mark.parametrize(
    ("md", "kind", "uri", "anchor"),
    [
        ("[x](b.md)", "link", "file://inbox/docs/b.md", None),
        ("[x](../up/b.md#Some-Part)", "link", "file://inbox/up/b.md", "some-part"),
        ("[x](<b c.md>)", "link", "file://inbox/docs/b%20c.md", None),
        ("[x](b%20c.md?v=1)", "link", "file://inbox/docs/b%20c.md", None),
        ("[x](./米饭/蒸.md)", "link", "file://inbox/docs/米饭/蒸.md", None),
        ("[x](#%E6%93%8D%E4%BD%9C)", "link", OWN, "操作"),
        ("[x][r]\n\n[r]: b.md", "reference", "file://inbox/docs/b.md", None),
        ("> As [r].\n>\n> [r]: b.md", "reference", "file://inbox/docs/b.md", None),
        ("10. as [r]\n\n    [r]: b.md", "reference", "file://inbox/docs/b.md", None),
        ("[[Other page|text]]", "wiki", "file://inbox/docs/Other%20page.md", None),
        ("[[b.md#H]]", "wiki", "file://inbox/docs/b.md", "h"),
        ("[[Release v1.2]]", "wiki", "file://inbox/docs/Release%20v1.2.md", None),
        ("[[Note.with.dots#H]]", "wiki", "file://inbox/docs/Note.with.dots.md", "h"),
        ("[[Paper.PDF]]", "wiki", "file://inbox/docs/Paper.PDF", None),
        ("[[photo.jpeg]]", "wiki", "file://inbox/docs/photo.jpeg", None),
        ("| a |\n|---|\n| [[b\\|x]] |", "wiki", "file://inbox/docs/b.md", None),
        ("![[Other page]]", "wiki", "file://inbox/docs/Other%20page.md", None),
        ("![[b#Some part|x]]", "wiki", "file://inbox/docs/b.md", "some-part"),
        ("![[Paper.pdf#page=3]]", "wiki", "file://inbox/docs/Paper.pdf", "page3"),
        ("[[b#^Some-id]]", "wiki", "file://inbox/docs/b.md", "^some-id"),
        ("[x](b.md#%5Eid)", "link", "file://inbox/docs/b.md", "^id"),
        ('<p>\n  <a\n    href="b.md#h">\n</p>', "link", "file://inbox/docs/b.md", "h"),
        ('> x <a\n> href="b.md">x</a>', "link", "file://inbox/docs/b.md", None),
        ('<!-- <a href="c.md"> -->\n<a href="b.md">', "link", "file://inbox/docs/b.md", None),
        ('<a href="b.md">x</a>', "link", "file://inbox/docs/b.md", None),
        ("<a class=c href=b.md>x</a>", "link", "file://inbox/docs/b.md", None),
    ],
)
def test_targets_inside_the_root(md: str, kind: str, uri: str, anchor: str | None) -> None:
    (link,) = links(md)
    assert (link.kind, link.target_uri, link.target_anchor) == (kind, uri, anchor)
    assert link.target_doc_id == doc_id(uri)


@pytest.mark.parametrize(
    "md",
    ["[x](b.md)", "[[b]]", 'x <a href="b.md">x</a>', '<div>\n<a href="b.md">x</a>\n</div>'],
)
@pytest.mark.parametrize("before", ["Words of ASCII.\n\n", "这里是一段中文，比字节短得多。\n\n"])
def test_a_link_stands_where_it_is_written_in_any_script(md: str, before: str) -> None:
    (link,) = links(f"{before}{md}\n")
    (alone,) = links(f"{md}\n")
    assert link.target_uri == "file://inbox/docs/b.md"
    assert link.start == len(before) + alone.start


@pytest.mark.parametrize(
    ("md", "kind", "uri"),
    [
        ("[x](https://example.org/a#b)", "external", "https://example.org/a#b"),
        ("<https://example.org>", "external", "https://example.org"),
        ("[x](//cdn.example.org/a)", "external", "//cdn.example.org/a"),
        ("[x](/en/guides/x/)", "link", "/en/guides/x/"),
        ("[x](../../etc/passwd)", "link", "../../etc/passwd"),
    ],
)
def test_targets_outside_the_root(md: str, kind: str, uri: str) -> None:
    (link,) = links(md)
    assert (link.kind, link.target_uri, link.target_doc_id) == (kind, uri, None)


def test_addresses_in_running_text() -> None:
    md = """See https://example.org/a_b?c=1&d=2#e, or（https://例.org/页）。

[text https://inside.org](https://outside.org) `https://code.org` <https://auto.org>

```
https://block.org
```
"""
    found = links(md)
    assert [link.target_uri for link in found] == [
        "https://example.org/a_b?c=1&d=2#e",
        "https://例.org/页",
        "https://outside.org",
        "https://auto.org",
    ]
    assert {link.kind for link in found} == {"external"}
    assert [link.start for link in found] == [
        md.index(text) for text in ("https://e", "https://例", "[text", "<https")
    ]


@pytest.mark.parametrize(
    ("md", "address"),
    [
        ("See https://e.org/wiki/A_(b)", "https://e.org/wiki/A_(b)"),
        ("(https://e.org/wiki/A_(b_(c))d).", "https://e.org/wiki/A_(b_(c))d"),
        ("(see https://e.org/a)b", "https://e.org/a"),
        ("https://e.org/a(see below)", "https://e.org/a"),
        ("https://e.org/a_(b). Next", "https://e.org/a_(b)"),
    ],
)
def test_parentheses_belong_to_an_address_that_closes_them(md: str, address: str) -> None:
    assert [link.target_uri for link in links(md)] == [address]


@pytest.mark.parametrize(
    "md",
    [
        "`[x](b.md)`",
        "```\n[x](b.md)\n```",
        "![x](b.png)",
        "![[b.png|300]]",
        "| a |\n|---|\n| ![[b.PNG\\|300]] |",
        "[x]()",
        "no link",
        "[x](#)",
        '<!-- <a href="b.md">x</a> -->',
        'words <!-- <a href="b.md">x</a> --> words',
        '<div>\n<!--\n<a\nhref="b.md">x</a>\n</div>',
    ],
)
def test_what_is_no_link(md: str) -> None:
    assert links(md) == []


def test_the_place_and_text_of_a_link() -> None:
    md = "# 标题\n\n看[**这** `里`](b.md)和[那里](c.md)"
    found = links(md)
    assert [link.start for link in found] == [md.index("[**这"), md.index("[那里")]
    assert [link.text for link in found] == ["这 里", "那里"]
    assert len(links(md, max_links=1)) == 1


def test_a_link_around_an_image_and_one_in_html_are_where_they_stand() -> None:
    md = "水 [![a](b.png) text](c.md)\n\n<p>图\n<a\n href='d.md'>x</a>\n</p>\n\n图 <a href=e.md>"
    found = links(md)
    assert [link.start for link in found] == [
        md.index(text) for text in ("[![a]", "<a\n", "<a href=e")
    ]
    assert [link.text for link in found] == ["a text", "", ""]


def test_many_unclosed_elements_take_no_long_time() -> None:
    started = time.process_time()
    assert links("<div>\n" + "<a " * 100_000) == []
    assert time.process_time() - started < 5


NUMBERED = """# 1. Start

See section 2.1, §3 and Sections 2.1; chapter 9 is of another book.

## 2.1 Wind

详见第3节，参见 2.1。

# 3 Rain

`section 1`

```
section 1
```
"""


def test_words_that_name_a_numbered_section_lead_there() -> None:
    found = links(NUMBERED)
    assert {link.kind for link in found} == {"section"}
    assert [(link.text, link.target_anchor) for link in found] == [
        ("section 2.1", "21-wind"),
        ("§3", "3-rain"),
        ("Sections 2.1", "21-wind"),
        ("第3节", "3-rain"),
        ("参见 2.1", "21-wind"),
    ]
    assert all(link.target_doc_id == doc_id(OWN) for link in found)
    assert [link.start for link in found][:2] == [NUMBERED.index("section"), NUMBERED.index("§")]
    assert links(NUMBERED, section_references=False) == []
    assert links("see section 2.1\n\n# Wind\n") == []


def test_a_digit_that_begins_a_word_numbers_no_section() -> None:
    titles = "# 3D printing\n\n## 3rd party\n\n# 3. Printing\n\n## 3.2.1b Odd\n\n## 3.2 Even\n"
    found = links(titles + "\nSee section 3 and §§ 3.2.\n")
    assert [link.target_anchor for link in found] == ["3-printing", "32-even"]


def test_a_number_names_the_heading_that_bears_it_among_others_of_its_slug() -> None:
    (link,) = links("# 1 A\n\n# 1-A\n\n# 2.1 B\n\n# 21 B\n\nSee section 21.\n")
    assert link.target_anchor == "21-b-1"


def test_references_in_code_and_headings_are_none_at_any_depth() -> None:
    md = "# 1 Start\n\n# See section 1\n\n- a\n\n  ```\n  section 1\n  ```\n\n``a ` section\n1``\n"
    assert links(md) == []
    assert len(links(md + "\n- see `it` in section 1\n")) == 1


def test_many_references_on_one_line_take_time_by_its_length() -> None:
    line = "see section 3 and use `code` here, and then go on with other words. " * 20_000
    started = time.process_time()
    assert len(links("# 3 Ops\n\n" + line, max_links=30_000)) == 20_000
    assert len(links("# 3 Ops\n\n" + line, max_links=7)) == 7
    assert len(links("# 3 Ops\n\nsection 3 " + "§" * 100_000)) == 1
    assert time.process_time() - started < 10


@pytest.mark.parametrize("md", ["[[toc]]", "[[TOC]]", "[[_TOC_]]"])
def test_a_place_for_the_contents_is_no_link(md: str) -> None:
    assert links(f"# A\n\n{md}\n\n# B\n") == []
