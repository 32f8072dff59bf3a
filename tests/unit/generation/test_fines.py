"""Fines and fees."""

from __future__ import annotations

import pytest

from rag_query.generation.vocabulary.fines import without_fines


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the price of the sieve?", "The sieve with a fine mesh costs 12 EUR."),
        ("What is the fee for the hall?", "The hall is fine for 30 people at 200 EUR per day."),
        ("How much is the fee for storage?", "Storage has a fee of 20 EUR and the fine is 30 EUR."),
        ("How much is the charge for a key?", "A lost key is charged with a penalty of 80 EUR."),
        ("How much do I pay for running a red light?", "Running a red light: fine of 200 EUR."),
        ("提前退租要付多少钱？", "提前退租的，租客支付违约金3000元。"),
        ("退票费用是多少？", "退票收取违约金20元。"),
        ("乱扔烟头多少钱？", "乱扔烟头罚款50元。"),
    ],
)
def test_what_is_no_fine_and_what_asks_for_no_fee_stays(question: str, text: str) -> None:
    assert without_fines(text, question) == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("养犬登记第一年费用是多少？", "未经养犬登记的，处500元以上2000元以下罚款。"),
        ("What is the fee for parking?", "Who parks here has to pay a fine of 50 EUR."),
        ("What is the fee for parking?", "Who parks here is fined 50 EUR."),
    ],
)
def test_a_fine_is_no_fee(question: str, text: str) -> None:
    assert not any(each.isdigit() for each in without_fines(text, question))
