"""Coverage of the 95 % intervals of a mean over few sites, and of those for a site to come.

    python benchmarks/coverage_sites.py                 # a minute; standard error 0.2

Values of sites are normal about 0 with the deviation τ, each measured with an error of 0.2, or of 0.1 to 0.4. In
brackets the interval of Hartung and Knapp, before it the modified one, from the same draws.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from thresher.inference import random_effects


def coverage(k: int, tau: float, errors: list[float], samples: int) -> tuple[float, float, float]:
    """Shares of intervals that hold the mean, of modified ones, and of those that hold a site to come."""
    rng, held = np.random.default_rng((k, round(100 * tau), round(100 * errors[0]))), np.zeros(3)
    for _ in range(samples):
        *y, ahead = tau * rng.normal(size=k + 1)
        y = [a + s * e for a, s, e in zip(y, errors, rng.normal(size=k), strict=True)]
        found = random_effects(y, errors)
        ends = (found.low, found.high), found.modified, found.prediction
        for i, (limits, value) in enumerate(zip(ends, (0, 0, ahead), strict=True)):
            low, high = limits or (math.nan, math.nan)
            held[i] += low is not None and high is not None and low <= value <= high
    mean, modified, ahead = (100 * held / samples).tolist()
    return mean, modified, ahead


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=10_000)
    samples = parser.parse_args().samples
    print("| sites | errors | " + " | ".join(f"τ = {tau:g}" for tau in (0, 0.2, 0.5)) + " | a site to come |")
    print("|---|---|---|---|---|---|")
    for k in (2, 3, 5, 10):
        for name, errors in (("alike", [0.2] * k), ("0.1 to 0.4", np.linspace(0.1, 0.4, k).tolist())):
            found = [coverage(k, tau, errors, samples) for tau in (0, 0.2, 0.5)]
            cells = [f"{modified:.1f} ({plain:.1f})" for plain, modified, _ in found]
            ahead = [each[2] for each in found]
            print(f"| {k} | {name} | {' | '.join(cells)} | {f'{min(ahead):.1f}–{max(ahead):.1f}' if k > 2 else ''} |")


if __name__ == "__main__":
    main()
