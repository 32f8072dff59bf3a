"""Indented prose of plain text is prose to whoever reads the Markdown; code stays code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.text_headings import text_as_markdown
from rag_assets.sections.blocks import outline

GUIDE = """\
                         A Guide to the Mole
                       (Notes of the harbour)

          NAME

               Recently,  you  have  begun to look at tide gauges.   You
          wonder whether the readings are right, and  somehow  you  are
          not sure.

          Options

          -x   Reads the log.

               --port=80

          Words go on here, and they end with a stop.
"""
MANUAL = """\
NAME
     tide - reads a gauge and writes down what it says

DESCRIPTION
     The gauge is read each hour, and the
     reading is kept in the log.

     tide = open("/dev/gauge")
     print(tide.read())

     1. Open the box near the gauge.

        The key hangs in the office of the harbour.

     2. Read the number that it shows.
"""


def kinds(text: str) -> list[tuple[str, str]]:
    """Kind and first words of each block."""
    read = text_as_markdown(text)
    assert read.md.count("\n") == text.count("\n")
    pairs = zip(text.split("\n"), read.md.split("\n"), strict=True)
    assert all(
        line.lstrip(" \t") == made.lstrip(" \t\\") for line, made in pairs if line.lstrip(" \t\\")
    )
    return [(kind, " ".join(block.split()[:2])) for kind, block in outline(read.md)]


def test_a_book_that_stands_a_margin_in_is_prose() -> None:
    assert kinds(GUIDE) == [
        ("paragraph", "A Guide"),
        ("paragraph", "NAME"),
        ("paragraph", "Recently, you"),
        ("paragraph", "Options"),
        ("code", "-x Reads"),
        ("paragraph", "Words go"),
    ]


def test_a_manual_page_keeps_its_code_and_its_list() -> None:
    assert kinds(MANUAL) == [
        ("paragraph", "NAME tide"),
        ("paragraph", "DESCRIPTION The"),
        ("code", "tide ="),
        ("list", "1. Open"),
    ]
    assert "\n1. Open the box near the gauge.\n\n   The key" in text_as_markdown(MANUAL).md


def test_centred_titles_of_a_chinese_novel_are_no_code() -> None:
    text = (
        "                 西游记\n\n        第一回　灵根育孕源流出\n\n　　诗曰：混沌未分天地乱。\n"
    )
    assert [kind for kind, _ in kinds(text)] == ["paragraph"] * 3


def test_options_of_a_manual_page_stand_with_what_they_mean() -> None:
    text = "OPTIONS\n\n       -a, --all\n              Reads the gauge of each pier, and the log.\n"
    assert kinds(text)[1] == ("paragraph", "-a, --all")


@pytest.mark.parametrize(
    "code",
    [
        "    apt-get install tide gauge log tools",
        "    int main(void)\n    {\n        return 0;\n    }",
        '    def read():\n        """Reads the gauge, and writes it down."""\n        return 1',
        "    for name in names:\n        print(name)",
        "\tmake all\n\tmake install",
        "    /*\n     * Reads the gauge, and writes it down.\n     */\n    read();",
        "    # Set the port of the gauge.\n    port = 80",
        "    <p>The gauge is read each hour.</p>",
        "    Name       Height      Port\n    Sable      12          Bay",
        "    $ tide read the log of the harbour.",
    ],
)
def test_an_example_in_a_text_stays_code(code: str) -> None:
    text = f"The gauge is read like this.\n\n{code}\n\nThen it is kept.\n"
    assert [kind for kind, _ in outline(text_as_markdown(text).md)][1] == "code"


def test_what_a_text_says_is_literal_stays_code() -> None:
    text = "It prints::\n\n    The gauge was read, and all is well today.\n\nMore.\n"
    assert [kind for kind, _ in outline(text_as_markdown(text).md)][1] == "code"


@given(
    st.lists(
        st.sampled_from(
            [
                "    The gauge is read each hour, and it is kept.", "        # not a title at all.",
                "    Words that go on and end here.", "    =====", "    ---", "    ~~~", "    <h1>",
                "    1. It is read each hour, and kept.", "       Further words of it stand here.",
                "", "", "Words.", "- item", "    x = 1;", "\tTabs stand before it, too.", "# a",
            ]
        ),
        max_size=12,
    )
)  # fmt: skip
def test_lines_keep_their_places_and_their_words(lines: list[str]) -> None:
    kinds("\n".join(lines))
