"""Which process a number means: systems give the numbers of processes that are gone to new ones."""

from __future__ import annotations

from pathlib import Path

import psutil

#: How far two readings of one process's start by the clock may lie apart, in seconds.
_START_TOLERANCE_S = 2.0


def process_start(pid: int) -> str | None:
    """What tells a process from any other that has its number before or after; None when it is
    gone or a zombie."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return _since_boot(pid) or str(process.create_time())
    except psutil.Error:
        return None


def _since_boot(pid: int) -> str | None:
    """``boot id/ticks`` from the boot to the start of a process, which do not move when the clock
    is set; None where the system is not Linux, or the process is gone."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The 22nd field; the second is a name in brackets, which may hold blanks and brackets.
    return f"{boot}/{int(stat.rpartition(b')')[2].split()[19])}"


def process_lives(pid: int, started: str | float | None) -> bool:
    """Whether a process still runs, and is the one that started then (None: nobody noted when)."""
    found = process_start(pid)
    if found is None or started is None:
        return found is not None
    try:
        noted = float(started)
    except ValueError:
        return found == started
    # By the clock, as earlier releases noted it, and this one where there is no /proc.
    try:
        return bool(abs(psutil.Process(pid).create_time() - noted) < _START_TOLERANCE_S)
    except psutil.Error:
        return False
