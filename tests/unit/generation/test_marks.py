"""What is quoted is what is written: only Markdown's marks are taken off, and none of a word."""

from __future__ import annotations

import time

import pytest

from rag_query.generation.passages.sentences import readable
from rag_query.text.marks import marked


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("最大支持到 `10**16`，即 `千万亿`。", "最大支持到 10**16，即 千万亿。"),
        ("is `__init__(self, *args, **kwargs)` now", "is __init__(self, *args, **kwargs) now"),
        ("returns a `List<String>`", "returns a List<String>"),
        ("``a ` b`` and `[x](y)`", "a ` b and [x](y)"),
        ("```js\nlet x = **y\n```", "let x = **y"),
        ("Run:\n\n~~~sh\nls *a *b\n~~~\n\nand *wait*.", "Run: ls *a *b and wait."),
        ("> ```c\n> #include <zephyr.h>\n> ```", "#include <zephyr.h>"),
        ("````{tab} X\n```\na *b*\n```\n*so* `c`\n````\n*end*", "a *b* so c end"),
        ("an open ` tick and ``` three", "an open ` tick and ``` three"),
    ],
)
def test_code_is_quoted_as_it_stands(written: str, read: str) -> None:
    assert readable(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("**a** *b* _c_ __d__ ***e***", "a b c d e"),
        ("这是**要点**的，**“引文”**也是", "这是要点的，“引文”也是"),
        ("2**20 and 2**4, 5*3*2, 体积为 长*宽*高", "2**20 and 2**4, 5*3*2, 体积为 长*宽*高"),
        ("每个，*名称*都是", "每个，名称都是"),
        ("**linux-*`x`*.rm** in **cd linux-*`v`***", "linux-x.rm in cd linux-v"),
        ("char *name, char *other", "char *name, char *other"),
        ("2 * 3 ** 4 and *args, **kwargs", "2 * 3 ** 4 and *args, **kwargs"),
        ("snake_case_name, a__b__c, x.__class__", "snake_case_name, a__b__c, x.__class__"),
        ("__init__(self)", "__init__(self)"),
        ("**one. Two", "**one. Two"),
        ("\\*not\\* and a \\| b, 1\\. here", "*not* and a | b, 1. here"),
        ("\\[x\\] but \\[ x + y \\]", "[x] but \\[ x + y \\]"),
    ],
)
def test_only_emphasis_that_is_closed_is_taken_off(written: str, read: str) -> None:
    assert readable(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a <b>bold</b> word", "a bold word"),
        ("one<br>two <!-- and\nmore -->three", "one two three"),
        ("one {/* and\nmore */}two", "one two"),
        ("{/* *one* {/* two */} <!-- *three*", "<!-- three"),
        ("<!-- a */} {/* *one* `*/}`", "<!-- a */} `"),
        ('<p\n    title="Hi! We *are*."\n    >\n  said', "said"),
        ("a List<String> of <HOME>/x/<name>.conf", "a List<String> of <HOME>/x/<name>.conf"),
        ("#include <zephyr.h>", "#include <zephyr.h>"),
        ("10<sup>16</sup> H<sub>2</sub>O, 1<sup>st</sup>", "10^16 H2O, 1st"),
        ("<https://a.example/b> <me@a.example>", "https://a.example/b me@a.example"),
        ("a&nbsp;b &lt;c&gt; &amp;&#42; &nosuch;", "a b <c> &* &nosuch;"),
    ],
)
def test_only_tags_and_entities_of_html_are_taken_off(written: str, read: str) -> None:
    assert readable(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('[text](u.md "t"), [**b**](<a b>), [w](http://a/b_(c))', "text, b, w"),
        ("[text][ref], [text][], 执行[脚本][s.py]。", "text, text, 执行脚本。"),
        ("a[i][j], [1][2], [x]", "a[i][j], [1][2], [x]"),
        ("[![badge][b]][u] ![x](y.png) ![](z)", ""),
    ],
)
def test_a_link_reads_as_its_text(written: str, read: str) -> None:
    assert readable(written) == read


@pytest.mark.parametrize("source_format", ["text", "pdf"])
def test_text_of_formats_without_marks_is_quoted_as_it_stands(source_format: str) -> None:
    said = "char *n, *x* **y** `z` <MIME>/p [a][b] &amp; __w__"
    assert readable(said, source_format) == said
    assert readable("\\# no heading", source_format) == "# no heading"


def test_text_of_a_page_has_no_underscores_or_entities_for_marks() -> None:
    written = "a __init__ of &nbsp; is \\<b> and *this*"
    assert readable(written, "html") == "a __init__ of &nbsp; is <b> and this"


WRAPPED = "本办法适用于在公司工作满一年的全体"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (f"{WRAPPED}\n正式员工。", f"{WRAPPED}正式员工。"),
        (f"{WRAPPED}\n第三方人员。", f"{WRAPPED}第三方人员。"),
        (f"{WRAPPED}  \n正式员工。", f"{WRAPPED} 正式员工。"),
        (f"{WRAPPED}\n乙方：赵六公司", f"{WRAPPED} 乙方：赵六公司"),
        (f"{WRAPPED}\n第七节", f"{WRAPPED} 第七节"),
        ("甲方：王五公司\n乙方：赵六公司", "甲方：王五公司 乙方：赵六公司"),
        ("收款人 陈一\n开户行 工商银行", "收款人 陈一 开户行 工商银行"),
        ("春眠不觉晓\n处处闻啼鸟", "春眠不觉晓 处处闻啼鸟"),
    ],
)
def test_a_long_chinese_line_goes_on_without_a_blank_and_others_stay_apart(
    written: str, read: str
) -> None:
    assert readable(written) == read


def test_a_chinese_sentence_that_begins_late_in_its_line_goes_on_without_a_blank() -> None:
    text = "本办法适用于公司全体员工。请按\n时提交。"
    begins = text.index("请")
    assert marked(text).said(begins, len(text)) == "请按时提交。"


@pytest.mark.parametrize("opening", ["{/* ", "<!-- "])
def test_comments_that_never_end_are_found_out_quickly(opening: str) -> None:
    begun = time.process_time()
    assert readable(opening * 16_000).startswith(opening)
    assert time.process_time() - begun < 2
