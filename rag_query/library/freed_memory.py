"""Memory that was freed, handed back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Return what the C library keeps of freed memory; nothing where it has no call for that.

    LanceDB reads with several threads, and glibc keeps the freed buffers of each: 137 MB of 468
    after reading 100,000 vectors of 384 dimensions. Takes some milliseconds.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
