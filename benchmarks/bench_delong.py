"""DeLong's paired test against MLstatkit: same rows, same process, answers compared first.

    python benchmarks/bench_delong.py                    # 10 models of a million rows
    python benchmarks/bench_delong.py --rows 1e5 --models 4
    python benchmarks/bench_delong.py --check            # exit 1 if a promise is missed

Promised at a million rows: every two of ten models within 3 s, and a pair at least five times as fast as MLstatkit.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations

import numpy as np
from _timing import human, race

from thresher import kernel
from thresher.inference.auc.delong_rows import delong_contrast_test, delong_covariance
from thresher.inference.auc.tests import delong_pairwise_tests, delong_test

try:
    from MLstatkit import Delong_test
except ImportError:
    Delong_test = None

PROMISED_SECONDS, PROMISED_RATIO = 3.0, 5.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    n, k = int(options.rows), options.models
    truth = (rng.random(n) < 0.3).astype(np.uint8)
    shared = rng.normal(size=n)
    scores = {f"model {i}": 0.6 * shared + 0.8 * rng.normal(size=n) + (1 + i / 50) * truth for i in range(k)}
    a, b = list(scores.values())[:2]
    print(f"{n:,} rows, {k} models, kernel {kernel.implementation()}")

    contestants = {
        f"every two of {k} models": lambda: delong_pairwise_tests(truth, scores),
        f"covariance of {k} models": lambda: delong_covariance(truth, scores),
        f"{k} AUCs equal (contrasts)": lambda: delong_contrast_test(truth, scores),
        "one pair": lambda: delong_test(truth, a, b),
    }
    if Delong_test is not None:
        theirs = Delong_test(truth, a, b, return_ci=False, return_auc=False)
        ours = delong_test(truth, a, b)
        # Their z is signed the other way round.
        assert np.isclose(-theirs[0], ours.statistic, rtol=1e-6), (theirs, ours)
        contestants["one pair, MLstatkit"] = lambda: Delong_test(truth, a, b, return_ci=False, return_auc=False)
    times = race(contestants, seconds=20, most=5)
    for name, timing in times.items():
        print(f"  {name:<28} {human(timing.best):>9} best, {human(timing.median):>9} median of {timing.rounds}")
    every = times[f"every two of {k} models"].best
    kept = every < PROMISED_SECONDS
    per_pair = every / len(list(combinations(range(k), 2)))
    print(f"  a pair among {k} models costs {human(per_pair)}")
    if Delong_test is not None:
        peer = times["one pair, MLstatkit"].best
        print(
            f"  MLstatkit / one pair = {peer / times['one pair'].best:.1f}; / a pair among {k} = {peer / per_pair:.1f}"
        )
        kept &= peer / times["one pair"].best >= PROMISED_RATIO
    return 0 if kept or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())
