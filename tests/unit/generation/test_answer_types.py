"""What a question asks for, and whether a sentence holds such a thing."""

from __future__ import annotations

import pytest

from rag_query.generation.questions.question import read_question
from rag_query.generation.vocabulary.answer_types import (
    AnswerType,
    answer_type,
    asked_units,
    asks_who,
)
from rag_query.text.analysis import Analyzer

T = AnswerType
MONEY = {"yuan", "dollar", "euro", "sterling", "currency"}
MASSES = {"mg", "g", "kg", "jin", "oz", "lb", "t"}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was the gauge built?", T.DATE),
        ("The gauge was built when?", T.DATE),
        ("When cleaning the well, what must be closed?", T.OTHER),
        ("What helps when the gauge is wet?", T.OTHER),
        ("Is it closed when it rains?", T.YES_NO),
        ("Who may close the shutter?", T.PERSON),
        ("In 1953 who kept the station?", T.PERSON),
        ("How do people who dive breathe?", T.METHOD),
        ("Where does the gauge stand?", T.PLACE),
        ("What happens where the well is deep?", T.OTHER),
        ("How many hours does it take?", T.NUMBER),
        ("How heavy is the pump?", T.NUMBER),
        ("法网的开始时间？", T.DATE),
        ("比赛还剩多少时间？", T.NUMBER),
        ("哪几类恐龙属于新角龙类", T.OTHER),
        ("2022年英特尔全年营收", T.NUMBER),
        ("《四海》的导演", T.PERSON),
        ("零壹空间是谁创立的？", T.PERSON),
        ("EMNLP2022的举办地", T.PLACE),
        ("What does the pump weigh?", T.NUMBER),
        ("What did the pump cost in 2023?", T.NUMBER),
        ("What is the salary of a diver?", T.NUMBER),
        ("What is the price of the pole?", T.NUMBER),
        ("What is the weight of evidence?", T.OTHER),
        ("What was the cost of the war?", T.OTHER),
        ("What is the budget for?", T.OTHER),
        ("What does cost mean here?", T.OTHER),
        ("What is the reason for the price?", T.OTHER),
        ("What does cost accounting do?", T.OTHER),
        ("What is the price list?", T.OTHER),
        ("馆长叫什么名字？", T.PERSON),
        ("会议由哪一位主持？", T.PERSON),
        ("这个函数叫什么名字？", T.OTHER),
    ],
)
def test_what_is_asked_for(question: str, kind: AnswerType) -> None:
    assert answer_type(question) is kind


@pytest.mark.parametrize(
    ("question", "units"),
    [
        ("How many hours does it take?", {"h"}),
        ("How old is the gauge?", {"year"}),
        ("How many gauges are there?", set()),
        ("微软花了多少钱收购动视暴雪", MONEY),
        ("飞机上有多少人", {"person"}),
        ("2021年香港GDP增长了多少？", {"%"}),
        ("放多少冰糖？", set()),
        ("What does the pump cost?", MONEY | {"%"}),
        ("What does the pump weigh?", MASSES),
        ("How much does the pump cost?", MONEY | {"%"}),
        ("How much do guests pay?", MONEY | {"%"}),
        ("How much is the discount?", set()),
        ("体检费用是多少？", MONEY | {"%"}),
        ("票价是多少？", MONEY | {"%"}),
        ("办理要花费多少时间？", set()),
        ("How heavy is the pump?", MASSES),
        ("质保期是多久", {"ms", "s", "min", "h", "day", "week", "month", "year"}),
    ],
)
def test_the_unit_asked_for(question: str, units: set[str]) -> None:
    assert asked_units(question) == units


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Who is the chief financial officer?", True),
        ("Who is Ada's supervisor?", True),
        ("馆长叫什么名字？", True),
        ("研究室的负责人是谁？", True),
        ("Who is Ada Stern?", False),
        ("Who is allowed to dive?", False),
        ("王伟是谁？", False),
        ("约翰·史密斯是谁？", False),
        ("《云雀》是谁的作品？", False),
        ("Who is the handbook for?", False),
        ("这个函数叫什么名字？", False),
        ("哪一位数字错了？", False),
        ("When is it cleaned?", False),
    ],
)
def test_whether_a_name_tells_best(question: str, asked: bool) -> None:
    assert asks_who(question) is asked


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("零壹空间是谁创立的？", "零壹空间2015年8月成立，总部位于北京。", False),
        ("海底捞的新任首席执行官是谁？", "海底捞任命杨利娟为首席执行官。", True),
        ("首趟RCEP班列从哪里出发？", "首趟RCEP班列从南宁出发。", True),
        ("首趟RCEP班列从哪里出发？", "首趟RCEP班列运送了化肥。", False),
        ("飞机上有多少人？", "飞机于2022年5月11日失联。", False),
        ("飞机上有多少人？", "机上共有11人。", True),
        ("微软花了多少钱收购动视暴雪", "收购用了18个月。", False),
        ("微软花了多少钱收购动视暴雪", "微软以687亿美元收购动视暴雪。", True),
        ("How many hours does it take?", "It takes 3 hours.", True),
        ("How many hours does it take?", "It costs 3 dollars.", False),
        ("How far is the gate?", "Leave by gate 4 within 5 minutes.", False),
        ("How far is the gate?", "It is 5 miles off.", True),
        ("How heavy is the pump?", "12 pumps of type CP-80 at 900 dollars.", False),
        ("How old was Ada when she came?", "At age 39 she came.", True),
        ("How long did it last?", "It lasted thirty days.", True),
        ("How long did it last?", "It lasted half a day.", True),
        ("How long did it last?", "It failed from 09:42 to 11:17.", True),
        ("How often is it cleaned?", "It is cleaned 3 m deep.", False),
        ("How often is it cleaned?", "It is cleaned twice a year.", True),
        ("年假要提前几天申请", "须在 3 月 31 日之前申请。", False),
        ("年假要提前几天申请", "至少提前 3 个工作日申请。", True),
        ("How big is the greenhouse?", "Moved there on 19 May, above 10 °C.", False),
        ("How many retries are made?", "On 4xx and E4012 none is made.", False),
        ("Who keeps the gauge?", "In May the gauge is kept by Ada Stern.", True),
        ("Who keeps the gauge?", "the gauge is kept dry.", False),
        ("X3卖多少钱？", "X3的抗风等级达到6级。", False),
        ("X3卖多少钱？", "X3售价5999起。", True),
        ("几人受伤？", "2时17分发生事故，停电3小时。", False),
        ("What does the lamp cost?", "It is read every 10 minutes.", False),
        ("What does the lawyer cost?", "The lawyer costs 5% of the sum.", True),
        ("What does shipping cost?", "Shipping is free above 50 kg.", True),
        ("What does the pump weigh?", "It weighs 300 metric tons.", True),
        ("How heavy is the pump?", "It weighs 300 metric tons.", True),
        ("How heavy is the pump?", "It weighs 12 kilos.", True),
        ("How heavy is the seal?", "It weighs 3 ounces.", True),
        ("门票多少钱？", "成人 120，儿童 60。", True),
        ("停车多少钱？", "首小时 10，之后每小时 5。", True),
        ("多少钱包邮？", "满 199 包邮。", True),
        ("门票多少钱？", "每张 3000 日元。", True),
        ("门票多少钱？", "每张 200 港元。", True),
        ("门票多少钱？", "门票免费。", True),
        ("门票多少钱？", "6 岁以下儿童，免费入场。", True),
        ("门票多少钱？", "免费停车场在后面。", False),
        ("无糖拿铁多少钱？", "我们的免费停车场在后面。", False),
        ("免费停车场的洗车多少钱？", "洗车在免费停车场旁边。", False),
        ("What does the gluten-free bread cost?", "The gluten-free bread is baked alone.", False),
        ("What does the bread cost?", "The bread is free of nuts, parking is free.", False),
        ("What does the bread cost?", "Nothing can be baked without bread.", False),
        ("What does delivery cost?", "The delivery costs our members nothing.", True),
        ("What does delivery cost?", "Deliveries are free of charge.", True),
        ("What does delivery cost?", "Parcel delivery — Days: 3; Price: free", True),
        ("What does delivery cost?", "Feel free to ask for delivery.", False),
        ("What does delivery cost?", "It is free within the city.", True),
        ("What does it cost?", "Entry is free.", True),
        ("How much is coffee?", "Coffee is free.", True),
        ("How much are the drinks?", "The drinks are free of charge.", True),
        ("How much does coffee cost?", "Coffee is free.", True),
        ("How much coffee is left?", "Coffee is free.", False),
        ("体检费用是多少？", "体检免费。", True),
        ("寄存费是多少？", "寄存免费。", True),
        ("How much is delivery?", "Delivery is not free.", False),
        ("How much is delivery?", "Delivery isn't always free.", False),
        ("How much is delivery?", "Delivery is no longer free of charge.", False),
        ("How much is delivery?", "Delivery is not only free but quick.", True),
        ("How much is delivery?", "You are free to choose the delivery.", False),
        ("What does the entrance cost?", "Keep the entrance free.", False),
        ("What does the locker cost?", "Members keep a locker free of charge.", True),
        ("送货多少钱？", "送货不免费。", False),
        ("送货多少钱？", "送货不再免费。", False),
        ("咨询多少钱？", "咨询请拨打免费热线。", False),
        ("门票多少钱？", "开放 3 小时。", False),
        ("会议室能坐多少人？", "会议室可容纳 20 席。", True),
        ("多少人报名？", "报名 120 组。", True),
        ("会员优惠几折？", "3.5 折优惠仅限会员。", True),
        ("加班费是多少？", "1.5 倍工资支付加班费。", True),
        ("折旧年限是多少？", "3.5 折旧按直线法计算。", False),
        ("What does the lamp cost?", "Lamp — Price: 219", True),
        ("What does the lamp cost?", "LF-1040 Lamp 219.00", True),
        ("What does the lamp cost?", "The lamp is sold at 219 EUR.", True),
        ("实验室的负责人是谁？", "负责人：端木蓉。", True),
        ("谁是首位四分卫？", "培顿·曼宁是首位四分卫。", True),
        ("Who is the organiser?", "Clementine is the organiser.", True),
        ("馆长叫什么名字？", "假期由馆长审批。", False),
        ("Who keeps the gauge?", "On Fridays it is read at noon, in May twice.", False),
        ("Who keeps the gauge?", "Gauge 2 — Place: pier; Depth: 3 m", False),
        ("Who keeps the gauge?", "Gauge 2 — Place: pier; Keeper: Ada Stern", True),
        ("Where is the gauge?", "On Mondays from May to June.", False),
        ("Where is the gauge?", "On Mondays from May to June in Oslo.", True),
        ("Who is the speaker?", "The talk is given by Theresa May.", True),
        ("管理员是谁？", "周日 — 时间: 休息", False),
        ("管理员是谁？", "周日 — 管理员: 端木蓉", True),
        ("How many divers are there?", "Each diver is paid £900 from 7:30 to 17:00.", False),
        ("How many divers are there?", "The 2nd team came on 6 May 2025 for 30 minutes.", False),
        ("How many divers are there?", "In 1998 there were 12.", True),
        ("How many litres does it hold?", "It holds 40 litres.", True),
        ("How many calories does the soup have?", "250 g lentils", False),
        ("How many calories does the soup have?", "320 calories", True),
        ("站里有多少员工？", "每名员工有3000元经费，第2批自2025年3月起。", False),
        ("站里有多少员工？", "站里有42名员工。", True),
        ("阅览室有几张桌子？", "阅览室开放至21:00。", False),
        ("阅览室有几张桌子？", "阅览室有12张桌子。", True),
        ("How much do members pay?", "Date: 6 May 2025.", False),
        ("How much do members pay?", "Members pay 6 from May.", True),
        ("How long is the road?", "The road is finished at the end of August.", False),
        ("水泥路有多长？", "工程拨款26万元，预计8月底完工。", False),
        ("水泥路有多长？", "水泥路全长3公里。", True),
        ("How long is the pool open?", "The pool is open until 18:00.", True),
        ("花期有多久？", "花期1-3月。", True),
        ("余蔚何时任太傅？", "396年五月初九，慕容宝任命余蔚为太傅。", True),
    ],
)
def test_whether_a_sentence_holds_it(
    analyzer: Analyzer, question: str, text: str, held: bool
) -> None:
    asked = read_question(question, analyzer, lambda _: 5, 1000)
    assert asked.holds_type(text) is held
