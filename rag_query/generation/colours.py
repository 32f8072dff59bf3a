"""Colours, which only a colour answers. Both languages."""

from __future__ import annotations

import re

#: A question that asks for a colour.
ASKS_COLOUR = (
    r"(?:什么|哪[种个些]?|何种?)颜?色|颜色(?:是|为|有)?(?:什么|哪)|\b(?:what|which) colou?rs?\b"
)
_COLOUR = re.compile(
    r"[红橙黄绿青蓝紫黑白灰棕褐粉金银米]色|[红黄绿蓝紫黑白灰](?=[桶灯线字底旗章袋标牌衣帽])|无色|透明"
    r"|\b(?:red|orange|yellow|green|blue|purple|violet|black|white|gr[ae]y|brown|pink|golden|silver"
    r"|beige|cyan|magenta|turquoise|colou?rless|transparent)\b|#[\da-f]{6}\b",
    re.IGNORECASE,
)


def names_colour(text: str) -> bool:
    """Whether a text names a colour."""
    return _COLOUR.search(text) is not None
