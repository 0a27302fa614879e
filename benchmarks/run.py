"""Run every benchmark of this folder, one after the other: `python benchmarks/run.py [NAME …]`.

Each prints ratios against its peers from one process and checks that the answers agree; a disagreement ends it with 1.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    """Run the named benchmarks (all without names) and return the worst exit code."""
    scripts = sorted(HERE.glob("bench_*.py"))
    wanted = [script for script in scripts if not names or script.stem.removeprefix("bench_") in names]
    if not wanted:
        known = ", ".join(script.stem.removeprefix("bench_") for script in scripts)
        sys.exit(f"no such benchmark; there are {known}")
    worst = 0
    for script in wanted:
        print(f"== {script.stem}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, str(script)], check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
