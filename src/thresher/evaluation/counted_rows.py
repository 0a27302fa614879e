"""Counts as rows that stand for as many as they counted, so that every measure reads both alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.counts import rounding
from thresher.counts.hidden import largest_bound
from thresher.counts.remarks import no_score, size_of
from thresher.errors import InputError, OptionError
from thresher.measures import find
from thresher.measures.error_bounds import error_bound
from thresher.measures.shown import BOUNDED
from thresher.measures.titles import title_of
from thresher.predictions import Predictions
from thresher.predictions.rows import Categories
from thresher.results import rounded_up
from thresher.sentences import choice, keyword, of_each

if TYPE_CHECKING:
    from thresher.counts import Counts, ScoreTable


def predictions_of(counts: Counts, name: str | None = None) -> Predictions:
    """Counts of one score as rows that stand for as many as they counted, which every measure reads alike.

    Raises:
        OptionError: there is no such score, or there are several, and none is chosen.
        InputError: the counts are sums of importance weights, which are no numbers of rows.
    """
    if name is None and len(counts) > 1:
        raise OptionError(
            f"these counts are of the scores {', '.join(counts)}: choose one with " + keyword("scores", "…") + "."
        )
    name = next(iter(counts)) if name is None else name
    if name not in counts:
        raise OptionError(no_score(name, counts))
    if counts.weight_kind == "importance":
        raise InputError(
            "these counts are sums of importance weights, which an evaluation needs the rows of: evaluate these, or "
            "count with " + choice("weight_kind", "frequency") + "."
        )  # fmt: skip
    parts = [(key, tables[name]) for key, tables in counts.groups.items()]
    cells = [
        (t.scores, label, c, k) for k, (_, t) in enumerate(parts) for label, c in ((1, t.positive), (0, t.negative))
    ]
    weights = np.concatenate([c for *_, c, _ in cells]).astype(np.float64)
    kept = weights > 0
    groups = np.concatenate([np.full(s.size, k) for s, _, _, k in cells])[kept]
    return Predictions(
        truth=np.concatenate([np.full(s.size, label, dtype=np.uint8) for s, label, *_ in cells])[kept],
        classes=counts.classes,
        scores={name: np.concatenate([s for s, *_ in cells])[kept]},
        weights=weights[kept],
        weight_kind="frequency",
        by={
            column: Categories.of_keys([key[i] for key in counts.groups], groups) for i, column in enumerate(counts.by)
        },
        direction=counts[name].direction,
        notes=notes_of(counts, [name]),
        dropped=counts.dropped,
        label=counts.label,
        counts=replace(
            counts.of_scores([name]), pairs=counts.pairs, clusters=counts.clusters, group_clusters=counts.group_clusters
        ),
    )


def made_over(counts: Counts, name: str, each: Callable[[ScoreTable], ScoreTable]) -> Counts:
    """Counts of one score with other tables made of each; what is known of pairs and clusters was of the first."""

    def made(parts: Mapping[Any, Mapping[str, ScoreTable]]) -> dict[Any, dict[str, ScoreTable]]:
        return {key: {name: each(tables[name]) for name in tables} for key, tables in parts.items()}

    alone = counts.of_scores([name])
    bare: Any = {"pairs": None, "clusters": alone.clusters and alone.clusters.of(()), "group_clusters": {}}
    whole = made({(): alone.whole})[()]
    return replace(alone, groups=made(alone.groups), whole=whole, part_whole=made(alone.part_whole), **bare)


def notes_of(counts: Counts, names: Sequence[str]) -> tuple[str, ...]:
    """What a reader must know of counts and of some of their scores."""
    return (*counts.remarks, *of_each({name: _said(name, counts) for name in names}))


def _said(name: str, counts: Counts) -> list[str]:
    """What a reader must know of numbers that come from counts: what is exact, and how far the rest may be off."""
    table = counts[name]
    if not table.binned or table.widths is None:
        what = "bins and scores" if table.binned else "scores"
        rounded = rounding.sentence(table)
        size = f"counts of {size_of(counts)}, at {table.scores.size:,} {what}; the rows are not here."
        return [size] if rounded is None else [size, rounded]
    # A number that is undefined is neither exact nor off: no scores outside [0, 1] have a Brier score.
    defined = (each for each in BOUNDED if not math.isnan(float(find(each)(table))))
    bounds = {title_of(each): error_bound(each, table) for each in defined}
    exact = [title for title, bound in bounds.items() if bound == 0]
    others = [f"{title} ±{rounded_up(bound)}" for title, bound in bounds.items() if bound and bound < math.inf]
    open_ = [title for title, bound in bounds.items() if bound == math.inf]
    ranks = "" if table.rank_sums is None else ", by sums over the rows in their order"
    known = f" Known to: {', '.join(others)}." if others else ""
    known += f" Not known within any bound: {', '.join(open_)}." if open_ else ""
    apart = largest_bound(tables[name] for tables in counts.groups.values())
    if counts.by and apart > float(table.error_bound):
        known += f" Of groups the ROC AUC is known to ±{rounded_up(apart)} at the most."
    wide = float(table.widths.max(initial=0.0))
    said = (
        f"scores are counted in {table.scores.size:,} bins up to {rounded_up(wide)} wide{ranks}.{known} Exact: "
        f"{', '.join(['matrices and curves at the edges of bins', *exact])}."
    )
    return [f"counts of {size_of(counts)}; the rows are not here.", said, WIDER]


WIDER = (
    "Every number in the data forms has its own error_bound, which stands behind one without limits: ± ? where it is "
    "not known. One that is known moves the limits apart where that matters; what is fitted takes the bins as they are."
)
"""Note of counts in bins, the same for every score of them."""
