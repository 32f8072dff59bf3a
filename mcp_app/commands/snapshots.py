"""``excerpta snapshots``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    local_time,
    print_json,
    resolve_home,
    table,
    warn,
)

if TYPE_CHECKING:
    from rag_query.contracts.snapshot import SnapshotManifest
    from rag_query.library.home import Home


@command
def snapshots(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the published snapshots, newest first."""
    from rag_query.library.settings import load_settings

    place = resolve_home(home)
    load_settings(place)
    found, warnings = _snapshots_told(place)
    if as_json:
        print_json({"ok": True, "snapshots": found, "warnings": warnings})
        return
    shown = table(
        "snapshot",
        "published",
        "documents",
        "chunks of all versions",
        "strategy",
        "state",
        right=["snapshot", "documents", "chunks of all versions"],
    )
    for item in found:
        state = "current" if item["current"] else "incomplete" if item["missing"] else ""
        state += f" {_kept_by(item['pins'])}" if item["pins"] else ""
        shown.add_row(
            str(item["number"]),
            local_time(item["created_at"]),
            str(item["counts"].get("documents", 0)),
            str(item["counts"].get("chunks", 0)),
            item["strategy"],
            state.strip(),
        )
    for warning in warnings:
        warn(warning)
    if found or not warnings:
        console().print(shown if found else "Nothing has been published yet.")


def _kept_by(pins: list[str]) -> str:
    """A conversation has one pin for each snapshot that it speaks of, named after it."""
    number = len({name.partition("-")[0] for name in pins})
    return f"pinned by {number} conversation{'s' if number > 1 else ''}"


def _snapshots_told(home: Home) -> tuple[list[dict[str, Any]], list[str]]:
    """The snapshots, and what a person must know of those that are not among them or of none being
    current."""
    from rag_query.contracts.errors import ErrorCode, ExcerptaError
    from rag_query.library.manifests import load_manifest, pins, snapshot_numbers

    current, warnings = _current(home)
    pinned = pins(home)
    found: list[dict[str, Any]] = []
    for number in reversed(snapshot_numbers(home)):
        try:
            manifest = load_manifest(home, number)
        except ExcerptaError as exc:
            # One that was collected between the two readings is simply no more.
            if exc.code is not ErrorCode.SNAPSHOT_NOT_FOUND:
                what = "Snapshot {} is current: " if number == current else "Not listed: "
                warnings.append(f"{what.format(number)}{exc.message} {exc.hint}")
            continue
        held_by = [name for name, held in pinned.items() if held == number]
        found.append(_row(home, manifest, current=number == current, pins=held_by))
    return found, warnings


def _current(home: Home) -> tuple[int | None, list[str]]:
    """The number in ``CURRENT``, and why nothing answers under it."""
    from rag_query.contracts.errors import ExcerptaError
    from rag_query.library.manifests import (
        current_number,
        damaged_part,
        nothing_published,
        snapshot_numbers,
    )

    current = None
    try:
        current = current_number(home)
        if current is None and snapshot_numbers(home):
            raise nothing_published(home)
        if current is not None and not home.snapshot_file(current).exists():
            raise damaged_part("manifest", current)
    except ExcerptaError as exc:
        return current, [f"{exc.message} {exc.hint}"]
    return current, []


def _row(
    home: Home, manifest: SnapshotManifest, *, current: bool, pins: list[str]
) -> dict[str, Any]:
    from rag_query.library.manifests import missing_parts

    return {
        "number": manifest.number,
        "current": current,
        "created_at": manifest.created_at,
        "run_id": manifest.run_id,
        "strategy": manifest.strategy.get("name", ""),
        "strategy_config_id": manifest.strategy_config_id,
        "counts": manifest.counts,
        "missing": missing_parts(home, manifest),
        "pins": pins,
    }
