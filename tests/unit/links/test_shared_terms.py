"""Links by shared terms, for those who ask for them."""

import subprocess
import sys


def test_a_process_that_makes_no_such_links_reads_no_dictionary() -> None:
    code = "import sys, rag_assets.providers; print('rjieba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
