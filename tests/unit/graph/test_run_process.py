"""What the process of a run does for its whole life."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import contextlib, gc
from rag_assets.run_process import _lasting
assert gc.get_freeze_count() == 0
with contextlib.suppress(ImportError), _lasting():
    assert not gc.isenabled()
    {inside}
print(gc.isenabled(), gc.get_freeze_count() > 0, gc.get_threshold()[0] > 10_000)
"""


@pytest.mark.parametrize("inside", ["pass", "raise ImportError"])
def test_what_is_imported_first_is_never_hunted_for_garbage(inside: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(inside=inside)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "True", "True"]
