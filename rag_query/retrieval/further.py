"""How far relational and associative queries go beyond what was asked, in one place.

Everything here is bounded, so that a wrong guess costs little: what follows a query's own legs
weighs a share of them, reaches a fixed number of chunks and searches a fixed number of terms.
"""

from __future__ import annotations

from collections.abc import Mapping

from rag_query.contracts.evidence import Leg

#: Hits a query sets out from.
SEEDS = 5
#: Share of the exact leg's weight (of the semantic one's for ``neighbours``) in fusion.
SHARES: Mapping[Leg, float] = {"links": 0.6, "expansion": 0.3, "neighbours": 0.3}

# relational
#: Steps of the walk, and what one step keeps of the strength it set out with.
HOPS = 2
DECAY = 0.6
#: Ways looked at from one chunk, and chunks the next hop sets out from.
MAX_WAYS = 64
MAX_FRONT = 64
#: Strength of a chunk the question names by title or heading, beside 1 for its best hit.
NAMED_STRENGTH = 1.0
MAX_ENTITIES = 8
#: Chunks with a word of the question in title or headings that are looked at for names.
NAMED_LOOKED_AT = 64

# associative
#: Terms added at most, of each source.
MAX_KEYWORDS = 5
MAX_RELEVANCE_TERMS = 5
MAX_VARIANTS = 3
#: Weight of a term all the hits have, beside 1 for a word of the question.
TERM_WEIGHT = 0.5
#: Weight of the hits' mean vector beside 1 for the question's own (Rocchio 1971).
FEEDBACK_WEIGHT = 0.5
