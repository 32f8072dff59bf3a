"""The object in an answer of a model that says more than it was asked for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.llm.output import is_unfit, parse_output

OBJECT = '{"name": "blue"}'


class Colour(BaseModel):
    name: str


@pytest.mark.parametrize(
    "answer",
    [
        f"<think>\nIt may be {{red}}.\n</think>\n\n{OBJECT}",
        f"<think>Red?</think>```json\n{OBJECT}\n```",
        f"Here is the JSON:\n```json\n{OBJECT}\n```",
        f"Here it is:\r\n```json\r\n{OBJECT}\r\n```\r\nAnything else?",
        f'First:\n```\n{{"name": "red"}}\n```\nNo, rather:\n```json\n{OBJECT}\n```',
        f"```json\n{OBJECT}```",
        f"The object is {OBJECT}.",
        f"{OBJECT}\n\nI hope this helps.",
    ],
)
def test_what_stands_around_the_object_is_dropped(answer: str) -> None:
    assert parse_output(answer, Colour) == Colour(name="blue")


@given(st.text() | st.sampled_from(["<think>a</think>", "```json\n{}\n```", "}{", "a\n```\nb"]))
def test_an_object_is_read_whole_whatever_it_holds(name: str) -> None:
    written = json.dumps({"name": name}, indent=1)
    for answer in (written, f"```json\n{written}\n```", f"<think>?</think>\n{written}\nDone."):
        assert parse_output(answer, Colour) == Colour(name=name)


@pytest.mark.parametrize(
    "answer", ["", "blue", "}{", f"[{OBJECT}]", f"{OBJECT} or {OBJECT}", "<think>blue", "```\n```"]
)
def test_an_answer_without_one_object_does_not_fit(answer: str) -> None:
    with pytest.raises(ExcerptaError) as raised:
        parse_output(answer, Colour)
    assert raised.value.code is ErrorCode.LLM_BAD_OUTPUT and is_unfit(raised.value)
