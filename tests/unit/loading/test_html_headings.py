"""Headings of a page say in outline, title and path what the page shows, and nothing else."""

import time

import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.html.loader import HtmlLoader
from rag_assets.sections.heading_lines import headings_of
from rag_query.providers.registry import Params


def load(html: str) -> Loaded:
    return HtmlLoader(Params()).load(html.encode(), LoadRequest("page.html"))


@pytest.mark.parametrize(
    "link",
    [
        "<a class=headerlink href=#x title=Permalink>¶</a>",
        "<a href=#x>\uf0c1</a>",
        "<a class=hash-link href=#x>Direct link to Tides</a>",
        "<a class=anchor href=#x>Link to this heading</a>",
        "<a id=x class=anchor aria-hidden=true href=#x><span></span></a>",
        "<a href=page.html#x>§</a>",
        "<a href=/docs/page#x>🔗</a>",
        "<a class=mark>#</a>",
        "<span><a class=mark href=#x>#</a></span><a aria-hidden=true class=legacy id=old_x></a>",
        "<a id=old></a><a href=#x>¶</a><a name=older></a>",
        "<span class=mw-editsection><span>[</span><a href=e>edit</a><span>]</span></span>",
    ],
)
def test_a_link_of_a_heading_to_itself_is_none_of_its_words(link: str) -> None:
    for heading in (f"Tides{link}", f" {link} Tides", f"<span>Tides {link}</span>"):
        assert load(f"<h2>{heading}</h2><p>x").md == "## Tides\n\nx"


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<h1><a class=anchor href=#x>Tides</a></h1>", "Tides"),
        ("<h1>1. <a class=anchor href=#x>Tides</a></h1>", "1. Tides"),
        ("<h1><a href=#x>Tides</a> of May</h1>", "Tides of May"),
        ("<h1><a href=#x>¶</a></h1>", "¶"),
        ("<h1>Learn C <a href=#x>#</a> now</h1>", "Learn C # now"),
        ("<h1>The sign #</h1>", "The sign #"),
        ("<h1>Tides <a href=a.html>#4</a></h1>", "Tides #4"),
        ("<h1><span>1<span>&nbsp; </span></span><span>Tides</span></h1>", "1 Tides"),
        ("<h1><span><a href=#x>¶</a> 1 </span><span> Tides </span></h1>", "1 Tides"),
    ],
)
def test_a_link_around_a_heading_s_words_stays(page: str, title: str) -> None:
    assert [item.title for item in load(page + "<p>x").outline] == [title]


def test_the_id_of_a_heading_s_own_link_leads_to_it() -> None:
    page = "<h2>Tides <a class=anchor id=t1 href=#t1>#</a></h2><p>x</p>"
    assert load(page).summary["anchors"] == {"t1": "Tides"}


@pytest.mark.parametrize(
    "title",
    [
        "PEP 236: __future__ Directives",
        "__init__.py",
        "snake_case and _private_",
        '"\\" Operator',
        "char *name, char **argv",
        "2 * 3 *",
        "The `id` of x",
        "a\\*b",
        "From &lt; to &amp;copy;",
        "Learn C #",
        "C#",
        "[docs] and \\[x]",
    ],
)
def test_a_heading_reads_as_the_page_shows_it(title: str) -> None:
    page = f"<h1>{title.replace('&', '&amp;')}</h1><p>x"
    loaded = load(page)
    assert [item.title for item in loaded.outline] == [title]
    assert [heading.title for heading in headings_of(loaded.md)] == [title]
    assert loaded.title == title


def test_names_in_headings_are_written_without_needless_marks() -> None:
    assert (
        load("<h1>snake_case of <em>my</em> 2 * 3</h1><p>x").md == "# snake_case of *my* 2 * 3\n\nx"
    )


@pytest.mark.parametrize("before", ["", " ", "<b>A</b>"])
@pytest.mark.parametrize("tag", ["span", "div", "a", "code", "dl", "ul", "td"])
def test_a_heading_in_many_elements_is_read_quickly(tag: str, before: str) -> None:
    inside = f"{before}<{tag}>" * 20 + "Tides" + f"</{tag}>" * 20
    begun = time.process_time()
    assert "Tides" in load(f"<h2>{inside}</h2><p>x").md
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("page", "md"),
    [
        ("<h2 class=accordion-header><button>Storms</button></h2>", "## Storms"),
        ("<details><summary><button>Storms</button></summary>x</details>", "Storms\n\nx"),
        ("<div><button role=tab>All</button><button role=tab>New</button></div>", "All  New"),
        ("<p>Text <button>Copy</button></p>", "Text"),
    ],
)
def test_a_button_is_shown_where_it_says_what_follows(page: str, md: str) -> None:
    assert load(page).md == md


@pytest.mark.parametrize(
    ("page", "md"),
    [
        ("<div role=heading><p>High</p><p>Low</p></div>", "High\n\nLow"),
        ("<div role=heading>High<p>Low</p></div>", "High\n\nLow"),
        ("<div role=heading aria-level=3> <div><p>High</p></div></div>", "### High"),
        ("<div role=heading aria-level=7>High</div>", "###### High"),
        ("<div role=heading aria-level=x>High</div>", "## High"),
    ],
)
def test_a_heading_by_its_role_is_one_line_and_no_deeper_than_markdown_s(
    page: str, md: str
) -> None:
    assert load(page).md == md


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<p class='c1 title'><span>Tide Tables</span></p><h1>Gauges</h1>", "Tide Tables"),
        ("<title>Log</title><p class=title>Tide Tables</p><h1>Gauges</h1>", "Log"),
        ("<h1>Gauges</h1><p class=title>Example 1</p>", "Gauges"),
        ("<nav><p class=title>Menu</p></nav><h1>Gauges</h1>", "Gauges"),
        ("<div hidden><p class=title>Log in</p></div><h1>Gauges</h1>", "Gauges"),
    ],
)
def test_a_page_without_title_is_called_by_the_line_styled_as_one(page: str, title: str) -> None:
    assert load(f"{page}<p>x").title == title
