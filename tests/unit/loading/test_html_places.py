"""An id leads to words of its own section, and changes nothing of how they are written."""

import re

import pytest

from rag_assets.loading.html.markdown import to_markdown


def shown(html: str) -> dict[str, str]:
    """Each id with the line it leads to."""
    page = to_markdown(html)
    lines = page.md.split("\n")
    return {name: lines[line] for name, line in page.places.items()}


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (
            "<table><tr id=r1><td>2019<td>5<tr id=r2><td>2020<td>6</table>",
            {"r1": "| 2019 | 5 |", "r2": "| 2020 | 6 |"},
        ),
        ("<p id=fn1>[1]</p>", {"fn1": "[1]"}),
        ("<p id=t1>3.5 %</p>", {"t1": "3.5 %"}),
        ("<pre id=code>a\nb\nc</pre>", {"code": "a"}),
        ("<p>Some words<p id=z>字</p>", {"z": "Some words"}),
        ("<p id=z>字</p>", {}),
    ],
)  # fmt: skip
def test_an_id_leads_to_no_other_section(html: str, lines: dict[str, str]) -> None:
    assert shown(f"<h2>One</h2>{html}<h2>Two</h2><p>other words</p>") == lines


@pytest.mark.parametrize("last", ["Last words", "2019", "字"])
def test_an_id_behind_the_last_words_of_a_page_leads_to_them(last: str) -> None:
    html = f"<p>First words</p><h2>End</h2><p>{last}</p><a name=bottom></a>"
    assert shown(html) == {"bottom": last}


@pytest.mark.parametrize(
    "html",
    [
        "<p id=a>12. words</p>",
        "<p>3) words<h2>Two</h2><p id=a><span id=b></span></p><p>4. x</p><i id=c></i>",
        "<p>12. words<a id=a></a><a id=b></a><br id=c></p>",
        "<p>10<sup><b id=a>10</b></sup> and x<sub><i id=b>ij</i></sub></p>",
        "<math><mrow id=a><mfrac><mn id=b>12</mn><mi id=c>sin</mi></mfrac></mrow></math>",
        "<ruby>漢<rt><b id=a>かん</b></rt>字<rt><b id=b>じじ</b></rt></ruby>",
        "<pre id=a>`````</pre><pre id=b>x```</pre>",
    ],
)
def test_ids_change_nothing_of_what_is_written(html: str) -> None:
    assert to_markdown(html).md == to_markdown(re.sub(r" id=\w", "", html)).md
