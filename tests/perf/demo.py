"""``make demo`` after the packages are installed: nothing is unpacked or converted beforehand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

from tests.perf.library import Work
from tests.perf.table import Row


def rows(work: Work) -> Iterator[Row]:
    """Seconds of the whole demo in an empty home with no model folder."""
    home = work.home("demo")
    shutil.rmtree(home, ignore_errors=True)
    environment = {k: v for k, v in os.environ.items() if k != "EXCERPTA_MODELS"}
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tools.demo"],
        env=environment | {"EXCERPTA_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    yield Row("demo", "make demo, packages installed", time.perf_counter() - began, "s", 60, False)
