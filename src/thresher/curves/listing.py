"""Rows by falling score: the listing with the counts at each, steps along the ROC, and pairs of both classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.fast_dataclass import dataclass, field
from thresher._util.frozen_values import freeze
from thresher._util.json_values import as_dict, to_jsonable
from thresher.conventions import direction_of, divide, is_positive
from thresher.counts.cells import number
from thresher.counts.scores import ScoreTable
from thresher.counts.thresholds import ThresholdTable, threshold_text
from thresher.curves.curve import Table, score_table, threshold_table
from thresher.errors import InputError, OptionError, RowsNeededError
from thresher.upward_import import plot_method, upward_import

if TYPE_CHECKING:
    from thresher.predictions import Predictions


SHOWN = 10
"""Rows that a printed listing shows, half at each end."""


@dataclass(frozen=True, eq=False)
class Listing(Mapping[str, NDArray[Any]]):
    """Columns of equal length by name, most positive score first."""

    columns: Mapping[str, NDArray[Any]]
    backend: str | None = None

    plot = plot_method

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", {name: freeze(column) for name, column in self.columns.items()})

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def height(self) -> int:
        """Number of lines."""
        return int(next(iter(self.columns.values())).size)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the listing as a dataframe of the library that the data came in, or of the one named.

        Raises:
            MissingDependencyError: no dataframe library is installed.
        """
        from thresher.results import to_frame

        return to_frame(dict(self.columns), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as lists of JSON types; an infinite score or threshold is None, and `reason` says so."""
        return to_jsonable(dict(self.columns))  # type: ignore[no-any-return]

    def to_text(self, most: int | None = None) -> str:
        """Return the lines as text under column names: all of them, or about `most`, half from each end."""
        half = self.height if most is None else max(most // 2, 1)
        shown, gap = np.arange(self.height), self.height > 2 * half
        if gap:
            shown = np.concatenate([shown[:half], shown[-half:]])
        texts = [[name, *(cell_text(v, name) for v in column[shown])] for name, column in self.columns.items()]
        widths = [max(map(len, column)) for column in texts]
        lines = ["  ".join(t.rjust(w) for t, w in zip(row, widths, strict=True)) for row in zip(*texts, strict=True)]
        if gap:
            lines.insert(1 + half, f"… {self.height - 2 * half} more")
        return "\n".join(lines)

    def to_html(self, *, title: str = "By falling score", name: str = "score") -> str:
        """Return all lines as a self-contained page of HTML; `name` is the name of the model."""
        return str(upward_import("form")(self, "page", title=title, name=name))

    def __repr__(self) -> str:
        return self.to_text(SHOWN)


def listing(predictions: Predictions, model: str | None = None, *, at: float | None = None) -> Listing:
    """List the rows by falling score: rank, row, truth, score, and TP, FP, TN, FN, TPR and FPR at the cut there.

    `row` counts the rows as they came, from 1. Rows of one score share a rank, the best one they could have
    (1, 2, 2, 4), and their counts, as no threshold parts them. Rows with weights have a column of them, and the
    counts are sums of weights. TPR and FPR are NaN where a class is empty.

    Args:
        predictions: binary predictions with scores.
        model: the model to list; may be left out when there is one.
        at: a threshold, for a further column `prediction`, each row's decision there.

    Raises:
        OptionError: there is no such model, or several and none was named.
        RowsNeededError: the predictions are counts.

    >>> import thresher
    >>> evaluation = thresher.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.1])
    >>> listing(evaluation["score"].predictions)
    rank  row  truth  score  tp  fp  tn  fn  tpr  fpr
       1    1      1    0.9   1   0   2   1  0.5    0
       2    2      0    0.6   2   1   1   0    1  0.5
       2    3      1    0.6   2   1   1   0    1  0.5
       4    4      0    0.1   2   2   0   0    1    1
    """
    name = _model(predictions, model)
    if predictions.counts is not None:
        raise RowsNeededError("Counts do not keep the rows, which cannot be listed. List the thresholds instead.")
    scores, weights = predictions.scores[name], predictions.weights
    direction, kind = direction_of(predictions.direction, name), predictions.weight_kind or "importance"
    table = ScoreTable.from_scores(predictions.truth, scores, weights=weights, weight_kind=kind, direction=direction)
    sign = 1.0 if direction == "lower" else -1.0
    falling = sign * scores
    order = np.argsort(falling, kind="stable")
    ordered = falling[order]
    counts = ThresholdTable.from_table(table)
    places = np.searchsorted(sign * table.scores, ordered, side="right")
    columns = {
        "rank": np.searchsorted(ordered, ordered, side="left") + 1,
        "row": order + 1,
        "truth": np.asarray(predictions.classes)[predictions.truth[order]],
        "score": scores[order],
    }
    if weights is not None:
        columns["weight"] = weights[order]
    if at is not None:
        hits = is_positive(scores[order], float(at), direction)
        columns["prediction"] = np.asarray(predictions.classes)[hits.astype(np.intp)]
    cells = {name: column[places] for name, column in _counted(counts).items() if name != "threshold"}
    return Listing(columns | cells, predictions.backend)


def threshold_listing(table: Table, *, keep: int | None = None, backend: str | None = None) -> Listing:
    """List the thresholds: TP, FP, TN, FN, TPR and FPR at each, the sentinel first.

    Counts are as counted, whatever the prior. `keep` is the most thresholds, up to half of them the hull's.

    >>> threshold_listing(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]))
    threshold  tp  fp  tn  fn  tpr  fpr
          inf   0   0   2   2    0    0
          0.9   1   0   2   1  0.5    0
          0.6   1   1   1   1  0.5  0.5
          0.4   2   1   1   0    1  0.5
          0.1   2   2   0   0    1    1
    """
    return Listing(_counted(threshold_table(table, keep)), backend)


def _counted(rows: ThresholdTable) -> dict[str, NDArray[Any]]:
    named = rows.to_dict()
    rates = {"tpr": named["true_positive_rate"], "fpr": named["false_positive_rate"]}
    return {name: named[name] for name in ("threshold", "tp", "fp", "tn", "fn")} | rates


def _model(predictions: Predictions, model: str | None) -> str:
    names = list(predictions.scores)
    if model is None and len(names) == 1:
        return names[0]
    if model not in names:
        given = "no model is named" if model is None else f"there is no model {model!r} with scores"
        raise OptionError(f"{given}; the models with scores are {', '.join(map(repr, names)) or 'none'}.")
    return model


def cell_text(value: Any, name: str = "") -> str:
    """Return a value of a listing as text: a fraction to six digits, a threshold with all its digits."""
    if not isinstance(value, float | np.floating):
        return str(value)
    return threshold_text(float(value)) if name == "threshold" else f"{value:.6g}"


def ends_of_steps(columns: Mapping[str, Any]) -> NDArray[np.intp]:
    """Return the rows of a listing that are the last of their score, which are the points of its path."""
    key = np.asarray(columns["rank" if "rank" in columns else "threshold"])
    return np.flatnonzero(np.append(key[1:] != key[:-1], True)[: key.size])


STEPS = np.array(["", "up", "right", "diagonal"])
WAIT = "tie: wait"


def walk(predictions: Predictions, model: str | None = None) -> Listing:
    """List the rows by falling score, each with its step of the ROC and the area so far.

    Columns: `rank`, `row`, `truth`, `score`; `point`, "(FPR, TPR)" of the point that is pushed, or "tie: wait" while
    the next example has the same score; `tp` and `fp` after the example; `step`, "up" for positives, "right" for
    negatives, "diagonal" for a tie of both; `trapezoid`, ΔFP·(TP before + TP after)/2; `area`, their running sum, which
    ends at AUC·P·N, the number of concordant pairs, ties ½. With weights all are sums of weights.

    Raises:
        OptionError: there is no such model, or several and none was named.

    >>> import thresher
    >>> evaluation = thresher.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.1])
    >>> walk(evaluation["score"].predictions)
    rank  row  truth  score       point  tp  fp      step  trapezoid  area
       1    1      1    0.9    (0, 0.5)   1   0        up          0     0
       2    2      0    0.6   tie: wait   1   1                    0     0
       2    3      1    0.6    (0.5, 1)   2   1  diagonal        1.5   1.5
       4    4      0    0.1      (1, 1)   2   2     right          2   3.5

    Source: Fawcett 2006, algorithms 1 and 2.
    """
    rows = listing(predictions, model)
    truth = (rows["truth"] == np.asarray(predictions.classes)[1]).astype(np.int64)
    weight = rows.get("weight", np.ones(truth.size, dtype=np.int64))
    tp, fp = np.cumsum(truth * weight), np.cumsum((1 - truth) * weight)
    ends = ends_of_steps(rows)
    last = np.isin(np.arange(truth.size), ends)
    rise, run = (np.diff(counts[ends], prepend=0) for counts in (tp, fp))
    trapezoid, step = np.zeros(truth.size), np.zeros(truth.size, dtype=np.int64)
    trapezoid[ends] = run * (tp[ends] - rise / 2)
    step[ends] = (rise > 0) + 2 * (run > 0)
    shown = {name: rows[name] for name in ("rank", "row", "truth", "score", "weight") if name in rows}
    points = zip(rows["fpr"], rows["tpr"], last, strict=True)
    columns: dict[str, NDArray[Any]] = {
        "point": np.array([f"({x:.4g}, {y:.4g})" if pushed else WAIT for x, y, pushed in points]),
        "tp": tp, "fp": fp, "step": STEPS[step], "trapezoid": trapezoid, "area": np.cumsum(trapezoid),
    }  # fmt: skip
    return Listing(shown | columns, predictions.backend)


LARGE = 1e9
"""Rows from which twice their square no longer fits 64 bits."""


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Pairs of one positive and one negative by their order, and the AUC in every reading of it.

    `concordant` pairs have the positive above, `tied` ones equal scores, `discordant` the negative above (products of
    weights, when rows have them). `u` is Mann–Whitney's U = concordant + ½·tied; `rank_sum` is the sum of the ascending
    mid-ranks of the positives. All `readings` are the same number, each computed in its own way.
    """

    concordant: float
    tied: float
    discordant: float
    u: float
    rank_sum: float
    readings: Mapping[str, float] = field(default_factory=dict)

    plot = plot_method

    @property
    def total(self) -> float:
        """All pairs, P·N."""
        return self.concordant + self.tied + self.discordant

    to_dict = as_dict

    def to_frame(self, backend: str | None = None, *, counts: bool = False) -> Any:
        """Return one row per reading of the AUC; with `counts` one per kind of pair, as `plot` draws them."""
        from thresher.results import to_frame

        if counts:
            kinds = ("concordant", "tied", "discordant")
            return to_frame({"pair": list(kinds), "count": [getattr(self, kind) for kind in kinds]}, backend)
        return to_frame({"reading": list(self.readings), "value": list(self.readings.values())}, backend)

    def __str__(self) -> str:
        counts = {
            "pairs": self.total, "concordant": self.concordant, "tied": self.tied, "discordant": self.discordant,
            "U = concordant + ½·tied": self.u, "rank sum of the positives": self.rank_sum,
        }  # fmt: skip
        width = max(map(len, (*counts, *self.readings)))
        lines = [f"{name:{width}}  {value:g}" for name, value in counts.items()]
        return "\n".join([*lines, "", *(f"{name:{width}}  {value:.6g}" for name, value in self.readings.items())])


def pairs(table: Table) -> Pairs:
    """Count concordant, tied and discordant pairs; compute U, the rank sum, and six readings of the AUC.

    The readings are NaN where a class is empty.

    >>> found = pairs(ScoreTable.from_scores([1, 1, 0, 1, 0], [10, 7, 5, 1, -3]))
    >>> found.concordant, found.tied, found.discordant, found.u, found.rank_sum
    (5, 0, 1, 5.0, 11.0)

    Sources: Hanley & McNeil 1982; Mann & Whitney 1947; Fawcett 2006.
    """
    counts = score_table(table)
    if counts.columns[0].ndim > 1:
        raise InputError("pairs are of one table, and this is a batch of them.")
    # Whole numbers stay whole, however many pairs there are.
    is_whole = "f" not in (counts.positive.dtype.kind, counts.negative.dtype.kind)
    kind = np.float64 if not is_whole else np.int64 if float(counts.P + counts.N) < LARGE else object
    pos, neg = counts.positive.astype(kind), counts.negative.astype(kind)
    pos_above, neg_above = np.cumsum(pos) - pos, np.cumsum(neg) - neg
    p, n = pos.sum(), neg.sum()
    concordant, tied = (pos * (n - neg_above - neg)).sum(), (pos * neg).sum()
    lower = (p - pos_above - pos) + (n - neg_above - neg)
    rank_sum = (pos * (2 * lower + pos + neg + 1)).sum() / 2
    u = concordant + tied / 2
    discordant = (neg * (p - pos_above - pos)).sum()
    return Pairs(
        concordant=number(concordant), tied=number(tied), discordant=number(discordant), u=float(u),
        rank_sum=float(rank_sum), readings=_readings(counts, float(u), float(rank_sum)),
    )  # fmt: skip


def _readings(counts: ScoreTable, u: float, rank_sum: float) -> dict[str, float]:
    """Compute the AUC as probability, as rank sum, as area, and as three means over the rows of one class."""
    pos, neg = counts.positive.astype(np.float64), counts.negative.astype(np.float64)
    p, n = pos.sum(), neg.sum()
    tpr, fpr = (np.concatenate([[0.0], divide(np.cumsum(c), total)]) for c, total in ((pos, p), (neg, n)))
    half_tpr, half_fpr = (tpr[1:] + tpr[:-1]) / 2, (fpr[1:] + fpr[:-1]) / 2
    found = {
        "a random positive lies above a random negative": divide(u, p * n),
        "rank sum: (R − P(P + 1)/2)/(P·N)": divide(rank_sum - p * (p + 1) / 2, p * n),
        "area under the ROC by trapezoids": ((fpr[1:] - fpr[:-1]) * half_tpr).sum(),
        "mean share of positives above a random negative": divide((neg * half_tpr).sum(), n),
        "mean TPR cutting just before a random negative": divide((neg * (tpr[:-1] + divide(pos, p) / 2)).sum(), n),
        "mean share of negatives below a random positive": divide((pos * (1 - half_fpr)).sum(), p),
    }
    return {name: float(value) for name, value in found.items()}
