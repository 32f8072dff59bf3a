"""Colours, which only a colour answers. Both languages."""

from __future__ import annotations

import re

#: A question that asks for a colour. 色温, 色号 and a colour space are none.
ASKS_COLOUR = (
    r"(?:什么|哪[种个些]?|何种?)颜?色(?![温彩域号差素谱])|颜色(?:是|为|有)?(?:什么|哪)"
    r"|\b(?:what|which) colou?rs?\b"
    r"(?!\s+(?:temperature|space|model|depth|code|scheme|profile|format)s?\b)"
)
_COLOUR = re.compile(
    r"[红橙黄绿青蓝紫黑白灰棕褐粉金银米]色|[红黄绿蓝紫黑白灰](?=[桶灯线字底旗章袋标牌衣帽])|无色|透明"
    # 珍珠白, 黄绿双色, 指示灯红表示故障, but not 明白 and 空白.
    r"|(?<![明空坦表独旁])[红橙黄绿青蓝紫黑白灰棕粉](?=\s*(?:$|[，。、；;,.!！)）双为是]|表示|代表))"
    r"|藏青|卡其|咖啡|米白"
    r"|\b(?:red|orange|yellow|green|blue|purple|violet|black|white|gr[ae]y|brown|pink|gold|golden"
    r"|silver|beige|cyan|magenta|turquoise|navy|cream|maroon|teal|burgundy|anthracite|ivory|amber"
    r"|lilac|olive|scarlet|crimson|indigo|khaki|RAL\s?\d{4}|colou?rless|transparent)\b"
    r"|#(?:[\da-f]{6}|(?=\d*[a-f])[\da-f]{3})\b",
    re.IGNORECASE,
)


def names_colour(text: str) -> bool:
    """Whether a text names a colour."""
    return _COLOUR.search(text) is not None
