"""Which headings are a date or a version and nothing more."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.release_headings import heads_release


@pytest.mark.parametrize(
    "heading",
    [
        "2.4.0",
        "v2.4.0 (2025-03-18)",
        "[2.4.0] - 2025-03-18",
        "3.2.1 (2024)",
        "Firmware 2.4.0",
        "Harbour Gauge 2.4",
        "V5.2（2025年3月18日）",
        "版本 2.1",
        "2025-03-18",
        "March 2025",
        "18 March 2025",
        "March 18, 2025",
        "2025年3月",
        "2019",
    ],
)
def test_a_date_or_a_version_with_at_most_a_name(heading: str) -> None:
    assert heads_release(heading)


@pytest.mark.parametrize(
    "heading",
    [
        "Chapter 3.2",
        "Manual Section 3.2",
        "3.2 Requirements",
        "第 3.2 节",
        "表 3.2",
        "Next meeting on 2025-03-01",
        "Deadline 2025-03-01",
        "The march to the sea",
        "四、周三上午安排",
        "Return within 30 days",
        "Handbook (reviewed in 2019)",
        "Use (Section 4.1.2)",
        "12.5%",
        "",
    ],
)
def test_other_headings_tell_nothing_of_what_stands_below(heading: str) -> None:
    assert not heads_release(heading)
