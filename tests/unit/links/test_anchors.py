"""What links can name in a document, and which chunks that is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rag_assets.chunks import stage as chunks
from rag_assets.links import stage
from rag_assets.links.anchors import targets
from rag_assets.sections import stage as sections
from rag_query.library.link_graph import MAX_TARGETS
from tests.unit.sections.made_library import SHARD, MadeLibrary

WORDS = "The pump runs at a steady pace and the operator checks the gauge every hour. " * 3
BETA = f"""# Beta

{WORDS}

## Setup

First setup. {WORDS}

# Other

{WORDS}

## Setup

Second setup. {WORDS}

## Merged one
## Merged two

Merged text. {WORDS}

## Input / Output

{WORDS}

### Tuning the `valve`

{WORDS}

#### Fine details

Fine text. {WORDS}
"""


def held(library: MadeLibrary) -> dict[str, str]:
    """Text of the chunk each anchor leads to."""
    texts = {row["chunk_id"]: row["chunk_text"] for row in library.rows("chunks")}
    return {row["anchor"]: texts[row["chunk_id"]] for row in library.rows("anchors")}


def ingest(library: MadeLibrary) -> None:
    library.flush()
    sections.run(library.ctx, SHARD)
    chunks.run(library.ctx, SHARD)
    stage.run(library.ctx, SHARD)


@pytest.mark.parametrize("include_heading", [True, False])
def test_every_heading_leads_to_the_chunk_it_stands_above(
    tmp_path: Path, include_heading: bool
) -> None:
    library = MadeLibrary(tmp_path)
    library.set_params("sectioner", include_heading=include_heading)
    library.set_params("chunker", chunk_size=60, whole_size=60, chunk_overlap=10)
    library.put("b.md", BETA)
    ingest(library)
    found = held(library)
    assert list(found) == [
        "beta", "setup", "other", "setup-1", "merged-one", "merged-two", "input--output",
        "tuning-the-valve", "fine-details",
    ]  # fmt: skip
    assert "First setup." in found["setup"]
    assert "Second setup." in found["setup-1"]
    assert "Merged text." in found["merged-one"]
    assert "Merged text." in found["merged-two"]
    assert "Fine text." in found["fine-details"]
    assert "Fine text." not in found["tuning-the-valve"]


def test_a_heading_stands_for_all_its_chunks_up_to_the_next_or_the_end_of_its_section(
    tmp_path: Path,
) -> None:
    library = MadeLibrary(tmp_path)
    library.set_params("chunker", chunk_size=30, whole_size=30, chunk_overlap=0)
    parts = [" ".join(f"Words {n} of {name}." for n in range(9)) for name in "ABC"]
    many = "\n\n".join(f"Paragraph {n} of the last. {WORDS}" for n in range(MAX_TARGETS + 2))
    library.put(
        "b.md",
        f"# One\n\n{parts[0]}\n\n#### Deep\n\n{parts[1]}\n\n#### Deep too\n\n{parts[2]}\n\n"
        f"## Last\n\n{many}\n",
    )
    ingest(library)
    ordered = sorted(library.rows("chunks"), key=lambda row: row["chunk_index"])
    ids = [row["chunk_id"] for row in ordered]
    found = {}
    for row in library.rows("anchors"):
        first = ids.index(row["chunk_id"])
        found[row["anchor"]] = [c["chunk_text"] for c in ordered[first:][: row["chunk_count"]]]
    assert "Words 8 of C." in found["one"][-1]
    assert "Words 8 of B." in "".join(found["deep"])
    assert "Words 0 of C." not in "".join(found["deep"][:-1])
    assert "Words 8 of C." in found["deep-too"][-1]
    assert len(found["last"]) == MAX_TARGETS


def test_anchors_follow_their_document_and_no_other(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.md", "# A\n\nsee [b](b.md#fine-details)\n")
    library.put("b.md", "# B\n\nOne.\n\n## Fine details\n\nHere.\n")
    ingest(library)
    before = library.ctx.store.head("links", SHARD)
    assert held(library)["fine-details"] == "## Fine details\n\nHere."
    library.put("b.md", "# B\n\nOne.\n\n## Else\n\n#### Fine details\n\nThere.\n")
    ingest(library)
    assert "There." in held(library)["fine-details"]
    after = library.ctx.store.head("links", SHARD)
    assert before is not None and after is not None and before.file == after.file
    library.remove("b.md")
    ingest(library)
    assert set(held(library)) == {"a"}


def named(md: str, ids: dict[str, str] | None = None) -> dict[str, str]:
    """The first line of what each anchor names."""
    return {found.anchor: md[found.start : found.end].splitlines()[0] for found in targets(md, ids)}


def test_ids_that_a_text_gives_itself() -> None:
    md = """# Top <a id="in"></a>

<a name='above'></a>
<span class="x" id=second></span>

## Install {#How-To .wide}

Words <a id="words"></a> and more.

## The {#each}

`<a id="code"></a>` <p name="none" data-id="no">

    <a id="indented"></a>
"""
    assert named(md) == {
        "how-to": "## Install {#How-To .wide}",
        "each": "## The {#each}",
        "in": '# Top <a id="in"></a>',
        "above": "## Install {#How-To .wide}",
        "second": "## Install {#How-To .wide}",
        "words": '<a id="words"></a> and more.',
        "top": '# Top <a id="in"></a>',
        "install": "## Install {#How-To .wide}",
        "the": "## The {#each}",
        "install-how-to-wide": "## Install {#How-To .wide}",
        "the-each": "## The {#each}",
    }


def test_an_id_before_the_first_heading_names_the_words_behind_it() -> None:
    md = '<a id="start"></a>\n\nSome words.\n\n# One\n\nText.\n\n# Two\n\nText.\n'
    (found,) = (target for target in targets(md) if target.anchor == "start")
    assert (found.start, found.end) == (0, md.index("# One"))


def test_all_ids_of_one_heading_lead_to_it() -> None:
    md = "# Pumps\n\n## Notes\n\nText.\n"
    found = named(md, {"n1": "Notes", "n2": "Notes"})
    assert found["n1"] == found["n2"] == "## Notes"


def test_ids_that_the_loader_noted_come_before_slugs() -> None:
    md = "# Install\n\n# How to install it\n\n# Notes\n\n# Notes\n"
    ids = {"install": "How to *install* it", "n1": "Notes", "n2": "Notes", "gone": "Nothing"}
    places = {found.anchor: found.start for found in targets(md, ids)}
    assert places["install"] == md.index("# How")
    assert (places["n1"], places["n2"]) == (md.index("# Notes"), md.rindex("# Notes"))
    assert "gone" not in places


def test_ids_of_terms_lead_to_them() -> None:
    md = "# Pumps\n\n- run(x)\n  Runs.\n- stop()\n  --stop\n  Stops.\n\n## More\n\n"
    md += "- run(x)\n  Again."
    terms = {"run": "run(x)", "s": "stop()", "s2": "--stop", "again": "run(x)", "gone": "?"}
    found = {target.anchor: md[target.start : target.end] for target in targets(md, {}, terms)}
    assert found["run"] == "- run(x)\n  Runs.\n" and found["again"] == "- run(x)\n  Again."
    assert found["s"] == "- stop()\n" and found["s2"] == "  --stop\n  Stops.\n\n"
    assert "gone" not in found


def test_ids_of_terms_the_loader_noted_are_anchors(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.html", f"# A\n\n{WORDS}\n\n- run(x)\n  Runs.\n")
    library.set_parse_summary("a.html", '{"term_anchors":{"lib.run":"run(x)"}}')
    ingest(library)
    assert "Runs." in held(library)["librun"]


def test_ids_of_a_line_the_loader_noted_are_anchors(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.html", f"# A\n\n{WORDS}\n\n{WORDS}\n\n- The note.\n\n# B\n\nEnds.\n")
    library.set_parse_summary("a.html", '{"line_anchors":{"fn:1":7,"last":11}}')
    ingest(library)
    assert "The note." in held(library)["fn1"]
    assert "Ends." in held(library)["last"]


def test_ids_the_loader_noted_are_anchors(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.put("a.html", "# A\n\n## How to install it\n\nSo.\n")
    library.set_parse_summary("a.html", '{"anchors":{"install":"How to install it"}}')
    ingest(library)
    assert "So." in held(library)["install"]


@pytest.mark.parametrize(
    "md", ["# {#" + "a" * 50_000, "<a " + "id " * 50_000, "<a id=x></a>\n" * 20_000, "{#" * 50_000]
)
def test_what_only_looks_like_ids_takes_time_by_its_length(md: str) -> None:
    started = time.process_time()
    targets("# A\n\n" + md)
    assert time.process_time() - started < 5


BLOCKS = """# Beta

First paragraph
of two lines. ^first

- item one
- 第二项 ^Second-1

> A quote.

^quote

```
code ^code
```

## first

`in code ^no`, 2 ^ 3, x^2
"""


def test_block_ids_name_the_lines_they_end_or_stand_below() -> None:
    found = {t.anchor: BLOCKS[t.start : t.end] for t in targets(BLOCKS) if t.anchor[0] == "^"}
    assert found == {
        "^first": "of two lines. ^first",
        "^second-1": "- 第二项 ^Second-1",
        "^quote": "> A quote.\n\n^quote",
    }
    assert {target.anchor for target in targets(BLOCKS)} >= {"first", "beta"}


def test_a_block_id_leads_to_the_chunk_that_holds_its_block(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    library.set_params("chunker", chunk_size=60, whole_size=60, chunk_overlap=10)
    library.put("b.md", f"{BETA}\n\nThe block meant. {WORDS}^meant\n\n{WORDS}")
    ingest(library)
    assert held(library)["^meant"].startswith("The block meant.")
    (row,) = (row for row in library.rows("anchors") if row["anchor"] == "^meant")
    assert row["chunk_count"] == 2
