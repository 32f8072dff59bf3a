"""``make demo``: the samples become a library, which answers in English and in Chinese.

Runs the same commands a person would type, and prints each before its output.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

SAMPLES = "data/samples"
COMMANDS = (
    ["ingest", SAMPLES],
    ["query", "At which wind speed is the radar shutter closed?", "--top-k", "2"],
    ["query", "数据上传失败怎么办？", "--top-k", "2"],
)


def main() -> int:
    """Run the commands; the exit code is that of the first that fails."""
    began = time.perf_counter()
    excerpta = Path(sys.executable).with_name("excerpta")
    for arguments in COMMANDS:
        print(f"\n$ excerpta {shlex.join(arguments)}", flush=True)
        code = subprocess.run([excerpta, *arguments], check=False).returncode
        if code:
            return code
    print(f"\nDone in {time.perf_counter() - began:.1f} s. Next: `excerpta ui`, or README.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
