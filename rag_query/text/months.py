"""The months in English."""

from __future__ import annotations

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
#: Any of them, whole or short; no group stands around them.
MONTH_PATTERN = "|".join([*MONTHS, "Sept", *(name[:3] for name in MONTHS if name != "May")])
