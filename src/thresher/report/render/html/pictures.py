"""Pictures above a table as SVG: Demšar's diagram of mean ranks, and splits line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from thresher._util.json_values import plain_text
from thresher.report.blocks import SplitParts
from thresher.report.render.html import svg
from thresher.report.render.html.markup import Markup, joined, scrolling, tag
from thresher.resampling.splits import BOTH, TESTS, TRAINS, TRAINS_OFTEN

if TYPE_CHECKING:
    from thresher.inference.differences.several_models import CriticalDifference

WIDTH, LINE = 720, 22
"""Width of the diagrams, and height of a line of one."""

AXIS = 42
"""Height of the axis of ranks."""

EDGE = 190
"""Room for names at either side of the axis of ranks."""

LONGEST = 22
"""Signs of a name that fit beside the axis; the table below has all of it."""

KINDS = ((TRAINS, "training"), (TRAINS_OFTEN, "training, drawn more than once"), (TESTS, "test"), (BOTH, "both"))


def picture_of(shown: CriticalDifference | SplitParts, key: str) -> Markup:
    """Picture in a figure that scrolls on a narrow screen."""
    if isinstance(shown, SplitParts):
        return tag("figure", *_splits(shown, key), class_="picture")
    return tag("figure", scrolling(_ranks(shown, key), "Critical differences"), class_="picture")


def _ranks(found: CriticalDifference, key: str) -> Markup:
    """Axis of mean ranks with the best at the left, a bar for each group that is not separated, names below."""
    rank = dict(zip(found.models, found.mean_ranks, strict=True))
    bars = [(rank[group[0]], rank[group[-1]]) for group in found.groups if len(group) > 1]
    below = 2.4 * LINE + 10 * len(bars)
    better = (len(found.models) + 1) // 2
    text = ", ".join(f"{plain_text(m)} {r:.2f}" for m, r in zip(found.models, found.mean_ranks, strict=True))
    described = f"Mean ranks, the best first: {text}. Critical difference {found.critical_difference:.2f}."
    return svg.picture(
        f"picture-{key}", "Critical differences of mean ranks", described, *_axis(found),
        *(tag("path", class_="joined", d=f"M{_at(found, a) - 4:.1f} {2.2 * LINE + 10 * i:.1f}H{_at(found, b) + 4:.1f}")
          for i, (a, b) in enumerate(bars)),
        *(_named(found, i, better, below) for i in range(len(found.models))),
        class_="ranks", size=(WIDTH, int(below + LINE * better + 8)),
    )  # fmt: skip


def _at(found: CriticalDifference, rank: float) -> float:
    """Place of a rank on the axis, which has room for the critical difference from 1 on."""
    last = max(float(len(found.models)), 1 + found.critical_difference)
    return EDGE + (rank - 1) / (last - 1) * (WIDTH - 2 * EDGE)


def _axis(found: CriticalDifference) -> Iterator[Markup]:
    """Ranks from the best on, and above them how far apart two have to be."""
    k, reach, top = len(found.models), found.critical_difference, AXIS
    yield tag("path", class_="axis", d=f"M{_at(found, 1):.1f} {top}H{_at(found, max(k, 1 + reach)):.1f}")
    for rank in range(1, k + 1, max(1, k // 12)):
        x = f"{_at(found, rank):.1f}"
        yield tag("path", class_="axis", d=f"M{x} {top - 4}v8")
        yield tag("text", str(rank), x=x, y=top - 7, text_anchor="middle")
    low, high = _at(found, 1), _at(found, 1 + reach)
    yield tag("path", class_="joined reach", d=f"M{low:.1f} 6v8m0 -4H{high:.1f}m0 -4v8")
    yield tag("text", f"critical difference {reach:.2f}", x=f"{high + 8:.1f}", y=14)


def _named(found: CriticalDifference, i: int, better: int, below: float) -> Markup:
    """Line from a rank down and out to its name: the better half at the left, the others at the right."""
    is_left = i < better
    y = below + LINE * (i if is_left else len(found.models) - 1 - i)
    rank, name = found.mean_ranks[i], plain_text(found.models[i])
    short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    x, out = _at(found, rank), EDGE - 12 if is_left else WIDTH - EDGE + 12
    return joined(
        tag("path", class_="axis", d=f"M{x:.1f} {AXIS}V{y:.1f}H{out}"),
        tag("text", f"{short} {rank:.2f}", x=out + (-6 if is_left else 6), y=f"{y + 4:.1f}",
            text_anchor="end" if is_left else "start"),
    )  # fmt: skip


def _splits(shown: SplitParts, key: str) -> tuple[Markup, Markup]:
    """A line for each split, with the rows that it learns from and those that it judges."""
    count, columns = shown.parts.shape
    step = WIDTH / max(columns, 1)
    lines = [_runs(shown.parts, part, step) for part, _ in KINDS]
    drawn = [tag("path", class_=f"part p{part}", d=d) for (part, _), d in zip(KINDS, lines, strict=True) if d]
    named = [tag("span", tag("i", "", class_=f"p{part}"), text, class_="key") for (part, text), d in
             zip(KINDS, lines, strict=True) if d]  # fmt: skip
    figure = svg.picture(
        f"picture-{key}", "Splits", shown.description, *drawn, class_="splits", size=(WIDTH, 14 * count)
    )
    return figure, tag("figcaption", "A split ", *named)


def _runs(parts: NDArray[np.int8], part: int, step: float) -> str:
    """Path over the runs of columns that have a part in each line."""
    pieces = []
    for line, row in enumerate(parts == part):
        ends = np.flatnonzero(np.diff(np.concatenate([[0], row, [0]])))
        runs = zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True)
        pieces += [f"M{a * step:.5g} {14 * line + 7}h{(b - a) * step:.5g}" for a, b in runs]
    return "".join(pieces)
