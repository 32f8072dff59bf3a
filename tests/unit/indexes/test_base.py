"""A full disk is named as such, whichever library met it."""

from __future__ import annotations

import pytest

from rag_assets.indexes.base import naming_a_full_disk
from rag_query.contracts.errors import ErrorCode, ExcerptaError


@pytest.mark.parametrize("kind", [RuntimeError, ValueError, OSError])
def test_a_full_disk_is_named(kind: type[Exception]) -> None:
    with pytest.raises(ExcerptaError) as caught, naming_a_full_disk():
        raise kind("lance error: IO: No space left on device (os error 28)")
    assert caught.value.code == ErrorCode.DISK_FULL
    assert caught.value.transient


def test_other_failures_stay_what_they_are() -> None:
    with pytest.raises(ValueError, match="schema"), naming_a_full_disk():
        raise ValueError("another schema")
