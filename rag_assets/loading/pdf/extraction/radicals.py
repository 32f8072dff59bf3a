"""Ideographs that a PDF says as radicals.

Where one glyph serves both, programs that map glyphs back to characters (Qt, Quartz) may find the
radical first: "人⺠政府" looks like "人民政府" and is not found by it.
"""

from __future__ import annotations

import re
import unicodedata

#: The radicals of U+2E80-2EFF and the ideographs they are forms of: the property
#: Equivalent_Unified_Ideograph of the Unicode Character Database, version 14.0
#: (EquivalentUnifiedIdeograph.txt).
_SUPPLEMENT = (
    "⺁⺂⺃⺄⺅⺆⺇⺈⺉⺊⺋⺌⺍⺎⺏⺐⺑⺒⺓⺔⺕⺖⺗⺘⺙⺛⺜⺝⺞⺟⺠⺡⺢⺣⺤⺥⺦⺧⺨⺩⺪⺫⺬⺭⺮⺯⺰⺱⺲⺳⺴⺵⺶⺷⺸⺹⺺"
    "⺻⺼⺽⺾⺿⻀⻁⻂⻃⻄⻅⻆⻇⻈⻉⻊⻋⻌⻍⻎⻏⻐⻑⻒⻓⻔⻕⻖⻗⻘⻙⻚⻛⻜⻝⻞⻟⻠⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲⻳",
    "厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵旡日月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀"
    "聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟",
)
#: Those of U+2F00-2FD5 are compatibility characters of theirs.
_KANGXI = [chr(radical) for radical in range(0x2F00, 0x2FD6)]
_IDEOGRAPHS = {
    radical.encode(): ideograph.encode()
    for radicals, ideographs in (
        _SUPPLEMENT,
        (_KANGXI, [unicodedata.normalize("NFKC", radical) for radical in _KANGXI]),
    )
    for radical, ideograph in zip(radicals, ideographs, strict=True)
}
_RADICAL = re.compile(rb"\xe2[\xba-\xbf][\x80-\xbf]")


def as_ideographs(text: bytes) -> bytes:
    """UTF-8 with an ideograph for each radical; as many characters as before."""
    if text.isascii() or _RADICAL.search(text) is None:
        return text
    return _RADICAL.sub(lambda found: _IDEOGRAPHS.get(found[0], found[0]), text)
