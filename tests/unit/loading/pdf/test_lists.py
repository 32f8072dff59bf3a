"""Lists: where an item begins and where it ends."""

from pathlib import Path

import pymupdf
import pytest

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams

FULL = "the model was fitted anew for every one of the stations by parametric bootstrapping"


def load(path: Path, *rows: tuple[float, float, str]) -> Loaded:
    document = pymupdf.open()
    page = document.new_page()
    with_font = pymupdf.TextWriter(page.rect)
    for x, y, text in rows:
        with_font.append((x, y), text, font=pymupdf.Font("helv"), fontsize=11)
    with_font.write_text(page)
    document.save(path)
    document.close()
    return PdfLoader(PdfParams()).load(path, LoadRequest(path.name))


def test_a_dash_that_was_wrapped_begins_no_item(tmp_path: Path) -> None:
    rows = [(72.0, 100 + 14.0 * n, FULL) for n in range(3)]
    rest = "– that is, by drawing anew"
    loaded = load(tmp_path / "d.pdf", *rows, (72.0, 142.0, rest))
    assert loaded.md.endswith(f"bootstrapping {rest}")


def test_dashes_below_each_other_are_items_however_long(tmp_path: Path) -> None:
    loaded = load(tmp_path / "i.pdf", *((72.0, 100 + 14.0 * n, f"– {FULL}") for n in range(4)))
    assert loaded.md.count(f"- {FULL}") == 4


def test_numbered_items_below_each_other_are_items_however_long(tmp_path: Path) -> None:
    rows = [f"1. {FULL}.", "2. A model:", f"1. {FULL[:-4]}.", "3. A lamp."]
    places = [(72.0, 100.0), (72.0, 114.0), (86.0, 128.0), (72.0, 142.0)]
    loaded = load(tmp_path / "o.pdf", *((*at, row) for at, row in zip(places, rows, strict=True)))
    assert loaded.md.split("\n") == rows
    rows = [f"{number}. {FULL}." for number in (1, 2, 3)]
    loaded = load(tmp_path / "n.pdf", *((72.0, 100 + 14.0 * n, row) for n, row in enumerate(rows)))
    assert loaded.md.split("\n") == rows


def test_a_paragraph_below_the_mark_of_an_item_of_one_row_is_none_of_it(tmp_path: Path) -> None:
    text = FULL.capitalize() + "."
    marks = [(72.0, y, "•") for y in (100.0, 114.0)]
    items = [(92.0, y, text) for y in (100.0, 114.0)]
    rows = sorted([*marks, *items], key=lambda row: (row[1], row[0]))
    loaded = load(tmp_path / "p.pdf", *rows, (72.0, 128.0, "Harbour board, 2017"))
    assert loaded.md == f"- {text}\n- {text}\n\nHarbour board, 2017"


def test_a_mark_that_is_larger_than_its_text_makes_no_heading(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    font = pymupdf.Font("helv")
    drawn = pymupdf.TextWriter(page.rect)
    for number in range(6):
        drawn.append((72, 80 + 12 * number), FULL, font=font, fontsize=10)
    for number, item in enumerate(["Call us in the night.", "Write to the office."]):
        drawn.append((78, 160 + 12 * number), "•", font=font, fontsize=14)
        drawn.append((102, 160 + 12 * number), item, font=font, fontsize=10)
    drawn.write_text(page)
    document.save(tmp_path / "m.pdf")
    loaded = PdfLoader(PdfParams()).load(tmp_path / "m.pdf", LoadRequest("m.pdf"))
    assert loaded.md.endswith("- Call us in the night.\n- Write to the office.")


@pytest.mark.parametrize(("mark", "right"), [("{}", 18), ("{}.", 18), ("{}. ", 10), ("({})", 24)])
def test_a_number_that_is_larger_than_its_text_makes_no_heading(
    tmp_path: Path, mark: str, right: int
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    font, bold = pymupdf.Font("helv"), pymupdf.Font("hebo")
    drawn = pymupdf.TextWriter(page.rect)
    for part in range(3):
        y = 80 + 130 * part
        drawn.append((72, y), f"Readings of gauge {part + 4}", font=bold, fontsize=12)
        drawn.append((72, y + 20), "This is done by two of the keepers.", font=font, fontsize=10)
        for row, text in enumerate([FULL[:40], f"{FULL} and", "checked at noon", "Write it down"]):
            if row != 2:
                number = mark.format(row // 2 + 1 if row else 1)
                drawn.append((72, y + 40 + 12 * row), number, font=font, fontsize=12)
            drawn.append((72 + right, y + 40 + 12 * row), text, font=font, fontsize=10)
    drawn.write_text(page)
    document.save(tmp_path / "n.pdf")
    loaded = PdfLoader(PdfParams()).load(tmp_path / "n.pdf", LoadRequest("n.pdf"))
    assert [item.title for item in loaded.outline] == [f"Readings of gauge {n}" for n in (4, 5, 6)]
    assert loaded.md.count(f"{FULL} and checked at noon\n") == 3


def test_a_paragraph_indented_like_the_items_before_it_is_none_of_them(tmp_path: Path) -> None:
    document = tmp_path / "p.pdf"
    loaded = load(
        document,
        (90.0, 100.0, f"• {FULL}"),
        (
            102.0,
            114.0,
            "of the residuals, and then compared with the levels that were read at noon",
        ),
        (90.0, 128.0, "Before that the keepers had tried to read the level by eye, at dawn and at"),
        (72.0, 142.0, "dusk, which gave two readings."),
    )
    first, second = loaded.md.split("\n\n")
    assert first.startswith("- ") and first.endswith("at noon")
    assert second.endswith("at dawn and at dusk, which gave two readings.")


@pytest.mark.parametrize("mark", ["(c)", "(iv)", "[12]", "[Oka19]"])
def test_the_rest_of_an_item_or_entry_stands_below_its_text(tmp_path: Path, mark: str) -> None:
    loaded = load(
        tmp_path / "h.pdf",
        (72.0, 100.0, f"{mark} {FULL}"),
        # A block of its own, as the extraction makes of rows that begin further right.
        (92.0, 114.5, "Tuesday and Friday"),
        (72.0, 129.0, f"{mark} Another one that says little"),
    )
    assert f"{mark} {FULL} Tuesday and Friday\n" in loaded.md


def test_a_small_mark_tears_no_item(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        rows = pymupdf.TextWriter(page.rect)
        # The bullet and its text are one line, which has the size of its first character.
        end = rows.append((72, 100), "• ", font=pymupdf.Font("helv"), fontsize=7)[1]
        rows.append(end, FULL, font=pymupdf.Font("helv"), fontsize=11)
        rows.append((end[0], 113), "Tuesday and Friday", font=pymupdf.Font("helv"), fontsize=11)
        for at in range(3):
            rows.append((72, 160 + 13 * at), FULL, font=pymupdf.Font("helv"), fontsize=11)
        rows.write_text(page)
        data = document.tobytes()
    loaded = PdfLoader(PdfParams()).load(data, LoadRequest("m.pdf"))
    assert loaded.md.startswith(f"- {FULL} Tuesday and Friday\n")


def test_a_dash_close_to_what_is_quoted_begins_an_item(tmp_path: Path) -> None:
    rows = ["There are two commands:", "–“ln foo bar”", "– “ln -s foo bar”"]
    loaded = load(tmp_path / "q.pdf", *((72.0, 100 + 24.0 * n, row) for n, row in enumerate(rows)))
    assert loaded.md.split("\n")[-2:] == ["- “ln foo bar”", "- “ln -s foo bar”"]


def test_items_of_an_item_are_indented_and_those_behind_it_are_not(tmp_path: Path) -> None:
    steps = [
        (72.0, "• Hard link"),
        (90.0, "– a second name for a file"),
        (108.0, "· on one file system"),
        (90.0, "– made by ln"),
        (72.0, "• Symbolic link"),
        (90.0, "– a file that names another"),
    ]
    rows = [(x, 100 + 15.0 * n, text) for n, (x, text) in enumerate(steps)]
    loaded = load(tmp_path / "n.pdf", *rows, (90.0, 240.0, "– which stands alone"))
    assert loaded.md.split("\n") == [
        "- Hard link",
        "  - a second name for a file",
        "    - on one file system",
        "  - made by ln",
        "- Symbolic link",
        "  - a file that names another",
        "",
        "  - which stands alone",
    ]


def test_items_behind_a_paragraph_stand_within_none_before_it(tmp_path: Path) -> None:
    loaded = load(
        tmp_path / "b.pdf",
        (72.0, 100.0, "• Hard link"),
        (72.0, 150.0, "What follows is another list, and its items stand further right:"),
        (90.0, 200.0, "– made by ln"),
    )
    assert loaded.md.split("\n\n")[-1] == "- made by ln"


def signs(path: Path, *rows: str) -> Loaded:
    document = pymupdf.open()
    page = document.new_page()
    writer = pymupdf.TextWriter(page.rect)
    for n, row in enumerate(rows):
        writer.append((72, 100 + 15 * n), row, font=pymupdf.Font("cjk"), fontsize=11)
    writer.write_text(page)
    document.save(path)
    document.close()
    return PdfLoader(PdfParams()).load(path, LoadRequest(path.name))


def test_signs_close_to_their_text_mark_items(tmp_path: Path) -> None:
    loaded = signs(tmp_path / "s.pdf", "▶A mooring is dear", "▶Ship time is scarce", "◆ 检查缆绳")
    assert loaded.md.split("\n") == ["- A mooring is dear", "- Ship time is scarce", "- 检查缆绳"]


def test_ticks_and_crosses_mark_items_and_stay(tmp_path: Path) -> None:
    loaded = signs(tmp_path / "t.pdf", "✓ Lamp lit", "✗ Boat afloat", "✓ Gauge read")
    assert loaded.md.split("\n") == ["- ✓ Lamp lit", "- ✗ Boat afloat", "- ✓ Gauge read"]


def test_signs_that_are_listed_with_their_commands_are_text(tmp_path: Path) -> None:
    rows = ["▶ \\blacktriangleright", "◆ \\blackdiamond"]
    assert "- " not in signs(tmp_path / "c.pdf", *rows).md


def test_a_letter_of_typewriter_type_before_an_indented_text_marks_an_item(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for n, row in enumerate(["buildings: 25 years;", "machinery: 5 years."]):
        page.insert_text((90, 100 + 15 * n), "o", fontsize=11, fontname="cour")
        page.insert_text((108, 100 + 15 * n), row, fontsize=11, fontname="tiro")
    # The name of an option, in a sentence.
    page.insert_text((72, 200), "o", fontsize=11, fontname="cour")
    page.insert_text((81, 200), "is an option.", fontsize=11, fontname="tiro")
    document.save(tmp_path / "o.pdf")
    document.close()
    loaded = PdfLoader(PdfParams()).load(tmp_path / "o.pdf", LoadRequest("o.pdf"))
    assert loaded.md == "- buildings: 25 years;\n- machinery: 5 years.\n\no is an option."


def test_a_word_between_dashes_is_no_item(tmp_path: Path) -> None:
    rows = [(72.0, 72.0, "The new berth opens in May."), (72.0, 112.0, "– ENDS –")]
    assert load(tmp_path / "d.pdf", *rows).md.endswith("\n\n– ENDS –")
    assert load(tmp_path / "i.pdf", *rows[:1], (72.0, 112.0, "– ENDS")).md.endswith("\n\n- ENDS")


def test_dots_that_lead_to_the_marks_of_an_answer_are_no_item(tmp_path: Path) -> None:
    rows = [(72.0, 72.0, "The limit of it is two."), (72.0, 112.0, "· · · · · · (2 points)")]
    assert load(tmp_path / "d.pdf", *rows).md.endswith("\n\n· · · · · · (2 points)")
    assert load(tmp_path / "i.pdf", *rows[:1], (72.0, 112.0, "· Two")).md.endswith("\n\n- Two")
