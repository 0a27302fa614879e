"""Shares of samples in which tests reject a true null hypothesis, as a Markdown table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

LEVEL = 0.05


def bound(samples: int) -> float:
    """Rate that is marked when it is passed: 5 % and 3 Monte Carlo standard errors."""
    return LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / samples)


def head(columns: Sequence[str]) -> str:
    """First two lines of a table of tests down and designs across."""
    return f"| test | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}"


def line(name: str, rates: Sequence[float], samples: int) -> str:
    """One line, in per cent; rates beyond the bound are in bold."""
    shown = (f"{100 * rate:.1f}" for rate in rates)
    cells = (f"**{text}**" if rate > bound(samples) else text for text, rate in zip(shown, rates, strict=True))
    return f"| {name} | {' | '.join(cells)} |"


def show(columns: Sequence[str], rejected: Mapping[str, Sequence[int]], samples: int, what: str) -> None:
    """Print the table of how many of the samples of each column each test rejects."""
    print(head(columns))
    for name, counts in rejected.items():
        print(line(name, [count / samples for count in counts], samples))
    print(foot(samples, what))


def foot(samples: int, what: str) -> str:
    """What stands below a table."""
    return f"\n{samples:,} {what}; beyond {100 * bound(samples):.1f} % in bold."
