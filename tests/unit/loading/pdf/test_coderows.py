"""Where a block of code begins and ends among the rows of a page."""

from __future__ import annotations

from rag_assets.loading.pdf.extraction.blocks import Line
from rag_assets.loading.pdf.extraction.stext import Box
from rag_assets.loading.pdf.order.rows import Row
from rag_assets.loading.pdf.paragraphs.coderows import code_rows

SIZE = 100
LEFT, EDGE = 1_000, 5_000
PITCH = 120


def row(
    text: str,
    at: float,
    *,
    mono: bool = True,
    block: int = 0,
    x0: int = LEFT,
    x1: int | None = None,
) -> Row:
    """A row, ``at`` rows below the first."""
    x1 = x1 or x0 + SIZE * len(text)
    base = int(2_000 + PITCH * at)
    box = Box(x0, base - SIZE, x1, base)
    line = Line(text, box, x0, base - SIZE, x1, base, base, SIZE, False, mono, False)
    return Row.of(line, block, LEFT, EDGE)


def texts(items: list[Row], at: int = 0) -> list[str]:
    return [each.text for each in code_rows(items, at)]


CODE = [row("read()", 0), row("send()", 1), row("wait()", 2, block=1), row("stop()", 3, block=1)]


def test_a_heading_or_the_foot_of_a_page_ends_a_block_of_code() -> None:
    assert texts(CODE) == ["read()", "send()", "wait()", "stop()"]
    heading = row("wait()", 2, block=1)
    heading.level = 2
    assert texts([*CODE[:2], heading, CODE[3]]) == ["read()", "send()"]
    footer = row("page 3", 2, block=1)
    footer.furniture = "footer"
    assert texts([*CODE[:2], footer, CODE[3]]) == ["read()", "send()"]


def test_a_paragraph_that_ends_in_another_font_is_no_code() -> None:
    prose = row("is what it calls.", 2, mono=False)
    full = [row("read() and then", 0, x1=EDGE), row("send()", 1, x1=EDGE)]
    assert texts([*full, prose]) == []
    assert texts([*full, row("A new paragraph.", 2, mono=False, block=1)]) == [
        "read() and then", "send()",
    ]  # fmt: skip


def test_code_stays_code_above_prose_the_extraction_took_for_the_same_block() -> None:
    following = row("This routine calls it.", 2, mono=False)
    assert texts([*CODE[:2], following]) == ["read()", "send()"]
    wide = [row("read() and then", 0, x0=2_000, x1=EDGE), row("send()", 1, x0=2_000, x1=EDGE)]
    assert texts([*wide, following]) == ["read() and then", "send()"]


def test_a_row_in_the_middle_of_a_paragraph_that_begins_with_code_tears_no_sentence() -> None:
    before = row("The package is fetched from", 0, mono=False, x1=EDGE)
    inner = [row("read() or", 1), row("send(), and then", 2)]
    after = row("stopped again.", 3, mono=False)
    assert texts([before, *inner, after], 1) == []
    before = row("Call:", 0, mono=False)
    assert texts([before, *inner, after], 1) == ["read() or", "send(), and then"]


def test_a_comment_in_chinese_between_rows_of_code_is_code() -> None:
    comment = row("等待一秒", 2, mono=False, block=1)
    after = row("stop()", 3, block=2)
    assert texts([*CODE[:2], comment, after]) == ["read()", "send()", "等待一秒", "stop()"]
    for change in ({"x0": LEFT - SIZE}, {"x1": EDGE}):
        other = row("等待一秒", 2, mono=False, block=1, **change)
        assert texts([*CODE[:2], other, after]) == ["read()", "send()"]
    assert texts([*CODE[:2], row("等待一秒", 4, mono=False, block=1), after]) == [
        "read()",
        "send()",
    ]
    far = row("stop()", 5, block=2)
    assert texts([*CODE[:2], comment, far]) == ["read()", "send()"]
    full = row("send(level)", 1, x1=EDGE)
    assert texts([CODE[0], full, comment, after]) == ["read()", "send(level)"]
    deeper = row("send()", 1, x0=LEFT + 3 * SIZE)
    assert texts([CODE[0], deeper, comment, after]) == ["read()", "send()", "等待一秒", "stop()"]
    english = row("waits", 2, mono=False, block=1)
    assert texts([*CODE[:2], english, after]) == ["read()", "send()"]


def test_chinese_that_goes_on_from_code_is_no_comment_unless_code_follows() -> None:
    code = [*CODE[:2], row("wait()", 2, block=1), row("等待一秒", 3, mono=False, block=1)]
    after = row("stop()", 4, block=2)
    assert texts([*code, after]) == ["read()", "send()", "wait()", "等待一秒", "stop()"]
    heading, footer = row("stop()", 4, block=2), row("stop()", 4, block=2)
    heading.level, footer.furniture = 2, "footer"
    prose, far = row("stops", 4, mono=False, block=2), row("stop()", 6, block=2)
    for others in ([heading], [footer], [prose], [far], []):
        assert texts([*code, *others]) == ["read()", "send()", "wait()"]


def test_chinese_prose_that_goes_on_below_takes_its_row_along() -> None:
    full = row("read() 读取当前的潮位", 2, block=1, x1=EDGE)
    below = row("并写入日志", 3, mono=False, block=2)
    assert texts([*CODE[:2], full, below]) == ["read()", "send()"]
    far = row("并写入日志", 6, mono=False, block=2)
    assert texts([*CODE[:2], full, far]) == ["read()", "send()", "read() 读取当前的潮位"]
    english = row("read() reads the tide", 2, block=1, x1=EDGE)
    assert texts([*CODE[:2], english, below]) == ["read()", "send()", "read() reads the tide"]
    short = row("read() 读取当前的潮位", 2, block=1)
    assert texts([*CODE[:2], short, below]) == ["read()", "send()", "read() 读取当前的潮位"]


def test_the_last_row_of_a_paragraph_is_no_code_though_it_begins_with_some() -> None:
    before = row("A gauge is read as often as the tide asks for with", 0, mono=False, x1=EDGE)
    own, others = row("read() alone.", 1), [row("send()", 3, block=1), row("wait()", 4, block=1)]
    assert texts([before, own, *others], 1) == []
    indented = row("read() alone.", 1, x0=LEFT + 3 * SIZE)
    assert texts([before, indented, *others], 1) == ["read() alone.", "send()", "wait()"]
    elsewhere = [row("read()", 1, block=3), row("send()", 2, block=3), row("wait()", 3, block=3)]
    assert texts([before, *elsewhere], 1) == ["read()", "send()", "wait()"]
    whole = [row("read()", 1), row("send()", 2), row("wait()", 3)]
    assert texts([before, *whole], 1) == ["read()", "send()", "wait()"]
    assert texts([before, *whole[:2]], 1) == []
    chinese = row("潮位由验潮仪按下面的命令", 0, mono=False, block=5, x1=EDGE)
    assert texts([chinese, row("read() 读取", 1), *others], 1) == []
    short = row("This is the code:", 0, mono=False)
    assert texts([short, own, *others], 1) == ["read() alone.", "send()", "wait()"]


def test_the_last_row_of_a_paragraph_is_no_code_where_the_first_one_is_indented() -> None:
    before = row("打开配置文件 /etc/pump/", 0, mono=False, x0=LEFT + 2 * SIZE, x1=EDGE)
    path = row("main.yaml：", 1, block=1)
    code = [row("pump:", 3, block=2), row("  mode: auto", 4, block=3)]
    assert texts([before, path, *code], 1) == []
    assert texts([before, path, *code], 2) == ["pump:", "  mode: auto"]


def test_code_ends_with_its_column() -> None:
    beside = [
        row(text, at, x0=EDGE + SIZE, block=2) for at, text in enumerate(["open()", "shut()"])
    ]
    assert texts([*CODE, *beside]) == ["read()", "send()", "wait()", "stop()"]


def test_one_row_is_code_behind_a_prompt_and_not_in_a_paragraph() -> None:
    assert texts([row("stop()", 0)]) == []
    assert texts([row("$ stop", 0)]) == ["$ stop"]
    for gap, found in ((SIZE // 2, ["ls"]), (SIZE, [])):
        words, last = row("ls", 0), row("-l", 0, x0=LEFT + 2 * SIZE + gap)
        words.lines += last.lines
        assert texts([words]) == found
    heading = row("Stop", 0, mono=False)
    assert texts([heading, row("$ stop", 1, block=1)], 1) == ["$ stop"]
    assert texts([heading, row("$ stop", 1, block=0)], 1) == []


def test_rows_of_commands_within_a_sentence_are_no_code() -> None:
    before = row("All of the commands that the", 0, mono=False, x1=EDGE)
    after = row("are read from the file. Its", 4, mono=False)
    commands = [row("load and step and", 1, x1=EDGE), row("run and", 2, x1=EDGE), row("quit", 3)]
    items = [before, *commands, after]
    assert [texts(items, at) for at in (1, 2, 3)] == [[], [], []]
    lead = row("All of these commands can be used here:", 0, mono=False, x1=EDGE)
    assert texts([lead, *commands, row("They are read.", 4, mono=False, block=1)], 1) != []
