"""``excerpta status``."""

from __future__ import annotations

from mcp_app.commands.invocation import (
    HomeOption,
    JsonOption,
    command,
    console,
    local_time,
    print_json,
    resolve_home,
    table,
)


@command
def status(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """What the library holds, what is published, and how the last runs went."""
    from mcp_app.library_state import count_label, library_state, purge_notice
    from rag_query.library.manifests import nothing_published, snapshot_numbers

    place = resolve_home(home)
    found = library_state(place)
    if as_json:
        print_json({"ok": True, **found})
        return
    out = console()
    out.print(f"Library {found['library_id']} in {place.root}")
    out.print(f"{found['shards']} shards, strategy {found['strategy']!r}")
    if found["snapshot"] is None:
        missing = nothing_published(place)
        out.print(
            f"{missing.message} {missing.hint}"
            if snapshot_numbers(place)
            else "Nothing has been published yet."
        )
    else:
        out.print(f"Snapshot {found['snapshot']}, published {local_time(found['published_at'])}")
        if found["embedder"]:
            out.print(f"Embedder {found['embedder']}")
        counts = table("", "number", right=["number"])
        for name, number in found["counts"].items():
            counts.add_row(count_label(name), str(number))
        for name, number in found["collections"].items():
            counts.add_row(f"in {name}", str(number))
        out.print(counts)
    if notice := purge_notice(found):
        out.print(notice)
    if found["runs"]:
        runs = table("run", "job", "state", "submitted", "what")
        for run in found["runs"]:
            submitted = local_time(run["submitted_at"])
            runs.add_row(run["job_id"], run["job"], run["state"], submitted, run["message"] or "")
        out.print(runs)
