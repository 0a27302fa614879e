"""Coverage of the 95 % intervals of a mean over few sites, and of those for a site to come.

    python benchmarks/coverage_sites.py                 # a minute; standard error 0.2

Values of sites are normal about 0 with the deviation τ, each measured with an error of 0.2, or of 0.1 to 0.4. In
brackets the interval of Hartung and Knapp as it was first proposed, from the same draws.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy.stats import t

from thresher.inference import RandomEffects, random_effects


def first_proposed(y: list[float], s: list[float], found: RandomEffects) -> float:
    """Half the width of the interval without the least of 1."""
    w = [1 / (each**2 + found.tau**2) for each in s]
    observed = sum(a * (b - found.value) ** 2 for a, b in zip(w, y, strict=True)) / (len(y) - 1)
    return float(t.ppf(0.975, len(y) - 1)) * math.sqrt(observed / sum(w))


def coverage(k: int, tau: float, errors: list[float], samples: int) -> tuple[float, float, float]:
    """Shares of intervals that hold the mean, of those as first proposed, and of those that hold a site to come."""
    rng, held = np.random.default_rng((k, round(100 * tau), round(100 * errors[0]))), np.zeros(3)
    for _ in range(samples):
        *y, ahead = tau * rng.normal(size=k + 1)
        y = [a + s * e for a, s, e in zip(y, errors, rng.normal(size=k), strict=True)]
        found = random_effects(y, errors)
        assert found.low is not None
        assert found.high is not None
        low, high = found.prediction or (math.nan, math.nan)
        held += (
            found.low <= 0 <= found.high,
            abs(found.value) <= first_proposed(y, errors, found),
            low <= ahead <= high,
        )
    mean, first, ahead = (100 * held / samples).tolist()
    return mean, first, ahead


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
            cells = [f"{each[0]:.1f} ({each[1]:.1f})" for each in found]
            ahead = [each[2] for each in found]
            print(f"| {k} | {name} | {' | '.join(cells)} | {f'{min(ahead):.1f}–{max(ahead):.1f}' if k > 2 else ''} |")


if __name__ == "__main__":
    main()
