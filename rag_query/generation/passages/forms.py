"""Forms: tables whose rows are labels and values in turn, which have no heads.

Of a curriculum vitae, an application or the minutes of a meeting the first row is one like the
others ("会议时间 | 7 月 9 日 | 会议地点 | 三号会议室"): read as heads, it would say of a cell
below what is said of another. A row is read as its pairs ("会议时间: 7 月 9 日; 会议地点: …").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rag_query.generation.vocabulary.facts import han_names, latin_names

#: The last word of a label; the labels of whom and of what are too many to list.
_CHINESE = (
    "姓名 名称 品名 户名 书名 曾用名 性别 民族 籍贯 国籍 生日 年月 年龄 婚否 婚姻 学历 学位"
    " 专业 毕业院校 毕业学校 班级 学号 工号 职务 职称 职位 岗位 部门 科室 院系 单位 公司名 电话"
    " 手机 号码 传真 邮箱 邮件 邮编 微信 网址 地址 住址 地点 时间 日期 期限 周期 编号 代码 证号"
    " 账号 帐号 税号 开户行 开户银行 金额 总额 合计 总计 小计 单价 价格 价款 数量 人数 经费"
    " 预算 费用 币种 型号 规格 品牌 类型 类别 种类 性质 方式 用途 来源 状态 等级 级别 面貌 状况"
    " 主题 议题 议程 人员 成员 主席 签名 签字 签章 盖章 意见 备注 说明 描述 内容 事项 理由 原因"
    " 结果 结论 要求 目标 目的 背景 经历 履历 证书 技能 特长 爱好 评价 照片 信息 情况 简介 摘要"
    " 职责 主持人 记录人 负责人 责任人 联系人 申请人 经办人 审核人 审批人 批准人 委托人 收货人"
    " 发货人 收件人 寄件人 代表人 采购人 制表人 填表人 出席 缺席 列席 客户 供应商 买方 卖方"
    " 甲方 乙方 单号 卡号 示例 取值 含义 定义 作用"
)
_ENGLISH = (
    "name surname forename date time place venue location address phone telephone tel mobile fax"
    " email e-mail website nationality gender sex age position title department dept company"
    " organisation organization employer school degree grade major subject duties remark remarks"
    " note notes comment comments signature by customer client supplier vendor buyer seller"
    " delivery order invoice reference ref no\\. number id quantity qty price amount total currency"
    " payment terms status type category priority purpose reason description chair chairperson"
    " secretary attendees present apologies absent agenda meeting contact salary start end due"
    " deadline duration period model value meaning example default setting unit to"
)
_KNOWN = re.compile(
    rf"[\w/（）() ]{{0,6}}?(?:{'|'.join(_CHINESE.split())})(?:[（(][^（）()]{{1,12}}[)）])?"
    rf"|(?:[a-z'/-]+\s){{0,3}}?(?:{'|'.join(_ENGLISH.split())})(?:\sof(?:\s[a-z]+){{1,3}})?\.?",
    re.IGNORECASE,
)
#: The head of what a table is about, which asks for no value.
_IS_ABOUT = re.compile(
    r"项目|条目|字段|参数|指标|属性|序号|item|field|parameter|property|feature|attribute|key",
    re.IGNORECASE,
)
#: Labels whose values are names.
_OF_NAMES = re.compile(
    r".*(?:[姓户品]名|名称|客户|供应商|单位|公司名?|[买卖甲乙]方|[请系责办核批准托货件表购]人)"
    r"|(?:.*\s)?(?:name|customer|client|supplier|vendor|buyer|seller|company|organi[sz]ation"
    r"|employer|contact|chair(?:person)?|secretary)",
    re.IGNORECASE,
)
#: Heads of columns of numbers that are no labels.
_COUNTS = re.compile(
    r"(?:.*\s)?(?:budgets?|costs?|fees?|hours|staff|headcount|shares?|rates?|revenue|sales|balance"
    r"|capacity|load|points?|scores?|count|sum|turnover|spen(?:t|d|ding))",
    re.IGNORECASE,
)
_COMPANY = re.compile(r".*(?:公司|集团|大学|学院|医院|银行|研究[院所])")
#: No label is longer, holds a digit or ends a sentence.
_LABEL = re.compile(r"[^\d。；;！!？?]{1,24}")
#: What stands in no label and hardly in a head: times of day, dates, mail, money, long numbers.
_VALUE = re.compile(
    r"\d{1,2}[:：]\d{2}|\d{4}\s*[-./年]\s*\d{1,2}\s*[-./月]\s*\d{1,2}|\S@\S|[¥￥$€£]\s*\d|\d{5}"
    r"|\d{3,4}-\d{4}"
)
#: The number of a thing, but that of a year of business: PS-303, HYD3107, not FY2025.
_CODE = re.compile(
    r"(?!FY)(?=(?:\D*\d){2})(?=[\d./-]*[A-Z])[A-Z\d][A-Z\d./-]*", re.IGNORECASE | re.ASCII
)
#: Labels whose values are such numbers.
_OF_CODES = re.compile(
    r".*(?:编号|型号|代码|代号|货号|单号|证号)|(?:\w+\s)?(?:model|number|no\.?|id|code|reference)",
    re.IGNORECASE,
)
#: A number, alone or with what may be its unit: 2.5, 55 kW.
_MEASURED = re.compile(r"(?P<number>\d[\d.,]*)\s?(?P<unit>[^\s\d]{0,8})")
#: Rows that sum up the others stand in tables with heads as often as in forms.
_SUM = re.compile(r"合计|总计|小计|总额|总价|总数|总和|共计|\b(?:sub-?)?totals?\b", re.IGNORECASE)
#: A number with what stands around it.
_QUANTITY = re.compile(r"(\D{0,3}?)\d[\d.,]*\s?(\D{0,6})")
#: Blanks that spread the characters of a label: 姓　名.
_SPREAD = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")

_COLONS = (":", "：")

#: The cells of a row that say anything, each with its column.
_Said = list[tuple[int, str]]


class _Pair(NamedTuple):
    """``column`` is that of the label, whose word may be one that forms ask by; ``has_colon`` where
    it ends on one."""

    column: int
    label: str
    value: str
    is_known: bool
    has_colon: bool


@dataclass(frozen=True, slots=True)
class Form:
    """A table that is a form.

    Attributes:
        columns: those in which labels stand.
        code: the number of what it is of, where its first row gives one: PS-303; else empty.
    """

    columns: frozenset[int]
    code: str = ""

    def text(self, cells: Sequence[str]) -> str | None:
        """A row as its pairs; None of one that is none, such as the rest of a value."""
        said = _said(cells)
        pairs = _pairs(said, self.columns)
        if not pairs:
            return None
        first = _label(said[0][1])
        above = "" if pairs[0].label == first else f"{first} — "
        return above + "; ".join(f"{pair.label}: {pair.value}" for pair in pairs)


def form_of(rows: Sequence[Sequence[str]]) -> Form | None:
    """The form that the rows of a table are; None of a table with heads, and in doubt."""
    said = [row for row in map(_said, rows) if row]
    if not said or (any(rows[0]) and _IS_ABOUT.fullmatch(said[0][0][1])):
        return None
    if columns := _known_columns(said) or _turning_columns(said, rows[0]):
        return Form(columns, _code_of(said[0]))
    return None


def _known_columns(said: Sequence[_Said]) -> frozenset[int] | None:
    """The columns of labels, if the first row is pairs by words that forms ask by, and half of the
    rows are.

    A head may be such a word too. So there must be values in the first row that no head would be,
    or the rows below ask by such words themselves.
    """
    known = [_pairs(row, frozenset()) or () for row in said]
    columns = frozenset(pair.column for pairs in known for pair in pairs)
    read = [_pairs(row, columns) for row in said]
    first = read[0]
    if not first or 2 * sum(map(bool, read)) < len(said):
        return None
    below = [p for pairs in read[1:] for p in pairs or () if not _SUM.search(p.label)]
    in_first, in_others = (sum(pair.is_known for pair in pairs) for pairs in (first, below))
    words = in_first + in_others
    asks = in_first == len(first)
    if len(said) > 1:
        asks = min(in_first, in_others) > 0 and (
            _holds_value(first) or _mostly_known(below, first) or _is_of_one(first, below)
        )
    return columns if asks and words >= 2 and 2 * words >= len(first) + len(below) else None


def _holds_value(first: Sequence[_Pair]) -> bool:
    """Whether a first row holds what no row of heads does."""
    return any(_VALUE.search(pair.value) or pair.has_colon for pair in first)


def _mostly_known(below: Sequence[_Pair], first: Sequence[_Pair]) -> bool:
    """Whether the rows below the first ask by known words. Of two columns the first may hold such
    words below a head as well (技术人员, 管理人员), so more is asked of them."""
    known = sum(pair.is_known for pair in below)
    if len({pair.column for pair in (*first, *below)}) > 1:
        return 2 * known >= len(below)
    return known > 1 and 2 * known > len(below) and not _is_head(first[0].value, below)


def _is_of_one(first: Sequence[_Pair], below: Sequence[_Pair]) -> bool:
    """Whether a first row gives the name of what the rows below say something of, half of them by
    known words: Customer is Acme, and the amount is 500 euros."""
    name = first[0].value
    return (
        len(first) == 1
        and _OF_NAMES.fullmatch(first[0].label) is not None
        and _is_proper(name)
        and all(pair.value != name for pair in below)
        and 2 * sum(pair.is_known for pair in below) >= len(below)
    )


def _is_proper(cell: str) -> bool:
    if _COUNTS.fullmatch(cell):
        return False
    is_company = _COMPANY.fullmatch(cell) is not None
    return is_company or [cell] in (latin_names(cell, skip_first=False), han_names(cell, "nr"))


def _is_head(cell: str, below: Sequence[_Pair]) -> bool:
    """Whether a cell without a number stands above numbers of one unit alone."""
    found = [_QUANTITY.fullmatch(pair.value) for pair in below]
    units = {match.groups() if match else None for match in found}
    return len(units) == 1 and None not in units and not any(map(str.isdigit, cell))


def _turning_columns(said: Sequence[_Said], heads: Sequence[str]) -> frozenset[int] | None:
    """Every second column, if labels stand there alone, each once and before a value, and the row
    of heads is empty or holds values that no head would be."""
    if not any(heads):
        said = [row for row in said if len(row) > 1]  # One alone is the title of those below.
    labels = [cell for row in said for at, cell in row if at % 2 == 0]
    alternate = all([at % 2 for at, _ in row] == [0, 1] * (len(row) // 2) for row in said)
    each_once = 0 < len(set(labels)) == len(labels)
    if not (alternate and each_once and all(map(_LABEL.fullmatch, labels))):
        return None
    told = not any(heads) or (len(said) > 1 and _are_values(said[0], len(heads)))
    if any(heads) and len(heads) < 4 and _of_one_unit([row[1][1] for row in said[1:]]):
        return None  # How many there are of the thing, town by town.
    return frozenset(range(0, len(heads), 2)) if told else None


def _of_one_unit(values: Sequence[str]) -> bool:
    found = [_QUANTITY.fullmatch(value) for value in values]
    units = {match.groups() if match else None for match in found}
    return len(units) == 1 and None not in units


def _code_of(first: _Said) -> str:
    turns = pairwise(first)
    told = (value for (_, label), (_, value) in turns if _OF_CODES.fullmatch(_label(label)))
    return next(filter(_CODE.fullmatch, told), "")


def _are_values(first: _Said, width: int) -> bool:
    """Whether the cells between the labels of a first row are no heads. Below one of two columns
    stands what is said of it, unless it is the number of a thing and so called."""
    values = [cell for at, cell in first if at % 2]
    if width < 4:
        return _OF_CODES.fullmatch(first[0][1]) is not None and all(map(_CODE.fullmatch, values))
    if any(map(_VALUE.search, values)):
        return True
    measured = [_MEASURED.fullmatch(cell) for cell in values]
    coded = [_CODE.fullmatch(cell) is not None for cell in values]
    # Bare numbers may be years or the numbers of what stands below.
    says = any(m["unit"] or not m["number"].isdigit() for m in measured if m) or any(coded)
    return says and all(m or is_code for m, is_code in zip(measured, coded, strict=True))


def _pairs(said: _Said, columns: frozenset[int]) -> list[_Pair] | None:
    """The labels of a row with their values; None where they do not stand in turn.

    A label before another one says what all of the row is about; one without a value at the end
    says nothing.
    """
    known = [_is_known(cell) for _, cell in said]
    if not any(known) and said[0][0]:  # Goes on with a value, or is of a table inside.
        return None
    if known[:3] == [True, True, False]:
        said, known = said[1:], known[1:]
    if len(said) % 2 and known[-1]:
        said, known = said[:-1], known[:-1]
    if len(said) % 2 or any(known[1::2]):
        return None
    pairs = []
    for (at, cell), (_, value), is_known in zip(said[::2], said[1::2], known[::2], strict=True):
        if not is_known and (at not in columns or _LABEL.fullmatch(cell) is None):
            return None
        pairs.append(_Pair(at, _label(cell), value, is_known, cell.endswith(_COLONS)))
    return pairs


def _said(cells: Sequence[str]) -> _Said:
    return [(at, cell) for at, cell in enumerate(cells) if cell]


def _is_known(cell: str) -> bool:
    if _LABEL.fullmatch(cell) is None:
        return False
    return cell.endswith(_COLONS) or _KNOWN.fullmatch(_label(cell)) is not None


def _label(cell: str) -> str:
    return _SPREAD.sub("", cell).rstrip(":： ")
