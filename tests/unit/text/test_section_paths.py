"""A section path that was shown can be given back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_query.text.section_paths import (
    PREAMBLE,
    SEPARATOR,
    meant_path,
    paths_ending_in,
    shown_path,
    shown_place,
)

PATHS = [
    "员工手册",
    "员工手册 / 加班",
    "员工手册 / 加班 / 补贴",
    "Tea / Brewing",
    "Brewing",
    PREAMBLE,
]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("员工手册 / 加班", "员工手册 / 加班"),
        ("员工手册 › 加班", "员工手册 / 加班"),
        ("加班", "员工手册 / 加班"),
        ("加班 › 补贴", "员工手册 / 加班 / 补贴"),
        # The document's title, which is no heading of it.
        ("手册 2025 › 员工手册 › 加班", "员工手册 / 加班"),
        ("Tea", "Tea"),
        # A path as it is stored goes first.
        ("Brewing", "Brewing"),
        ("(before the first heading)", PREAMBLE),
        ("补贴", None),
        ("nothing", None),
        ("", None),
    ],
)
def test_what_a_text_means(text: str, path: str | None) -> None:
    assert meant_path(text, PATHS) == path


def test_a_heading_below_two_others_is_not_guessed() -> None:
    paths = ["A / Use", "B / Use / Often", "B / Re-Use"]
    assert meant_path("Use", paths) is None
    assert paths_ending_in("Use", paths) == ["A / Use", "B / Use"]
    assert paths_ending_in("Use › Often", paths) == ["B / Use / Often"]


_HEADINGS = st.lists(
    st.text("ab ›/", min_size=1, max_size=5).map(str.strip), min_size=1, max_size=4
)


@given(st.lists(_HEADINGS.map(SEPARATOR.join), min_size=1, max_size=5), st.data())
def test_every_stored_path_means_itself_as_it_is_shown(
    paths: list[str], data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(paths))
    if path == path.strip() and path:
        assert meant_path(shown_path(path), paths) == path


def test_a_place_names_the_title_once() -> None:
    assert shown_place("Handbook", "Handbook / Storms / At night") == "Handbook › Storms › At night"
    assert shown_place("Handbook", "Storms") == "Handbook › Storms"
    assert [shown_place("Handbook", path) for path in (PREAMBLE, "Handbook", None)] == [
        "Handbook"
    ] * 3
