"""Words that carry nothing to look for, in both languages, as the analysis leaves them (stems)."""

from __future__ import annotations

from rag_query.text.matching import QUESTION_WORDS

_ASKING = """
哪一年 何 是 的 了 在 有 和 与 或 还是 被 把 从 到 于 对 由 以 为 及 这 那 其 该 它 他 她 们 吧 啊
请 请问 一下 一个 这个 那个 这道 这份 道 个 是否 是不是 可以 需要 应该 主要 进行 叫 叫做 称为 之 而
并 也 都 就 还 又 很 时候 名 位 所 会 能 要 去 用 做 放 里 告诉 我 我们 你 您 给 按 按照 a an the of
to in on at for by with from as is are was were be been do does has have had ha why many mani much
and or that this thi these those it its can could will would should may might there their they you
your i we me my about into than then if so such not no what's s please pleas tell use used wa onli
怎么办 不想 不让 让 再 之后 时 起来 下来 下去
"""
_JOINING = """
的 了 在 是 和 与 或 并 且 而 则 就 也 都 还 后 前 时 中 上 下 里 再 然后 接着 最后 首先 其次
即可 可以 需要 需 应 要 会 将 把 被 用 由 从 到 于 对 为 以 及 等 这 那 该 其 它 个 一 一个 之
所 进行 使 a an the of to in on at for by with from as is are was were be been it its this thi
that these those and or but then so also which who can may will must should has have had do doe
did into onto than when while after befor if there their they you your
"""
_CHOOSING = """
的 那 这 个 种 道 款 吧 呢 就 选 要 我 版本 版 做法 怎么 如何 做 the one a an recipe recip
please pleas i want
"""

#: Words that ask; a question's content is the rest.
ASKING = QUESTION_WORDS.union(_ASKING.split())
#: Words that join others and may stand anywhere in a sentence.
JOINING = frozenset(_JOINING.split())
#: Words of a reply that chooses; the rest names what is chosen.
CHOOSING = frozenset(_CHOOSING.split())
