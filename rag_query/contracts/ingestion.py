"""What whoever takes documents in may ask of a run."""

from __future__ import annotations

from typing import Literal

#: What becomes of a file whose bytes the library holds (DEV_SPEC 3.1.1): nothing, or another
#: version of its document, which is parsed again.
VersionPolicy = Literal["skip", "new_version"]
