"""Superscripts, subscripts and formulas as text that reads right without their look.

``10<sup>6</sup>`` is ``10^6``, never ``106``. What stands raised or lowered is put between marks
while a line is written, and :func:`settled` decides on its form when all of the line is known.
"""

from __future__ import annotations

import re
from itertools import cycle

from rag_assets.loading.html.tree import Element, flat

#: Characters that are none in any text (Unicode, 23.7).
_SUP, _SUB, _END = "\ufdd0", "\ufdd1", "\ufdd2"
_BEGINS = {"sup": _SUP, "sub": _SUB}
_SHIFTED = re.compile(f"([{_SUP}{_SUB}])([^{_SUP}{_SUB}{_END}]+){_END}")
_MARKS = re.compile(f"[{_SUP}{_SUB}{_END}]")
#: Text of a link that has brackets of its own, which would make it a wiki link; and such a link.
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")
_NOTE = re.compile(r"\[\\\[([^\[\]]+)\\\]\](?=\()")
#: Brackets that are escaped to begin no wiki link; those that close them would end the link.
_NO_WIKI = "\\[["
_BARE = re.compile(r"(?<!\\)[\[\]]")
#: Needs no brackets to be seen as one thing.
_ONE = re.compile(r"[-+−]?\w+[-+−]?|\W?")
#: Raised for looks: ``1st`` and its like in French, and signs of a trade.
_ENDINGS = frozenset(["st", "nd", "rd", "th", "er", "re", "ère", "eme", "ème", "tm", "sm"])
#: Marks of Markdown between a shifted text and the character it would be glued to.
_BETWEEN = "*`[\\"

_TEX_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle|scriptstyle)\b\s*(.*)\}", re.DOTALL)
#: What kramdown writes around TeX, for the readers of XHTML.
_CDATA = re.compile(r"%?\s*<!\[CDATA\[|%?\s*\]\]>")
#: Operators a formula does not show, such as that of ``2 x``.
_UNSEEN = re.compile("[\u2061-\u2064]")
#: What stands between the operands of an element of MathML.
_JOINTS = {
    "msup": "^",
    "mover": "^",
    "msub": "_",
    "munder": "_",
    "msubsup": "_^",
    "munderover": "_^",
    "mfrac": "/",
}
#: Those of ``mmultiscripts``: pairs of a lowered and a raised one, before the base behind this.
_PRESCRIPTS = "mprescripts"


def shifted(tag: str, text: str) -> str:
    """``text`` between marks when ``tag`` is ``sup`` or ``sub``."""
    begin = _BEGINS.get(tag)
    return f"{begin}{settled(text)}{_END}" if begin and text else text


def linked(core: str, target: str) -> str:
    """A link of Markdown. Where all of its text is raised or lowered, the whole link is."""
    whole = _SHIFTED.fullmatch(core)
    text = whole[2] if whole else core
    if inner := _BRACKETED.fullmatch(text):
        text = f"\\[{inner[1]}\\]"
    elif _NO_WIKI in text:
        text = _BARE.sub(r"\\\g<0>", text)
    return f"{whole[1]}[{text}]({target}){_END}" if whole else f"[{text}]({target})"


def settled(text: str) -> str:
    """``text`` with its raised and lowered parts in their final form."""
    if _END not in text:
        return text
    return _MARKS.sub("", _SHIFTED.sub(_settle, text))


def _settle(found: re.Match[str]) -> str:
    # A raised link shows without brackets what it is.
    text, line = _NOTE.sub(r"[\1]", found[2]), found.string
    before = line[max(found.start() - 1, 0) : found.start()]
    after = line[found.end() : found.end() + 8].lstrip(_BETWEEN)[:1]
    gap = " " if after.isalnum() else ""
    if not before or before.isspace() or before in "([{":
        return text + gap
    if text[0] in "[(!":
        # A link, which is a footnote's, or brackets of its own.
        return f" {text}{gap}"
    if found[1] == _SUP:
        mark, plain = "^", not gap and text.lower() in _ENDINGS
    else:
        mark, plain = "_", text.isdecimal() and before.isalpha() and not after.isdecimal()
    if plain or not any(map(str.isalnum, text)):
        return text
    return mark + (text if not gap and _ONE.fullmatch(text) else f"({text})")


def formula(element: Element) -> str:
    """A ``<math>`` on one line: the TeX or the words it comes with, else its text."""
    text = element.given.get("alttext", "").strip() or _tex(element) or _mathml(element)
    if style := _TEX_STYLE.fullmatch(text.strip()):
        text = style[1]
    return flat(_MARKS.sub("", text))


def tex_script(element: Element) -> str:
    """A script of MathJax 2 as TeX between dollars."""
    text = "".join(child for child in element.children if isinstance(child, str))
    tex = flat(_CDATA.sub("", text))
    mark = "$$" if "mode=display" in element.given.get("type", "").replace(" ", "") else "$"
    return f"{mark}{tex}{mark}" if tex else ""


def _tex(element: Element) -> str:
    for child in element.children:
        if isinstance(child, Element):
            if child.tag == "annotation" and child.given.get("encoding") == "application/x-tex":
                return "".join(part for part in child.children if isinstance(part, str)).strip()
            if found := _tex(child):
                return found
    return ""


def _mathml(element: Element) -> str:
    if element.tag in ("annotation", "annotation-xml"):
        return ""
    parts: list[str] = []
    operands: list[str] = []
    for child in element.children:
        text = _UNSEEN.sub(" ", child.strip() if isinstance(child, str) else _mathml(child))
        parts.append(text)
        if isinstance(child, Element):
            operands.append(flat(text) if _is_fenced(child) else _operand(text))
    if (joints := _JOINTS.get(element.tag)) and operands:
        rest = zip(joints, operands[1:], strict=False)
        return operands[0] + "".join(joint + operand for joint, operand in rest)
    if element.tag == "mmultiscripts" and operands:
        return _multiscripts(element, operands)
    if element.tag == "mfenced":
        return _fenced(element.given, [p for p in parts if p.strip()])
    if element.tag == "mroot" and len(operands) == 2:
        return f"{operands[0]}^(1/{operands[1]})"
    if element.tag == "msqrt":
        return "√" + _operand("".join(parts))
    text = "".join(parts)
    return f" {text} " if element.tag in ("mtext", "mtd", "mtr") else text


def _is_fenced(element: Element) -> bool:
    """Whether brackets are drawn on both sides; an empty one stands for none."""
    drawn = (element.given.get(side, "(").strip() for side in ("open", "close"))
    return element.tag == "mfenced" and all(drawn)


def _fenced(given: dict[str, str], parts: list[str]) -> str:
    """Parts between brackets; the last separator stands between all that have none."""
    separators = "".join(given.get("separators", ",").split())
    joined = "".join(
        part + (separators[min(at, len(separators) - 1)] if separators else "")
        for at, part in enumerate(parts[:-1])
    )
    return given.get("open", "(") + joined + "".join(parts[-1:]) + given.get("close", ")")


def _multiscripts(element: Element, operands: list[str]) -> str:
    """A base with its scripts, those that stand before it first: ``_6^14 C``."""
    tags = [child.tag for child in element.children if isinstance(child, Element)]
    until = tags.index(_PRESCRIPTS) if _PRESCRIPTS in tags else len(tags)
    behind, before = (
        "".join(m + text for m, text in zip(cycle("_^"), scripts, strict=False) if text)
        for scripts in (operands[1:until], operands[until + 1 :])
    )
    return (before and f"{before} ") + operands[0] + behind


def _operand(text: str) -> str:
    text = flat(text)
    return text if _ONE.fullmatch(text) else f"({text})"
