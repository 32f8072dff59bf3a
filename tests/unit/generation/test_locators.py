"""Questions for an e-mail address, a web site, a file of a computer."""

from __future__ import annotations

import time

import pytest

from rag_query.generation.locators import asks_locator, holds_locator


@pytest.mark.parametrize(
    "question",
    [
        "申请人应提交哪些文件？", "What file size is accepted?",
        "What file must applicants submit?",
        "Which path should I take to become a manager?", "Which site has the crane?",
        "What address should invoices be sent to?", "依据什么文件执行？",
        "What folder size is allowed?",
        "What email address format is accepted?",
    ],
)  # fmt: skip
def test_what_may_be_no_address_of_a_computer_asks_for_none(question: str) -> None:
    assert not asks_locator(question)


@pytest.mark.parametrize(
    "question",
    [
        "What e-mail address do I write to?", "Which website holds the forms?", "用哪个邮箱？",
        "Which config file holds the port?", "公司网址是什么？", "Which folder holds the logs?",
    ],
)  # fmt: skip
def test_an_address_of_a_computer_is_asked_for(question: str) -> None:
    assert asks_locator(question)


@pytest.mark.parametrize("part", ["a", "a-", "a.", "a+", "/a", "."])
def test_a_long_word_does_not_hold_up_the_answer(part: str) -> None:
    started = time.process_time()
    holds_locator(part * 12_000, "Which folder?")
    assert time.process_time() - started < 0.2
