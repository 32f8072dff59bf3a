"""English verbs whose forms no stemmer brings together: who wrote what was written by someone."""

from __future__ import annotations

from collections.abc import Iterable

#: The forms of each verb as the analysis leaves them (stems), the one that stands for all first.
#: Left out are past forms that are another word as well (born, found, led, left, saw, shot, spoke,
#: stole), "ring", which is most often the thing, and verbs that say little of what is done: get,
#: make, send. Kept is "won", far more often the verb than the money.
_VERBS = """
aris aros arisen|awak awok awoken|begin began begun|bite bitten|blow blew blown
break broke broken|build built|burn burnt|buy bought|catch caught|choos chose chosen|deal dealt
dig dug|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|feed fed|fight fought
fli flew flown|forbid forbad forbidden|forget forgot forgotten|forgiv forgav forgiven
freez froze frozen|give gave given|grow grew grown|hide hid hidden|learn learnt|lose lost
prove proven|rebuild rebuilt|rewrit rewrot rewritten|ride rode ridden|seek sought
sell sold|shake shook shaken|shrink shrank shrunk|sing sang sung|sink sank sunk
sleep slept|speak spoken|spin spun|steal stolen|strike struck|swear swore sworn
sweep swept|swim swam swum|take took taken|teach taught|throw threw thrown|understand understood
undertak undertook undertaken|wake woke woken|wear wore worn|weav wove woven|win won
withdraw withdrew withdrawn|write wrote written
"""
#: The verbs, each by all its forms.
VERBS = tuple(
    tuple(forms.split()) for line in _VERBS.split("\n") for forms in line.split("|") if forms
)
_BASE = {form: forms[0] for forms in VERBS for form in forms}
_FORMS = {forms[0]: forms for forms in VERBS}


def base_forms(tokens: Iterable[str]) -> list[str]:
    """Tokens, those that are forms of a verb as the one that stands for all of them."""
    return [_BASE.get(token, token) for token in tokens]


def forms_of(token: str) -> tuple[str, ...]:
    """What an index may hold in the place of a token that :func:`base_forms` gives."""
    return _FORMS.get(token, (token,))
