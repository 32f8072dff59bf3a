"""Every chunk is enriched, and again when its title changes."""

from pathlib import Path

from rag_assets.chunks import stage as chunks
from rag_assets.enrichment import stage
from rag_assets.sections import stage as sections
from tests.unit.sections.made_library import SHARD, MadeLibrary

ASSET = "cd" * 32


def test_every_chunk_is_enriched(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    media = [{"ref_id": "r1", "asset_id": ASSET, "alt": "A red pot"}]
    library.put(
        "a.md",
        f"# Pots\n\nA pot: ![](asset://{ASSET})\n\n# 锅\n\n中文段落。\n",
        title="Kitchen",
        media=media,
    )
    library.put("b.md", "# Other\n\ntext\n")
    library.flush()
    sections.run(library.ctx, SHARD)
    chunks.run(library.ctx, SHARD)
    result = stage.run(library.ctx, SHARD)
    rows = library.rows("enriched")
    assert [row["chunk_id"] for row in rows] == [row["chunk_id"] for row in library.rows("chunks")]
    assert [row["language"] for row in rows] == ["en", "zh", "en"]
    assert rows[0]["retrieval_text"].startswith("Kitchen\n\n# Pots")
    assert rows[0]["captions"] == ["A red pot"]
    assert result.details == {"enriched": 3, "languages": {"en": 2, "zh": 1}}
    assert stage.run(library.ctx, SHARD).computed == 0


def test_a_new_title_is_seen(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    for title in ("Old", "New"):
        library.put("a.md", "text\n", title=title)
        library.flush()
        sections.run(library.ctx, SHARD)
        chunks.run(library.ctx, SHARD)
        stage.run(library.ctx, SHARD)
        assert library.rows("enriched")[0]["retrieval_text"] == f"{title}\n\ntext"


def test_a_document_without_a_title_is_found_by_the_name_it_has_now(tmp_path: Path) -> None:
    library = MadeLibrary(tmp_path)
    for name in ("report.pdf", "annual.pdf"):
        library.put("report.pdf", "text\n", name=name)
        library.put("a.md", "more\n", title="Own", name=f"{name}.md")
        library.flush()
        sections.run(library.ctx, SHARD)
        chunks.run(library.ctx, SHARD)
        result = stage.run(library.ctx, SHARD)
        texts = {row["retrieval_text"] for row in library.rows("enriched")}
        assert texts == {f"{name}\n\ntext", "Own\n\nmore"}
    # The other one's title did not change.
    assert (result.computed, result.unchanged) == (1, 1)
