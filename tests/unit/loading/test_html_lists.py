"""Lists and definitions of a page: what belongs together is one item, headings are headings."""

import pytest

from rag_assets.chunks.rcts import RctsParams, RctsWithinSection
from rag_assets.loading.base import LoadRequest
from rag_assets.loading.html.loader import HtmlLoader
from rag_assets.loading.html.markdown import to_markdown
from rag_query.providers.registry import Params


def test_headings_in_a_list_that_lays_out_a_page_are_headings() -> None:
    html = (
        "<h1>Class Year</h1><ul><li><h2>Methods</h2><ul><li><h3>of</h3><p>Makes one.</p></ul>"
        "<li>More</ul>"
    )
    loaded = HtmlLoader(Params()).load(html.encode(), LoadRequest("page.html"))
    assert loaded.md == "# Class Year\n\n## Methods\n\n### of\n\nMakes one.\n\nMore"
    assert [item.title for item in loaded.outline] == ["Class Year", "Methods", "of"]


@pytest.mark.parametrize(
    ("html", "md"),
    [
        (
            "<dl><dt>high</dt><dd>The most.</dd><dt>low<dd><p>The least.</p><p>Twice a day.</dl>",
            "- high\n  The most.\n- low\n  The least.\n\n  Twice a day.",
        ),
        ("<dl><dt>-a<dt>--all<dd>Everything.</dl>", "- -a\n  --all\n  Everything."),
        (
            "<dl><div><dt>a<dd>one</div><div><dt>b<dd><ul><li>x<li>y</ul></div></dl>",
            "- a\n  one\n- b\n  - x\n  - y",
        ),
        ("<dl><dt>a<dd><ol start=3><li>x</ol></dl>", "- a\n\n  3. x"),
        # Contents of a book: parts have no definition but chapters.
        ("<dl><dt>I<dt>II<dd><dl><dt>1<dd>one</dl></dl>", "- I\n- II\n\n- 1\n  one"),
        # What an item would narrow stands below it.
        (
            "<dl><dt>f()<dd><p>Calls.</p><pre>f()</pre><p>Done.</p><dt>g()<dd>Too.</dl>",
            "- f()\n  Calls.\n\n```\nf()\n```\n\nDone.\n\n- g()\n  Too.",
        ),
        (
            "<dl><dt>class A<dd><p>One.</p><dl><dt>f()<dd>Two.</dl><p>End.</p></dl>",
            "- class A\n  One.\n\n- f()\n  Two.\n\nEnd.",
        ),
        # Layout.
        ("<dl><dd>indented</dl>", "indented"),
        ("<dl><dt><h3>T</h3><dd>x</dl>", "### T\n\nx"),
        ("<dl><dt>T<dd><h3>H</h3>x</dl>", "- T\n\n### H\n\nx"),
        ("<dl>said<dt>a<dd>b</dl>", "said\n\n- a\n  b"),
    ],
)
def test_a_term_and_its_definition_are_one_item(html: str, md: str) -> None:
    assert to_markdown(html).md == md


@pytest.mark.parametrize(
    ("item", "written"),
    [
        ("<li><input type=checkbox checked disabled> Oil it", "[x] Oil it"),
        ("<li><label><input type=checkbox>Oil it</label><p>Twice.", "[ ] Oil it\n\n  Twice."),
        ("<li class=checked data-inline-task-id=1><span>Oil it</span>", "[x] Oil it"),
        ("<li data-inline-task-id=2><span>Oil it</span>", "[ ] Oil it"),
        ("<li><div class='checkbox checkbox-on'></div> <span>Oil it</span>", "[x] Oil it"),
        ("<li><div class='checkbox checkbox-off'></div> <span>Oil it</span>", "[ ] Oil it"),
        ("<li>Oil it <input type=checkbox checked>", "Oil it"),
        ("<li><input type=text> Oil it", "Oil it"),
        ("<li class=checkbox><label class=checkbox><input type=checkbox checked> Oil", "[x] Oil"),
        ("<li><span class='icon checkbox'></span> Oil it", "Oil it"),
        ("<li><input type=checkbox><pre>oil</pre>", "```\n  oil\n  ```"),
    ],
)
def test_a_task_says_whether_it_is_done(item: str, written: str) -> None:
    assert to_markdown(f"<ul>{item}</ul>").md == f"- {written}"


def test_a_box_that_opens_a_section_is_no_task() -> None:
    html = "<ul><li><input type=checkbox checked><h2>Oil</h2><p>Twice a year.</ul>"
    assert to_markdown(html).md == "## Oil\n\nTwice a year."


@pytest.mark.parametrize(
    ("html", "md"),
    [
        ("<ol><li>a<li><li hidden>x<li>b</ol>", "1. a\n3. b"),
        ("<ol start=3><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
        ("<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"),
        ("<ol reversed start=9><li>a<li>b</ol>", "9. a\n8. b"),
        ('<ol start=" 0x"><li>a<li value="">b</ol>', "0. a\n1. b"),
        ("<ol><li>a</li><ol><li>x</ol><li>b</ol>", "1. a\n   1. x\n2. b"),
        ("<ol>First:<li>a</li><p>Note.</p><li>b</ol>", "First:\n\n1. a\n\n   Note.\n2. b"),
        ("<ol><div>a</div> <div>b</div></ol>", "1. a\n2. b"),
        # Markdown has no such numbers.
        ("<ol start=-1><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ol start=9999999999999><li>a</ol>", "1. a"),
    ],
)
def test_items_have_the_numbers_that_the_page_shows(html: str, md: str) -> None:
    assert to_markdown(html).md == md


def _of_docs(tag: str, name: str, *items: str) -> str:
    """A piece of a list as Google Docs writes it."""
    return (
        f'<{tag} class="c1 lst-kix_{name}">{"".join(f"<li>{item}</li>" for item in items)}</{tag}>'
    )


@pytest.mark.parametrize(
    ("pieces", "md"),
    [
        (
            [
                _of_docs("ul", "a1-0 start", "Laptop"),
                _of_docs("ul", "a1-1 start", "Charger"),
                _of_docs("ul", "a1-2 start", "Cable"),
                _of_docs("ul", "a1-1", "Dock"),
                _of_docs("ul", "a1-0", "Phone"),
            ],
            "- Laptop\n  - Charger\n    - Cable\n  - Dock\n- Phone",
        ),
        (
            [
                _of_docs("ol", "b-0 start", "Drain"),
                _of_docs("ul", "c-1 start", "slowly"),
                _of_docs("ol", "b-0", "Rinse"),
            ],
            "1. Drain\n   - slowly\n2. Rinse",
        ),
        # A list of its own, one that begins further in, and what stands between two.
        (
            [_of_docs("ul", "a-0 start", "x"), _of_docs("ul", "b-0 start", "y")],
            "- x\n\n- y",
        ),
        (
            [_of_docs("ul", "a-1 start", "x"), _of_docs("ul", "a-0 start", "y")],
            "- x\n\n- y",
        ),
        (
            [_of_docs("ul", "a-0 start", "x"), "<p>z</p>", _of_docs("ul", "a-1 start", "y")],
            "- x\n\nz\n\n- y",
        ),
    ],
)
def test_lists_of_google_docs_stand_in_the_item_above_them(pieces: list[str], md: str) -> None:
    assert to_markdown("\n".join(pieces)).md == md


def test_nested_definitions_take_no_more_time_than_their_text() -> None:
    html = "<dl><dt id=x><h2>T</h2><dd>" * 60 + "<dl><dt id=y>" * 30 + "end"
    assert to_markdown(html).md.endswith("end")


def test_no_cut_parts_a_term_from_its_definition() -> None:
    entries = (f"<dt>term{n}</dt><dd>{f'word{n} ' * (8 + n % 5)}</dd>" for n in range(60))
    md = to_markdown(f"<dl>{''.join(entries)}</dl>").md
    chunker = RctsWithinSection(RctsParams(chunk_size=300, chunk_overlap=0))
    chunks = [md[piece.start : piece.end] for piece in chunker.split(md, None)]
    assert len(chunks) > 5
    for number in range(60):
        (chunk,) = [chunk for chunk in chunks if f"- term{number}\n" in chunk]
        assert f"- term{number}\n  word{number} " in chunk
