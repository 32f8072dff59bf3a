"""Headings of changelogs that name a release."""

from __future__ import annotations

import time

import pytest

from rag_assets.version_headings import release


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("[4.7.0] (2021-05-13)", (4, 7)),
        ("v2.10.0-rc.1", (2, 10)),
        ("1.4 - 2021-05-13", (1, 4)),
        ("1.4.1-2021-05-13", (1, 4)),
        ("2.0.38（2024-10-29）", (2, 0)),
        ("5.1.0 / 2025-03-31", (5, 1)),
        ("4.1.15: Maintenance Release", (4, 1)),
        ("4.7", None),
        ("4.7.0 Sea level", None),
    ],
)
def test_release(title: str, named: tuple[int, int] | None) -> None:
    assert release(title) == named


@pytest.mark.parametrize("tail", ["-", "- ", "1", ".1", "-1"])
def test_a_long_heading_is_read_in_time_that_grows_with_it(tail: str) -> None:
    began = time.process_time()
    assert release("1.0" + 50_000 * tail + "!") is None
    assert time.process_time() - began < 1
