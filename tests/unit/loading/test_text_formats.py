"""Plain text and records: what is read, what is refused, and with which code."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.loading.base import LoadRequest
from rag_assets.loading.decoding import Decoded, decode
from rag_assets.loading.markdown_syntax import Source, parse
from rag_assets.loading.record import RecordLoader, plain_as_markdown
from rag_assets.loading.text import TextLoader, TextParams
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.providers.registry import Params

REQUEST = LoadRequest("name.txt")


def record(**fields: object) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", ErrorCode.EMPTY_FILE),
        (b" \n\t\r\n", ErrorCode.EMPTY_FILE),
        (b"\xef\xbb\xbf", ErrorCode.EMPTY_FILE),
        ("é".encode("latin-1"), ErrorCode.NOT_UTF8),
        ("表格".encode("gbk"), ErrorCode.NOT_UTF8),
        (b"MZ\x00\x01\x02binary", ErrorCode.BINARY_CONTENT),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", ErrorCode.BINARY_CONTENT),
        (bytes(range(1, 9)) * 10, ErrorCode.BINARY_CONTENT),
        (b"\xff\xfea", ErrorCode.NOT_UTF8),
    ],
)
def test_what_is_no_text_is_refused_with_its_code(data: bytes, code: ErrorCode) -> None:
    with pytest.raises(ExcerptaError) as caught:
        decode(data)
    assert caught.value.code == code


def test_where_a_text_holds_what_no_text_does_is_said() -> None:
    with pytest.raises(ExcerptaError, match="line 3 ") as caught:
        decode(b"08:00 2.1 m\r\n09:00 2.4 m\r\n10:\x00\x00\x00\r\n11:00 2.2 m\r\n")
    assert caught.value.details == {"line": 3}


def test_marks_and_line_ends_are_read_away() -> None:
    assert decode(b"\xef\xbb\xbfa\r\nb\rc\n").text == "a\nb\nc\n"
    assert decode("水位\r\n".encode("utf-16")).text == "水位\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("每日八点读取浮子式验潮仪。黄灯表示没有信号，这时要检查天线。", "gb18030"),
        ("每日八點讀取浮子式驗潮儀。黃燈表示沒有信號，這時要檢查天線。", "big5hkscs"),
        ("潮位の観測は毎日八時に行う。", "cp932"),
        ("潮位の観測は毎日八時に行う。", "euc_jp"),
        ("조위 관측은 매일 여덟 시에 하고 그 기록을 보관한다.", "cp949"),
    ],
)
def test_chinese_japanese_and_korean_are_read_in_the_encodings_they_had(
    text: str, encoding: str
) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded == Decoded(text, [f"DECODED_AS: {encoding}"])
    loaded = TextLoader(TextParams()).load(text.encode(encoding), REQUEST)
    assert loaded.warnings == [f"DECODED_AS: {encoding}"]
    assert decode(text.encode()).warnings == []


@pytest.mark.parametrize(
    "data",
    [
        "Les échelles de marée ont été relevées à l’été, où l’on a noté.".encode("cp1252"),
        "Приливы измеряются каждый день в восемь часов утра.".encode("koi8_r"),
        "Γεια σας, η στάθμη της θάλασσας".encode("cp1253"),
        bytes(range(128, 256)) * 20,
    ],
)
def test_an_encoding_that_is_not_told_surely_is_refused(data: bytes) -> None:
    with pytest.raises(ExcerptaError) as caught:
        decode(data)
    assert caught.value.code == ErrorCode.NOT_UTF8


def test_text_takes_its_first_line_as_title() -> None:
    loaded = TextLoader(TextParams()).load(b"\n\n  Tide log  \nmore", REQUEST)
    assert loaded.title == "Tide log"
    assert loaded.md == "\n\n  Tide log  \nmore"
    assert not TextLoader(TextParams()).load(b"x" * 500, REQUEST).title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("=====\nTidal Manual\n=====\n\nText.", "Tidal Manual"),
        ("-----\n\n  会议记录 \n-----", "会议记录"),
        ("__________\n7", "7"),
        ("* * *\n", ""),
        ("====\n" + "x" * 500, ""),
        ("=" * 500 + "\nShort", "Short"),
    ],
)
def test_a_line_of_marks_is_no_title(text: str, title: str) -> None:
    assert TextLoader(TextParams()).load(text.encode(), REQUEST).title == title


def test_a_record_is_its_title_and_text() -> None:
    loaded = RecordLoader(Params()).load(
        record(_id="7", title="Two\n lines", text="body", year=1990), REQUEST
    )
    assert loaded.md == "# Two lines\n\nbody"
    assert loaded.title == "Two lines"
    assert loaded.metadata == {"year": 1990}
    untitled = RecordLoader(Params()).load(record(_id="7", title="", text="body"), REQUEST)
    assert (untitled.md, untitled.title) == ("body", "body")
    headed = RecordLoader(Params()).load(record(_id="7", text="## 标题\n正文"), REQUEST)
    assert headed.title == "标题"


@pytest.mark.parametrize(
    "data",
    [b"{", b"[1]", b'{"text": 3}', b'{"_id": "1", "title": "t"}', b"\xff{}", b'{"text": " "}'],
)
def test_a_bad_record_says_so(data: bytes) -> None:
    with pytest.raises(ExcerptaError) as caught:
        RecordLoader(Params()).load(data, REQUEST)
    assert caught.value.code == ErrorCode.BAD_RECORD


@given(
    st.lists(
        st.sampled_from(["# a", "### b #", "text", "===", "---", "", "  ## c", "#tag", "- x"]),
        max_size=12,
    )
)
def test_a_records_text_has_no_headings_and_loses_nothing(lines: list[str]) -> None:
    text = "\n".join(lines)
    escaped = plain_as_markdown(text)
    assert escaped.replace("\\", "") == text
    assert parse(Source("# Title\n\n" + escaped)).headings == [(1, "Title", 0)]


def test_code_of_a_record_is_left_as_it_is() -> None:
    text = "# no heading\n\n```sh\n# a comment\n```\n\n# none"
    assert plain_as_markdown(text) == "\\# no heading\n\n```sh\n# a comment\n```\n\n\\# none"


def test_numbers_json_has_not_are_kept_as_written() -> None:
    loaded = RecordLoader(Params()).load(
        b'{"text": "x", "a": NaN, "b": 1e999, "c": 1.5}', LoadRequest("r")
    )
    assert loaded.metadata == {"a": "NaN", "b": "1e999", "c": 1.5}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("1\n00:00:01,000 --> 00:00:04,200\nWelcome to the lighthouse.\n",
         "Welcome to the lighthouse."),
        ("From: Eve <eve@example.org>\nSubject: =?UTF-8?B?5r2u5L2N?= and\n the log\n\nHi.\n",
         "潮位 and the log"),
        ("From here on\nall is well.\n", "From here on"),
        ("Network Working Group          J. Postel\nRequest: 9999        ISI\n"
         "                          June 2024\n\n          A Tide Protocol\n\nWords.\n",
         "A Tide Protocol"),
        ("Engineering Task Force      J. Quill, Ed.\nRequest for Comments: 9999    Tides\n"
         "Obsoletes: 2145, 2616      A. Mast\nUpdates: 2817, 2818\nISSN: 2070-1721\n\n\n"
         "     A Tide Protocol: Messages\n           and Routing\n\nAbstract\n\n   Words.\n",
         "A Tide Protocol: Messages and Routing"),
        ("Network Working Group       J. Quill\nInternet-Draft         Example Inc\n"
         "Expires: October 5, 2025\n\n\n   A Draft\n      draft-quill-tides-03\n\nAbstract\n",
         "A Draft"),
        ("Tide Manual\nAuthor:      Jo Quill\nDate:        2025\n\nWords.\n", "Tide Manual"),
        ("$Id: tide.txt,v 1.4 2024/06/03 eve Exp $\n\nVersion 1.4.2-rc1 (2024-06-03)\n\nTides\n",
         "Tides"),
        ("2024年6月3日\n\n潮位记录\n", "潮位记录"),
        ("TIDE(1)          User Commands          TIDE(1)\n\nNAME\n       tide - a gauge\n",
         "TIDE(1)"),
        ("Name     Age\nBob      7\n", "Name     Age"),
        ("V4L2 tides\n\nWords.\n", "V4L2 tides"),
        ("[server]\nhost = 10.0.0.7\nport=8080\n", ""),
        ("2024-06-03 08:00:11 INFO pump started\n2024-06-03 08:00:12 WARN valve shut\n", ""),
        ("[03/06/2024, 08:00:11] Ann: The valve is shut.\n", ""),
        ("WEBVTT\n\n00:01.000 --> 00:04.000\nWelcome to the lighthouse.\n", ""),
        ("port,height_m,gauge\nBrest,3.2,float\nSable Bay,1.9,radar\n", ""),
        ("Brest, Sable Bay, Quay 4\nand others, in order, by height\n",
         "Brest, Sable Bay, Quay 4"),
        ("= Tide Manual\nJo Quill <jo@tide.example>\n:toc:\n\nWords.\n", "Tide Manual"),
        ("# Settings of the gauge\nhost = 10.0.0.7\n", "Settings of the gauge"),
        ("h = 2 m at noon\n\nHow we measure it.\n", "h = 2 m at noon"),
        ("2024-06-03 Visit to the gauge\n", "2024-06-03 Visit to the gauge"),
        ("2024-06-03 14:30 The gauge\n\nAnn came.\n", "2024-06-03 14:30 The gauge"),
        ("2024-06-03 08:00:11 pump started\n\n2024-06-03 08:01:12 valve shut\n", ""),
        ("1984\n", "1984"),
        ("1984: May\n\nA march in the sun\n", "A march in the sun"),
    ],
)  # fmt: skip
def test_a_title_says_what_a_text_is_about(text: str, title: str) -> None:
    assert TextLoader(TextParams()).load(text.encode(), REQUEST).title == title


@pytest.mark.parametrize(
    "line",
    ["1" * 150 + "x", "a" + " " * 150 + "\t ", "1 " * 90 + "x", " 1" * 9**5 + "x"],
)
def test_a_title_is_found_in_no_time(line: str) -> None:
    TextLoader(TextParams()).load(f"{line}\n".encode(), REQUEST)
