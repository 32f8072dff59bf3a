"""Quotas by mode that are met exactly while candidates suffice.

A candidate that queries of several modes found may count for any of them. It counts for its
strongest query's mode while that has room; then evidences counted before are moved to another of
their modes, if that makes room (an augmenting path). So a candidate is passed over only when no
way of counting fits it in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag_query.contracts.plan import Mode


class Quotas:
    """Which mode each evidence counts for.

    Args:
        limits: mode -> most evidences; a mode without one has no limit.
    """

    def __init__(self, limits: Mapping[Mode, int | None]) -> None:
        self._limits = limits
        self._held: dict[Mode, list[int]] = {}
        self._modes: dict[int, Sequence[Mode]] = {}
        self._counted: dict[int, Mode] = {}

    def take(self, index: int, modes: Sequence[Mode]) -> bool:
        """Count a candidate; false when no mode that found it has room.

        Args:
            modes: that found it, strongest first.
        """
        seen: set[Mode] = set()
        for mode in modes:
            if mode not in seen and self._room(mode, seen):
                self._modes[index] = modes
                self._count(index, mode)
                return True
        return False

    def mode_of(self, index: int) -> Mode:
        """What a counted candidate counts for."""
        return self._counted[index]

    def _room(self, mode: Mode, seen: set[Mode]) -> bool:
        seen.add(mode)
        limit, held = self._limits.get(mode), self._held.setdefault(mode, [])
        if limit is None or len(held) < limit:
            return True
        for index in held:
            for other in self._modes[index]:
                if other not in seen and self._room(other, seen):
                    held.remove(index)
                    self._count(index, other)
                    return True
        return False

    def _count(self, index: int, mode: Mode) -> None:
        self._held.setdefault(mode, []).append(index)
        self._counted[index] = mode
