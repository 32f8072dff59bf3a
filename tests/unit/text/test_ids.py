"""Ids say of what kind they are, and are for ever what they were."""

import re

from rag_query.text.ids import (
    TRACE_ID,
    chunk_id,
    doc_id,
    profile_id,
    run_trace_id,
    section_id,
    shard_of,
    version_id,
)


def test_the_trace_of_a_run_is_found_by_the_id_of_the_run() -> None:
    trace = run_trace_id("0f6e1a52-93c4-4d0e-8a57-c1d2e3f40516")
    assert trace == "trc_0f6e1a5293c44d0e8a57c1d2e3f40516"
    assert re.fullmatch(TRACE_ID, trace)


def test_the_same_content_in_the_same_place_has_the_id_that_libraries_hold() -> None:
    doc = doc_id("file://docs/茶.md")
    assert doc == "doc_104a6a35b3c52f3d424b91a4"
    assert (
        version_id(doc, "0" * 64) == version_id(doc, "0" * 64, 0) == "ver_bef97aaf8dc5a35a26fd2625"
    )
    assert version_id(doc, "0" * 64, 1) == "ver_20fc9f35a5a50a6cbba8a48a"
    section = section_id(doc, "茶 / 绿茶", 1)
    assert section == "sec_8867ec9140a2ff1cfbfe75d5"
    assert chunk_id(section, "1" * 64) == "chk_e99d0b35b2e44fdbc0a2b63d"
    assert profile_id({"b": "茶", "a": [1, 2.5, None]}) == profile_id(
        {"a": [1, 2.5, None], "b": "茶"}
    )
    assert (
        profile_id({"b": "茶", "a": [1, 2.5, None]})
        == "5567d41014f1d95797e02f76fba8dafc35c872614cf6d73831ac0a9565c2e9e3"
    )


def test_a_document_stays_in_its_shard() -> None:
    shards = [shard_of(f"file://docs/{n}.md", 16) for n in range(6)]
    assert shards == ["s05", "s02", "s14", "s05", "s02", "s01"]
