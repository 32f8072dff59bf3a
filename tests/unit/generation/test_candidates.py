"""What retrieval found, parent by parent, and how far each stands out from the rest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rag_query.contracts.answer import Parent
from rag_query.generation.candidates import Found, compared


def found(cosines: Sequence[float | None]) -> list[Found]:
    """Parents found with these cosines."""
    return [
        Found(
            Parent(
                parent_id=f"ver_{number}", doc_id=f"doc_{number}", title="A", version_no=1,
                is_latest=True, source_uri="file:///a.md",
            ), (), 1.0, cosine,
        )
        for number, cosine in enumerate(cosines)
    ]  # fmt: skip


def test_a_parent_stands_out_by_the_spread_of_the_others() -> None:
    others = [0.8, 0.81, 0.82, 0.83, 0.84]
    first, *rest = compared(found([0.9, *others]))
    assert first.stands_out == pytest.approx((0.9 - 0.82) / 0.02**0.5 / 0.1)
    assert all(each.stands_out is not None and each.stands_out < 1 for each in rest)


@pytest.mark.parametrize(
    "cosines",
    [[0.9, 0.8, 0.8, 0.7, 0.7], [None] * 9, [0.9, *[0.8] * 6], [None, 0.8, 0.7, 0.6, 0.5, 0.4]],
)
def test_of_few_or_equal_others_nothing_is_said(cosines: list[float | None]) -> None:
    assert compared(found(cosines))[0].stands_out is None
