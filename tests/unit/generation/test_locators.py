"""Questions for an e-mail address, a web site, a number to call."""

from __future__ import annotations

import time

import pytest

from rag_query.generation.passages.sentences import statements_of
from rag_query.generation.questions.question import read_question
from rag_query.generation.scoring.scoring import score_sentences
from rag_query.generation.vocabulary.locators import is_network, locator_asked
from rag_query.text.analysis import Analyzer
from tests.unit.generation.conftest import MakeChunk
from tests.unit.generation.judging import judged


@pytest.mark.parametrize(
    ("question", "named", "held", "other"),
    [
        ("What is the desk's e-mail?", "e-mail", "Write to desk@a.example.", "Write to the desk."),
        ("What is the web site for forms?", "web site", "See www.a.example.", "See them."),
        ("What is the gateway's IP address?", "IP address", "10.20.0.1", "Version 1.2.3 of 12:30."),
        ("What is the IPv6 address range?", "address range", "2607:6bc0::/48", "10.20.0.0/16"),
        ("Which IPv4 subnet is used?", "subnet", "10.20.0.0/16.", "2607:6bc0::/48, std::find"),
        ("What is the phone number of the desk?", "phone number", "Dial 4456.", "Fax: +472233445"),
        ("What is the phone number?", "phone number", "It is 555 1234.", "It is on page 555."),
        ("电话号码是多少？", "电话号码", "电话号码是 8820。", "电话有 20 部。"),
        ("What number do I call?", "number", "Call 112.", "Call 5 times, from 2024-03-01 on."),
        ("What is Ada's telephone?", "telephone", "Ada: 22 33 45 01", "It has 12 000 000 users."),
        ("客服电话是多少？", "电话", "请拨打 400-820-1234。", "最多拨打3次，传真0571-88001234。"),
        ("发到哪个邮箱？", "邮箱", "发到 help@a.example。", "发到邮箱。"),
        ("Which website is used?", "website", "Book at harbour.de/rooms.", "Book on the web."),
        ("What is the phone number?", "phone number", "Ada: ext. 4411", "Room no. 44-11-22"),
        ("银行的电话号码是多少？", "电话号码", "分机 4411", "账号：6222 0210 0101 2345"),
        ("网关的IP地址是多少？", "IP地址", "192.168.8.1", "第 8.1 节"),
        ("客服的电话？", "电话", "电话 8820", "传真号码：0571-88001234，12-05-2024"),
        ("说明书的网址", "网址", "www.a.example", "在官网下载。"),
        ("值班手机号是什么？", "手机号", "13812345678", "20240301"),
    ],
)  # fmt: skip
def test_the_kind_of_address_asked_for_is_told_by_one(
    question: str, named: str, held: str, other: str
) -> None:
    asked = locator_asked(question)
    assert asked is not None and asked.named == named
    assert asked.is_held(held, question)
    assert not asked.is_held(other, question)


@pytest.mark.parametrize(
    "question",
    [
        "What e-mail address format is accepted?", "Which e-mail client is supported?",
        "What is the website about?", "How do I call the desk?", "When does the hotline open?",
        "如何更换邮箱？", "怎么修改手机号？", "官网是什么时候上线的？", "有没有客服电话？",
        "能否打电话？", "电话号码有几位？", "Does the desk have a phone number?",
    ],
)  # fmt: skip
def test_what_is_asked_about_an_address_is_not_the_address(question: str) -> None:
    assert locator_asked(question) is None


def test_an_address_that_the_question_gives_is_no_answer() -> None:
    question = "What is the other e-mail address of a@b.example?"
    asked = locator_asked(question)
    assert asked is not None
    assert not asked.is_held("Write to a@b.example.", question)


@pytest.mark.parametrize(
    ("question", "text", "enough"),
    [
        (
            "What is the e-mail address of the service desk?",
            "# Service desk\n\nWrite to desk@harbour.example when something is broken.",
            True,
        ),
        (
            "What is the e-mail address of the service desk?",
            "# Service desk\n\nThe service desk is open from 8:00 to 18:00.",
            False,
        ),
        (
            "What is the phone number of Mira Olsen?",
            "# School\n\nMira Olsen leads it.\n\n## Phone numbers\n\n- Kitchen: 22 33 44 66",
            False,
        ),
        ("What is the URL of the forms?", "Forms lie at https://harbour.example/all.", True),
        ("What is the gateway's IP address?", "# Network\n\n## Gateway\n\n10.20.0.1", True),
        ("售后电话是多少？", "# 售后服务\n\n设备出现故障时，请拨打 400-820-1234。", True),
        ("售后电话是多少？", "# 售后服务\n\n设备出现故障时，请填写申请表。", False),
        ("打印机的IP地址是什么？", "# 网络\n\n## 打印机\n\n192.168.8.20，型号为 HP-220。", True),
    ],
)
def test_an_address_answers_for_what_stands_by_it(
    question: str, text: str, enough: bool, analyzer: Analyzer, chunk: MakeChunk
) -> None:
    assert judged(question, text, analyzer, chunk).sufficient is enough


@pytest.mark.parametrize(
    ("text", "network"),
    [("10.20.0.1", True), ("2607:6bc0::/48", True), ("1.2.3", False), ("at 10.20.0.1", False)],
)
def test_an_address_of_a_network_is_no_lone_number(text: str, network: bool) -> None:
    assert is_network(text) is network


@pytest.mark.parametrize(
    "part",
    ["a", "a-", "a.", "a+", "/a", "1", "1 ", "1-", "a:", ":", "(", "+1 ", "what is the "],
)
def test_a_long_text_does_not_hold_up_what_kind_is_asked_for(part: str) -> None:
    started = time.process_time()
    for question in (
        "What is the phone number?",
        "What is the IP address?",
        "What is the e-mail address?",
        "网址是什么？",
    ):
        asked = locator_asked(question)
        assert asked is not None
        asked.is_held(part * 12_000, question)
    locator_asked(part * 4_000)
    assert time.process_time() - started < 1


OFFICES = "| 部门 | 邮箱 |\n|---|---|\n| 人事部 | hr@a.example |\n| 后勤部 | 无 |"


def test_a_row_that_has_no_address_answers_and_that_of_another_does_not(
    analyzer: Analyzer, chunk: MakeChunk
) -> None:
    question = "后勤部的邮箱是什么？"
    assert judged(question, OFFICES, analyzer, chunk).sufficient
    read = read_question(question, analyzer, lambda _: 1, 20)
    scored = score_sentences(read, statements_of([chunk(OFFICES)]), analyzer)
    assert [each.answers for each in scored] == [False, True]
