"""A form is read as its labels and values; a table with heads is none."""

from __future__ import annotations

import pytest

from rag_query.generation.passages.forms import form_of
from rag_query.generation.passages.sentences import SourceChunk, sentences_of
from rag_query.generation.passages.table_rows import cells_of, is_delimiter
from rag_query.generation.questions.stated import spoken_of, stated_in

MINUTES = """| 会议时间 | 2026 年 7 月 9 日 14:00—16:30 | 会议地点 | 三号会议室 |
|---|---|---|---|
| 主持人 | 林晓东 | 记录人 | 吴倩 |
| 参会人员 | | 王建国、李敏（视频） | |
"""
APPLICATION = """| Name | Ann Lee | Date of birth | 3 May 1990 |
|---|---|---|---|
| Home address | | 12 Orchard Lane, Bristol | |
| Signed by: | A. Lee | Blood group | O |
"""


def said(text: str, header_row: str | None = None) -> list[str]:
    chunk = SourceChunk(
        "c", "v", "d", "t", "s", "table", 0, text, 0, len(text), header_row=header_row
    )
    return [sentence.text for sentence in sentences_of([chunk])]


def form_text(table: str) -> list[str | None] | None:
    rows = [cells_of(line) for line in table.strip().split("\n") if not is_delimiter(line)]
    form = form_of(rows)
    return [form.text(row) for row in rows] if form else None


def test_rows_of_a_form_are_its_labels_with_their_values() -> None:
    assert said(MINUTES) == [
        "会议时间: 2026 年 7 月 9 日 14:00—16:30; 会议地点: 三号会议室",
        "主持人: 林晓东; 记录人: 吴倩",
        "参会人员: 王建国、李敏（视频）",
    ]
    assert said(APPLICATION) == [
        "Name: Ann Lee; Date of birth: 3 May 1990",
        "Home address: 12 Orchard Lane, Bristol",
        "Signed by: A. Lee; Blood group: O",
    ]


def test_the_rest_of_a_form_that_was_cut_is_read_alike() -> None:
    head, _, *rest = MINUTES.split("\n")
    assert said("\n".join(rest).strip(), head) == said(MINUTES)[1:]


def test_a_form_by_words_that_are_not_known_is_told_by_its_columns() -> None:
    table = "| Berth | Old quay | Opened | 08:15 |\n|--|--|--|--|\n| Keeper | Bo | Ledger | red |"
    assert form_text(table) == ["Berth: Old quay; Opened: 08:15", "Keeper: Bo; Ledger: red"]


@pytest.mark.parametrize(
    ("table", "last"),
    [
        (
            "| 编号 | PS-303 | 功率 | 55 kW |\n| 站长 | 卫青松 | 扬程 | 18 m |",
            "站长: 卫青松; 扬程: 18 m",
        ),
        (
            "| 课程编号 | HYD3107 | 学分 | 2.5 |\n| 总学时 | 40 | 其中实验学时 | 12 |",
            "总学时: 40; 其中实验学时: 12",
        ),
        (
            "| Weight | 640 kg | Built | 2017 |\n| Warden | Ann Lee | Berth | Old quay |",
            "Warden: Ann Lee; Berth: Old quay",
        ),
        ("| Model | OP-71 |\n| Flow | 48 l/min |\n| Head | 19 m |", "Head: 19 m"),
    ],
)
def test_a_form_is_told_by_the_codes_and_measures_of_its_first_row(table: str, last: str) -> None:
    read = form_text(table)
    assert read is not None
    assert read[-1] == last


def test_what_is_asked_of_a_thing_by_its_number_is_told_by_any_row_of_its_form() -> None:
    table = "|  |  |\n|---|---|\n| Model | OP-71 |\n| Flow | 48 l/min |\n"
    chunk = SourceChunk("c", "v", "d", "t", "s", "table", 0, table, 0, len(table))
    assert spoken_of(stated_in("What is the flow of the OP-71?"), sentences_of([chunk])) == [
        True,
        True,
    ]


def test_labels_and_values_under_empty_heads_are_a_form() -> None:
    table = "|  |  |  |  |\n|---|---|---|---|\n| 站长 | 卫青松 | 水源 | 地下水 |\n"
    assert said(table) == ["站长: 卫青松; 水源: 地下水"]
    assert said("|  |  |\n|---|---|\n| Flow | low |\n") == ["Flow: low"]
    assert said("|  |  |\n|---|---|\n| Data |\n| Flow | low |\n") == ["Data", "Flow: low"]
    assert said("|  |  |\n|---|---|\n| 3 | low |\n") == ["3 | low"]


def test_labels_of_two_columns_are_known_by_their_words_or_their_colons() -> None:
    table = "| 订单编号 | PO-2231 |\n| 客户 | 江宁公司 |\n| 备注 | 加急 |"
    assert form_text(table) == ["订单编号: PO-2231", "客户: 江宁公司", "备注: 加急"]
    assert form_text("| Berth: | 4 |\n| Keel: | oak |") == ["Berth: 4", "Keel: oak"]


@pytest.mark.parametrize(
    ("table", "first"),
    [
        ("| 姓名 | 张三 |\n| 电话 | 025-1234 |\n| 邮箱 | a@b.cn |", "姓名: 张三"),
        ("| 姓名 | 张三 | 性别 | 男 |\n| 籍贯 | 浙江 | 血型 | O |", "姓名: 张三; 性别: 男"),
        ("| 申请人 | 张三 |\n| 人数 | 5 人 |\n| 周期 | 3 天 |", "申请人: 张三"),
        ("| 合同总额 | 五万元 |\n| 甲方 | 江宁 |\n| 乙方 | 浦口 |", "合同总额: 五万元"),
        ("| Date | 3 May |\n| Place | Leeds |\n| Chair | Ann |\n| Total | 4 |", "Date: 3 May"),
        ("| Customer | Acme |\n| Amount | 500 EUR |\n| Total | 500 EUR |", "Customer: Acme"),
        ("| Customer | Acme |\n| Amount | 500 EUR |\n| VAT | 95 EUR |", "Customer: Acme"),
        ("| Name | Anna Berg |\n| Date | 12 May |", "Name: Anna Berg"),
        ("| 客户 | 华信公司 |\n| 金额 | 500 元 |\n| 合计 | 500 元 |", "客户: 华信公司"),
        ("| 申请人 | 王芳 |\n| 日期 | 5 月 |", "申请人: 王芳"),
        ("| Name: | Ann |\n| Total | 4 |\n| Age | 30 |", "Name: Ann"),
    ],
)
def test_small_forms_are_read_as_such(table: str, first: str) -> None:
    found = form_text(table)
    assert found and found[0] == first


def test_labels_spread_by_blanks_groups_and_values_that_go_on() -> None:
    table = """
| 申请信息 | 姓　名 | 何雨桐 | 性 别 | 女 | 照片 |
| | 联系电话 | 138-0000-1234 | 血型 | O | |
| 工作经历 | 2021 年起任助理工程师， | | | | |
| | 负责预报模型的率定。 | | | | |
| 成员 | 姓名 | 职称 | 单位 | 分工 | 签名 |
| | 陈怀远 | 教授 | 江宁大学 | 总体设计 | |
"""
    assert form_text(table) == [
        "申请信息 — 姓名: 何雨桐; 性别: 女",
        "联系电话: 138-0000-1234; 血型: O",
        "工作经历: 2021 年起任助理工程师，",
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    "table",
    [
        "| 姓名 | 部门 | 职务 | 籍贯 |\n| 张三 | 财务 | 主任 | 浙江 |",
        "| 编号 | 事项 | 责任人 | 截止日期 |\n| A-01 | 发出通知 | 李敏 | 7 月 20 日 |",
        "| 项目 | 甲 | 乙 | 丙 |\n| 地点 | 北京 | 上海 | 广州 |\n| 时间 | 三天 | 五天 | 六天 |",
        "| 项目 | 保修 |\n| 时间 | 三年 |\n| 地点 | 上门 |",
        "| 部件 | 质保期 |\n| 机械密封 | 6 个月 |",
        "| 时间 | 节次 | 星期一 | 星期二 |\n| 上午 | 一二节 | 高等数学 | 水力学 |",
        "| Name | Department | Extension | Mobile |\n| Ann Moss | Survey | 2100 | 07700 900001 |",
        "| Field | Example |\n| Name | Ann |\n| Phone | 2100 |",
        "| Assets | 2025-12-31 | Change | 2024-12-31 |\n| Cash | 1,234 | 2% | 1,210 |",
        "| Payee | Purpose | Net | VAT |\n| Clerk | Salary | 412.16 | – |",
        "| 部门 | 预算额度 |\n| 销售部 | 5 万元 |\n| 市场部 | 3 万元 |\n| 合计 | 8 万元 |",
        "| Department | Budget |\n| Sales | 500 |\n| Total | 900 |",
        "| Name | Hours | Department | Rank |\n| Anna | 90 | Sales | 3 |\n| Total | 90 | all | 0 |",
        "| Customer | Revenue |\n| Acme | 500 |\n| Total | 900 |",
        "| Name | Cost |\n| Phone | 20 EUR |\n| Address | 30 EUR |\n| Total | 50 EUR |",
        "| Category | Expenditure |\n| Salary | 500 |\n| Total | 900 |",
        "| Buyer | Acme |\n| Delivery | Acme |",
        "| 客户 | 级别 |\n| 华信公司 | 一 |\n| 合计 | 1 |",
        "| Type | Max load |\n| Period | 3 |\n| Weight | 4 |",
        "| 部门 | 一季度 |\n| 销售 | 5 |\n| 总额 | 9 |",
        "| Price | Small |\n| Total | 1 |\n| x | y |",
        "| 项目 | A-100 | 说明 | B-200 |\n| 流量 | 5 | 低 | 6 |",
        "| 部门 | 2024 | 变化 | 2025 |\n| 销售 | 5 | 增 | 6 |",
        "| 部门 | FY2024 | 变化 | FY2025 |\n| 销售 | 5 | 增 | 6 |",
        "| 指标 | Q1 | 变化 | Q2 |\n| 收入 | 5 | 增 | 6 |",
        "| 水泵 | OP-71 |\n| 流量 | 48 |",
        "| 型号 | CP-80 |\n| 北京 | 20 台 |\n| 上海 | 30 台 |",
        "| 岗位 | 月薪 |\n| 技术人员 | 8000 元 |\n| 管理人员 | 9000 元 |",
    ],
)
def test_a_table_with_heads_is_no_form(table: str) -> None:
    assert form_text(table) is None


def test_a_row_whose_first_cell_is_empty_stands_under_its_heads() -> None:
    table = "| 时间 | 节次 | 星期一 | 星期二 |\n|---|---|---|---|\n| | 1-2 节 | | 水力学 |"
    assert said(table) == ["节次: 1-2 节; 星期二: 水力学"]
