"""What indented rows are: wraps of hanging entries, beginnings of paragraphs, lines of verse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.loading.base import LoadRequest
from rag_assets.loading.pdf.loader import PdfLoader, PdfParams

SIZE = 10
LEADING = 12
LEFT = 60
INDENT = 20
WIDTH = 300
WORDS = ["birds", "of", "the", "salt", "marsh", "rest", "in", "winter", "and", "feed", "on", "mud"]
Placed = Sequence[tuple[float, str]]


def loaded(rows: Placed, pitch: Sequence[float] = ()) -> str:
    """The Markdown of a page with rows at some indentation each; ``pitch`` before each but the
    first, if they are not evenly set."""
    with pymupdf.open() as document:
        page = document.new_page()
        y = 80.0
        for number, (indent, row) in enumerate(rows):
            y += (pitch[number - 1] if pitch else LEADING) if number else 0
            page.insert_text((LEFT + indent, y), row, fontsize=SIZE)
        data: bytes = document.tobytes()
    return PdfLoader(PdfParams()).load(data, LoadRequest("f.pdf")).md


def wrapped(text: str, first: float, rest: float) -> Iterator[tuple[float, str]]:
    """Rows of a paragraph and how far each is indented."""
    row, indent = "", first
    for word in text.split():
        longer = f"{row} {word}".strip()
        if pymupdf.get_text_length(longer, fontsize=SIZE) > WIDTH - indent:
            yield indent, row
            row, indent = word, rest
        else:
            row = longer
    yield indent, row


def entry(number: int, words: int) -> str:
    name = f"{chr(65 + number)}{'bcdefgh'[number % 7]}ams, K. ({2001 + number})."
    return f"{name} On " + " ".join(WORDS[at % len(WORDS)] for at in range(words)) + "."


@st.composite
def texts(draw: st.DrawFn) -> list[str]:
    """Of two to four rows each, the last of which leaves half of its width free."""
    found: list[str] = []
    for number in range(draw(st.integers(5, 9))):
        text = entry(number, draw(st.integers(14, 40)))
        while True:
            rows = [list(wrapped(text, *indents)) for indents in ((0, INDENT), (INDENT, 0))]
            lasts = [pymupdf.get_text_length(each[-1][1], fontsize=SIZE) for each in rows]
            if min(len(each) for each in rows) >= 2 and max(lasts) < WIDTH / 2:
                break
            text = text.removesuffix(".") + " marsh."
        found.append(text)
    return found


@settings(max_examples=20)
@given(texts())
def test_each_entry_of_a_bibliography_is_a_paragraph(entries: list[str]) -> None:
    rows = [row for text in entries for row in wrapped(text, 0, INDENT)]
    assert loaded(rows).split("\n\n") == entries


@settings(max_examples=20)
@given(texts())
def test_each_paragraph_that_begins_indented_stays_one(paragraphs: list[str]) -> None:
    rows = [row for text in paragraphs for row in wrapped(text, INDENT, 0)]
    assert loaded(rows).split("\n\n") == paragraphs


def test_a_paragraph_of_one_full_row_ends_before_the_next_indented_one() -> None:
    long = " ".join(WORDS * 4) + "."
    short = "Birds of the salt marsh rest in winter and feed on the wet mud."
    paragraphs = [long, short, "They leave.", long, long]
    rows = [row for text in paragraphs for row in wrapped(text, INDENT, 0)]
    assert len(list(wrapped(short, INDENT, 0))) == 1
    assert loaded(rows).split("\n\n") == paragraphs


def test_entries_without_a_second_row_stand_among_others() -> None:
    entries = [entry(0, 20), "Bivalve: an animal.", entry(1, 20), "Egret: a heron.", entry(2, 20)]
    rows = [row for text in entries for row in wrapped(text, 0, INDENT)]
    assert loaded(rows).split("\n\n") == entries


def test_a_number_that_was_wrapped_begins_no_item() -> None:
    rows = [
        row
        for number in range(4)
        for row in (
            (0, f"[{number}] On the birds that rest in winter on the salt marsh, volume"),
            (INDENT, "9. The Marsh Press."),
        )
    ]
    assert "volume 9. The Marsh Press.\n\n[1]" in loaded(rows)


def test_labels_tell_entries_whose_last_rows_are_full() -> None:
    rows = [
        row
        for number in range(4)
        for row in (
            (0, f"[{number}] On the birds that rest in winter on the salt marsh"),
            (INDENT, "and feed when the tides leave the mud of it bare."),
        )
    ]
    assert "marsh and feed when the tides leave the mud of it bare.\n\n[1]" in loaded(rows)


def test_an_indented_row_far_below_an_entry_is_none_of_it() -> None:
    rows = [row for number in range(4) for row in wrapped(entry(number, 20), 0, INDENT)]
    rows += [(0, rows[0][1]), (INDENT, "feed in summer")]
    md = loaded(rows, [LEADING] * (len(rows) - 2) + [3 * LEADING])
    assert md.endswith(f"{rows[0][1]}\n\nfeed in summer")


VERSE = [
    "The curlew calls across the grey",
    "And empties out the winter day,",
    "The tide comes in, the tide goes out,",
    "And nobody is left to doubt",
]
BALLAD = [
    "There came a ghost to the old sea wall",
    "With many a grievous groan,",
    "And aye he tirled among the reeds",
    "But answer made she none.",
]


@pytest.mark.parametrize(
    ("stanza", "first"),
    [
        (VERSE, 0),
        (VERSE, INDENT),
        (BALLAD, 0),
        (BALLAD, INDENT),
        ([row.lower() for row in VERSE], 0),
    ],
)
def test_lines_of_verse_stay_lines(stanza: list[str], first: float) -> None:
    rows = [(first if at % 2 == 0 else INDENT - first, row) for at, row in enumerate(stanza)] * 3
    pitch = ([LEADING] * 3 + [2 * LEADING]) * 3
    assert loaded(rows, pitch).split("\n\n") == ["\n".join(stanza)] * 3


def test_two_rows_of_an_entry_with_a_label_are_one_however_few_entries_there_are() -> None:
    rows = [
        (0, "[1] N. Okafor. The tides of Sable Bay."),
        (15, "https://bay.example, 2013."),
        (0, "[2] A. Eve. On gauges, and what they say of the sea"),
        (15, "and of the pier (a)"),
        (0, "[3] B. Postel. On piers."),
    ]
    assert loaded(rows).split("\n\n") == [
        "[1] N. Okafor. The tides of Sable Bay. https://bay.example, 2013.",
        "[2] A. Eve. On gauges, and what they say of the sea and of the pier (a)",
        "[3] B. Postel. On piers.",
    ]
