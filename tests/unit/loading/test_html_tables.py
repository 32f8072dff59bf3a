"""Tables of a page: values under their headers, layout as text, hostile numbers bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.html.markdown import to_markdown

SALES = "<tr><th>Region<th>Year<th>Sales"


@pytest.mark.parametrize(
    ("html", "md"),
    [
        (
            f"{SALES}<tr><td rowspan=2>North<td>2020<td>512<tr><td>2021<td>640",
            "| Region | Year | Sales |\n|---|---|---|\n| North | 2020 | 512 |\n"
            "| North | 2021 | 640 |",
        ),
        (
            f"{SALES}<tr><td>North<td colspan=2>closed<tr><td>South<td>2020<td>9",
            "| Region | Year | Sales |\n|---|---|---|\n| North | closed |\n| South | 2020 | 9 |",
        ),
        (
            "<tr><th>Year<th colspan=2>Sales<th>Staff<tr><td>2020<td>5<td>6<td>70",
            "| Year | Sales | Sales | Staff |\n|---|---|---|---|\n| 2020 | 5 | 6 | 70 |",
        ),
        (
            "<tr><th rowspan=2>Region<th colspan=2>Sales<tr><th>2020<th>2021"
            "<tr><td>North<td>5<td>6",
            "| Region | Sales 2020 | Sales 2021 |\n|---|---|---|\n| North | 5 | 6 |",
        ),
        (
            "<tr><th colspan=2>Tides<tr><th>Month<th>m<tr><th colspan=2>Spring<tr><td>May<td>2",
            "Tides\n\n| Month | m |\n|---|---|\n| Spring |\n| May | 2 |",
        ),
        (
            "<thead><tr><td rowspan=0>a<td>b<tbody><tr><td>c<td>d",
            "| a | b |\n|---|---|\n| c | d |",
        ),
        ("<tr><th colspan=3>a<th colspan=9>b<tr><td colspan=3>c", "| a | b |\n|---|---|\n| c |"),
        (
            "<tr><th>No.<td>PS-303<th>Power<td>55 kW<tr><th>Keeper<td>Ann<th>Head<td>18 m",
            "|  |  |  |  |\n|---|---|---|---|\n"
            "| No. | PS-303 | Power | 55 kW |\n| Keeper | Ann | Head | 18 m |",
        ),
        (
            "<tr><th colspan=2>Osprey<tr><th>Model<td>OP-71<tr><th colspan=2>Data<tr><th>Flow<td>4",
            "Osprey\n\n|  |  |\n|---|---|\n| Model | OP-71 |\n| Data |\n| Flow | 4 |",
        ),
        (
            "<tr><th>Year<td>2023<td>2024<tr><th>Staff<td>5<td>6",
            "| Year | 2023 | 2024 |\n|---|---|---|\n| Staff | 5 | 6 |",
        ),
        (
            "<thead><tr><th>Option<td>Meaning<tbody><tr><th>-a<td>all",
            "| Option | Meaning |\n|---|---|\n| -a | all |",
        ),
        ("<tr><th>a<th>b<tr hidden><td>c<td>d", "| a | b |\n|---|---|"),
    ],
)
def test_values_stand_under_their_headers(html: str, md: str) -> None:
    assert to_markdown(f"<table>{html}</table>").md == md


@pytest.mark.parametrize(
    ("html", "heads"),
    [
        ("<tr><td>TARGET<td>pump to run<tr><td>--fast<td>run at full speed", "|  |  |"),
        (
            "<tr><td colspan=3>Options<tr><td><td><kbd>-n</kbd><td>no change"
            "<tr><td><td><kbd>-s</kbd><td>statistics",
            "|  |  |  |",
        ),
        ("<tr><td>Room<td>Rent<tr><td>North<td>€ 400<tr><td>South<td>€ 520", "| Room | Rent |"),
        ("<tr><td>North<td>400<tr><td>South<td>520<tr><td>West<td>90", "|  |  |"),
        ("<tr><td>in<td>flow<td>of the pump<tr><td>in<td>head<td>of the well", "|  |  |  |"),
        ("<tr><td>4.9<td>Ann Holm<td>until May<tr><td>5.2<td>Bo Lind<td>until June", "|  |  |  |"),
        (
            "<tr class=odd bgcolor=#eee><td>a<td>b<tr><td>c<td>d<tr bgcolor=#eee><td>e<td>f",
            "|  |  |",
        ),
        (
            "<tr><td><b>Option</b><td><b>Meaning</b><tr><td>-n<td>none",
            "| **Option** | **Meaning** |",
        ),
        ("<tr><td>Note<td>The pump is hot.", "|  |  |"),
        ("<tr><th>Part<th>Life", "| Part | Life |"),
        ("<tr class=tbl-head><td>Option<td>Meaning<tr><td>-n<td>none", "| Option | Meaning |"),
        (
            "<tr><td style='background:#eee'>Option<td bgcolor=#eee>Meaning<tr><td>-n<td>none",
            "| Option | Meaning |",
        ),
        (
            "<tr><td>品名<td>2024<td>单价（元）<tr><td>水泵<td>3<td>90",
            "| 品名 | 2024 | 单价（元） |",
        ),
        (
            "<tr><td><b>Region</b><td><b>Sales</b><tr><td>North<td>40<tr><td>South<td>52"
            "<tr><td><b>Total</b><td><b>92</b>",
            "| **Region** | **Sales** |",
        ),
        (
            "<tr><td><b>Op</b><b>tion</b><td><b>Sense</b><tr><td>-n<td>none",
            "| **Op****tion** | **Sense** |",
        ),
        (
            "<tr bgcolor=#ccc><td>Region<td>Sales<td>Staff<tr><td>North<td>40<td>4"
            "<tr bgcolor=#eee><td>South<td>52<td>5",
            "| Region | Sales | Staff |",
        ),
        (
            "<tr><td>Field<td>Type<td>Description<tr><td>Type<td>string<td>kind of pump"
            "<tr><td>Field<td>Type<td>Description<tr><td>Head<td>float<td>in metres",
            "| Field | Type | Description |",
        ),
        (
            "<tr><td>Substance<td>Highest concentration in drinking water (mg/l)<td>2023-24"
            "<tr><td>Lead<td>0.01<td>0.004",
            "| Substance | Highest concentration in drinking water (mg/l) | 2023-24 |",
        ),
    ],
)
def test_a_first_row_of_data_heads_no_column(html: str, heads: str) -> None:
    """Its cells would be said of all the rows below."""
    lines = to_markdown(f"<table>{html}</table>").md.split("\n")
    assert lines[next(at for at, line in enumerate(lines) if "---" in line) - 1] == heads


MAIN = "<h1>Main</h1><p>one<p>two<h2>Sub</h2><pre>a\n b</pre>"


@pytest.mark.parametrize(
    ("html", "md"),
    [
        (
            f"<table><tr><td>menu<td>{MAIN}</table>",
            "menu\n\n# Main\n\none\n\ntwo\n\n## Sub\n\n```\na\n b\n```",
        ),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"),
        (
            "<table><tr><td rowspan=2><img src=t.png alt=Tip><th>Tip<tr><td>Wear gloves.</table>",
            "![Tip](t.png)\n\nTip\n\nWear gloves.",
        ),
        (
            "<table><tr><td><img src=a.png><th>Open<tr><td><img src=b.png><td>Shut</table>",
            "| ![](a.png) | Open |\n|---|---|\n| ![](b.png) | Shut |",
        ),
        (
            "<table><tr><td><pre>a</pre><td><tr><td><td><pre>b</pre></table>",
            "```\na\n```\n\n```\nb\n```",
        ),
        (
            "<table class=highlighttable><tr><th colspan=2>a.py<tr><td class=linenos><pre>1</pre>"
            "<td><pre>run()</pre></table>",
            "a.py\n\n```\nrun()\n```",
        ),
        ("<table><tr><td><ul><li>a<li>b</ul><td><p>c<p>d</table>", "- a\n- b\n\nc\n\nd"),
        (
            "<table><tr><td><table><tr><th>A<th>B<tr><td>1<td>2</table><td>c</table>",
            "| A | B |\n|---|---|\n| 1 | 2 |\n\nc",
        ),
    ],
)
def test_a_table_that_lays_out_a_page_is_read_as_its_blocks(html: str, md: str) -> None:
    assert to_markdown(html).md == md


@pytest.mark.parametrize(
    ("html", "md"),
    [
        (
            "<tr><td>May<td><p>a<p>b<td>x<tr><td>June<td><ul><li>c<li>d</ul><td>y",
            "| May | a b | x |\n|---|---|---|\n| June | - c - d | y |",
        ),
        (
            "<tr><th>Plan<th>Code<tr><td><h3>Pro</h3><td><pre>x\ny</pre>",
            "| Plan | Code |\n|---|---|\n| Pro | ``` x y ``` |",
        ),
        (
            "<tr><th>Name<th><table><tr><td>a|b<td>Size</table><tr><td>c<td>d",
            "| Name | a\\|b Size |\n|---|---|\n| c | d |",
        ),
        (
            "<tr><th>Sign<th>Use<tr><td>| pipe<td># no<br>|a|<tr><td><pre>\\|</pre><td>x",
            "| Sign | Use |\n|---|---|\n| \\| pipe | \\# no \\|a\\| |\n| ``` \\\\| ``` | x |",
        ),
    ],
)
def test_a_table_of_data_stays_one(html: str, md: str) -> None:
    assert to_markdown(f"<table>{html}</table>").md == md


@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_cells_stand_where_browsers_put_them(spans: list[list[tuple[int, int]]]) -> None:
    """Checked against the grid filled place by place (HTML, 4.9.12)."""
    grid: dict[tuple[int, int], str] = {}
    html = ""
    for row, cells in enumerate(spans):
        html += "<tr>"
        column = 0
        for number, (columns, rows) in enumerate(cells):
            text = f"{row}w{number}"
            html += f"<td colspan={columns} rowspan={rows}>{text}"
            while (row, column) in grid:
                column += 1
            # Where cells overlap, the one that came down from above stays.
            free = next((at for at in range(columns) if (row, column + at) in grid), columns)
            for down in range(row, min(row + rows, len(spans)) if rows else len(spans)):
                for at in range(column, column + free):
                    grid[down, at] = text if at == column else ""
            column += free
    width = max(column for _, column in grid) + 1
    # A row of headers above: every column has its own.
    head = "".join(f"<th>h{at}" for at in range(width))
    md = to_markdown(f"<table><thead><tr>{head}<tbody>{html}</table>").md
    lines = md.split("\n")[2:] if width > 1 else []
    for row, line in enumerate(lines):
        want = [grid.get((row, at), "") for at in range(width)]
        while len(want) > 1 and not want[-1]:
            want.pop()
        assert line == "| " + " | ".join(want) + " |"
    assert len(lines) in (0, len(spans))


@pytest.mark.parametrize(
    "html",
    [
        "<tr><td colspan=1000>a<td>b" * 2000,
        "<tr>" + "<td>x" * 1000 + "<tr><td colspan=1000>a<td>b" * 2000,
        f"<tr><td rowspan=65534>{'w ' * 50_000}<td>b" + "<tr><td>c" * 5000,
        "<tr><td rowspan=65534>a<td>b" * 2000,
        "<tr>" + "<td>x" * 5000 + "<tr><td>c" * 5000,
        "<tr><td colspan=99999999999999999999 rowspan=-1>a<td>b",
    ],
)
def test_spans_do_not_blow_up_a_table(html: str) -> None:
    assert len(to_markdown(f"<table>{html}</table>").md) < 20_000 + 5 * len(html)


def test_a_long_text_is_not_repeated_in_each_row_but_keeps_its_column() -> None:
    html = f"<tr><th>a<th>b<tr><td rowspan=300>{'w' * 900}<td>0" + "<tr><td>1" * 299
    md = to_markdown(f"<table>{html}</table>").md
    assert md.count("w" * 900) == 1 and md.endswith("|  | 1 |")


@pytest.mark.parametrize("cell", ["td", "td><div"])
def test_ends_of_lines_in_cells_make_no_layout(cell: str) -> None:
    html = (
        "<table><tr><td>Mon<td>Soup<br><br>Fish<tr><td>Tue<br><br>(shut)<td>None<br><br>Ham</table>"
    )
    rows = ["| Mon | Soup Fish |", "| Tue (shut) | None Ham |"]
    assert to_markdown(html.replace("td>", f"{cell}>")).md.split("\n")[2:] == rows
