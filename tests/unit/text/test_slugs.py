"""Anchors of headings are those that GitHub makes."""

import re

from hypothesis import given
from hypothesis import strategies as st

from rag_query.text.slugs import heading_slug, unique_slugs


def test_slugs() -> None:
    assert heading_slug(" What's new: v1.2? ") == "whats-new-v12"
    assert heading_slug("必备 原料") == "必备-原料"
    assert heading_slug("Input / Output") == "input--output"


def test_headings_of_one_title_are_numbered_as_github_does() -> None:
    assert unique_slugs(["Setup", "setup", "Setup 1", "Setup!"]) == [
        "setup",
        "setup-1",
        "setup-1-1",
        "setup-2",
    ]
    assert unique_slugs(["Setup 1", "Setup", "Setup"]) == ["setup-1", "setup", "setup-2"]


@given(st.lists(st.sampled_from(["a", "A", "a 1", "a-1", "a-1-1", "?", ""]), max_size=30))
def test_no_two_headings_have_one_slug(titles: list[str]) -> None:
    slugs = unique_slugs(titles)
    assert len(set(slugs)) == len(slugs) == len(titles)
    for title, slug in zip(titles, slugs, strict=True):
        assert re.fullmatch(re.escape(heading_slug(title)) + r"(-\d+)?", slug)
