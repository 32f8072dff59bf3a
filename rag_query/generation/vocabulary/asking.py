"""The words a question only asks with (报销时限是多久, "how often"): no answer holds them."""

from __future__ import annotations

import re

from rag_query.generation.vocabulary.how_often import without_once

#: What 多 asks for, each with the characters before which the two begin another word.
_DEGREES = (
    "大(?![学型陆家使])|长(?![江城])|高(?![级校层中速])|久|重(?![试要复建新])|远|宽(?!带)"
    "|深(?![圳度])|厚|快|热(?!带)|冷"
)
#: What is counted, likewise.
_MEASURES = (
    "个(?:半?月|小时|钟头|星期|(?:工作|自然)日)?|天(?![然气津])|日(?![本元期])|次|年(?![轻龄级度代薪])|月|岁|周(?!年)"
    "|小时|分贝|分钟?(?![部公校贝])|秒|点钟?(?!心)|号(?:楼|院|线)?|人(?![口员民才物工类士])|位(?!置)|名(?![额字单称词])|台(?![湾阶])"
    "|件|条(?![件款例])|本(?![科地])|页|步(?!骤)|层(?!次)|元|块|米|公里|千米|公斤|千克|克|斤|吨|升|度|种(?![类子族植])"
    "|类(?![型别])|项(?!目)|份(?!额)|张|段(?!落)|倍|届|轮|场(?![地所馆])|只|头|艘|架|辆|家(?![庭具长])|座|部(?![分门队])"
    "|片|根|支(?!出)|折|等(?:座|舱|奖)?"
)
#: The verb before them is taken along: 质保期是多久 is cut into 质保, 期是 and 多久.
_CHINESE = re.compile(
    r"最[多少](?!数)|至[多少]|(?:是|为|叫)(?=什么|谁|哪)"
    r"|(?:是|有|为|需要|(?<![主重必首只])要)?(?:最[长短高低大小快慢早晚迟])?"
    rf"(?:多(?:{_DEGREES})的?(?:时间)?|多少(?:钱|万?亿?(?:{_MEASURES}))?"
    rf"|(?<!茶)第?几(?:{_MEASURES}))(?:[之以]?[内前后])?"
)
#: Parts of speech, as jieba's dictionary marks them: nouns, verbs that are nouns, short forms.
_NOUNS = ("n", "vn", "j")
_ADVERBS = frozenset(("一共", "总共", "共计", "合计", "大约", "大概", "平均", "目前", "现在"))
#: What ends a question, joined by the cutter with the word before it: 起付线呢 into 起付 and 线呢.
_ENDS = re.compile(r"[呢吗吧](?=\W*$)")
_ENGLISH = re.compile(
    r"\bhow\s+(?:many|much|long|old|far|tall|often|large|big|high|deep|wide|thick|fast|soon|heavy"
    r"|hot|cold)\b|\bat\s+(?:most|least)\b"
    # Behind these they are no name: git get, Go.
    r"|\b(?:I|we|you|to|not)\s+(?-i:get\s+rid\s+of|get|go)\b(?![-./])",
    re.IGNORECASE,
)
_ASKED_VERB = re.compile(
    r"^(.*\b(?:do|does|did|may|can|must|should|will|would)\b.*)"
    r"\b(?:mean|need|take|last|get)\b(\W*)$",
    re.IGNORECASE | re.DOTALL,
)

#: "What are the two main ways", 有哪两种方法: how many there are, and nouns for whatever answers.
_WHICHEVER = re.compile(
    r"\b(?:what|which)\s+(?:(?:is|are|was|were)\s+)?(?:(?:the|some|an?)\s+)?"
    r"(?:(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)\s+)?"
    r"(?:(?:main|key|major|primary|different|various|important|specific|common|possible)\s+)*"
    r"(?:(?:type|kind|sort|way|thing|step|method|example|name|term|difference)s?\b(?:\s+of\b)?)?"
    r"|(?:什么|哪些|[哪几][一两二三四五六七八九十几]?[种个类]|哪[两二三四五六七八九十])"
    r"(?:主要|关键|重要|不同|具体)?的?"
    r"(?:方法|方式|办法|步骤|种类|类型|类别|区别|意思|含义|例子|东西|事情?(?![故业件实务]))?",
    re.IGNORECASE,
)
#: Phrases that speak of what is asked, not of what it is about.
_ABOUT = re.compile(
    r"\bin terms of\b|\baccording to (?:the|this|your) (?-i:[a-z]+)\b"
    r"|\bmentioned in (?:the|this) (?:document(?:ation)?|text|passage)\b"
    r"|(?:根据|按照?)(?:本|该|这[份篇]?)?(?:文档|文件|文章|材料|资料)的?(?:说明|描述|内容)?",
    re.IGNORECASE,
)
#: That a code comes up, which a table of codes says of none of them: "when E02 is shown".
_COMES_UP = re.compile(
    r"\b(?:happens?|occurs?|appears?|(?:comes?|pops?|shows?|lights?)\s+up)\b"
    r"|\b(?:is|are|was|were|being|gets?)\s+(?:shown|displayed|indicated)\b|出现|显示(?!屏)|发生",
    re.IGNORECASE,
)
#: When, where, why or how often it does; then the sentence that says that it does is looked for.
_ASKS_COMING_UP = re.compile(
    r"^\W*(?:when|where|why|how)\b|\b(?:which|what)\s+(?:day|date|time|season|month|year|place|screen)\b"
    r"|什么(?:时候|地方|季节|日子)|何时|为什么|为何|原因|哪|几[次号月点]",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\bor\b|还是|或", re.IGNORECASE)


def offers_choice(question: str) -> bool:
    """Whether a question names what may answer it itself (tea or coffee, 茶还是咖啡)."""
    return _CHOICE.search(question) is not None


def without_counting(text: str) -> str:
    """A question, blanks where it says of what kind and how many the things are that answer it."""
    return _WHICHEVER.sub(" ", text)


def without_coming_up(text: str) -> str:
    """A question about a code, blanks where it says that it is shown; as it is where it asks when,
    where or why that is."""
    return text if _ASKS_COMING_UP.search(text) else _COMES_UP.sub(" ", text)


def without_asking(text: str) -> str:
    """A question, blanks where it only asks."""
    text = _CHINESE.sub(" ", without_once(_ENDS.sub(" ", text)))
    return _ASKED_VERB.sub(r"\1 \2", _ENGLISH.sub(" ", without_counting(_ABOUT.sub(" ", text))))


def compound_before(text: str) -> tuple[str, str]:
    """The nouns in a row right before the Chinese words that ask how many, the last of them apart:
    病假 and 工资 of 病假工资按多少发放. Empty where there are none, or one alone."""
    found = [match for match in _CHINESE.finditer(text) if "多" in match[0] or "几" in match[0]]
    if not found:
        return "", ""
    import rjieba

    nouns: list[str] = []
    for word, flag in reversed(rjieba.tag(text[: found[-1].start()])):
        if word in _ADVERBS:
            continue
        if flag.startswith(_NOUNS):
            nouns.insert(0, word)
        elif nouns or not flag.startswith("p"):
            break
    return ("".join(nouns[:-1]), nouns[-1]) if len(nouns) > 1 else ("", "")
