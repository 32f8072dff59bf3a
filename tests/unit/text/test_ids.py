"""Ids say of what kind they are."""

import re

from rag_query.text.ids import TRACE_ID, run_trace_id


def test_the_trace_of_a_run_is_found_by_the_id_of_the_run() -> None:
    trace = run_trace_id("0f6e1a52-93c4-4d0e-8a57-c1d2e3f40516")
    assert trace == "trc_0f6e1a5293c44d0e8a57c1d2e3f40516"
    assert re.fullmatch(TRACE_ID, trace)
