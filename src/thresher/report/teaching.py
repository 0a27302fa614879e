"""A teacher's sheet from one's own rows: exercises to fill in by hand, each blank with its answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher.counts.thresholds import threshold_text
from thresher.curves.listing import cell_text, threshold_listing
from thresher.decisions import Costs, choose
from thresher.errors import OptionError, TaskError, capital
from thresher.measures.registry import find

if TYPE_CHECKING:
    from thresher.counts import ConfusionMatrix
    from thresher.evaluation import ModelEvaluation
    from thresher.predictions import Predictions

MOST = 30
"""Rows that a class can still walk along by hand."""
COST = 5
"""Cost of a miss in false alarms, in the question about costs."""
RARE = 0.01
"""Share of positives in the question about another prevalence."""
DRAWS = 100
"""Most draws of rows in search of overlapping classes."""
NONE = "none"
ASKED = ("accuracy", "recall", "specificity", "precision", "f1")


@dataclass(frozen=True, slots=True)
class Blank:
    """A blank to fill in, with its answer."""

    answer: str


Cell = str | Blank


@dataclass(frozen=True, slots=True)
class Stairs:
    """The ROC as steps over a grid of negatives × positives, in counts."""

    negatives: int
    positives: int
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """A task, a table with blanks or a grid to draw in, and questions of one answer each."""

    title: str
    task: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    path: Stairs | None = None
    questions: tuple[tuple[str, Blank], ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """Exercises under a title, and their rows."""

    title: str
    lead: str
    exercises: tuple[Exercise, ...]


def some_rows(predictions: Predictions, rows: int, seed: int) -> tuple[Predictions, str]:
    """Rows few enough to work with by hand, in their order, and a sentence about where they come from.

    From more than `rows`, that number is drawn within the classes, in about their shares and at least two of each,
    repeatedly until the classes overlap by their score, as a perfect ranking teaches little.
    """
    total = predictions.truth.size
    if total <= rows:
        return predictions, f"All {total} rows."
    generator, positive = np.random.default_rng(seed), predictions.truth == 1
    share = min(max(round(rows * float(positive.mean())), 2), rows - 2)
    classes = ((np.flatnonzero(positive), share), (np.flatnonzero(~positive), rows - share))

    def draw() -> Predictions:
        drawn = [generator.choice(found, min(number, found.size), replace=False) for found, number in classes]
        return predictions.take(np.sort(np.concatenate(drawn)))

    first = few = draw()
    more = DRAWS if _overlap(predictions) else 0
    while more and not _overlap(few):
        few, more = draw(), more - 1
    how = " until they overlapped" if few is not first and _overlap(few) else ""
    return few, f"{few.truth.size} of {total:,} rows, drawn within the classes{how} (seed {seed})."


def _overlap(predictions: Predictions) -> bool:
    """Whether some negative has at least the score of some positive, by every score that there is."""
    positive = predictions.truth == 1
    for name, score in predictions.scores.items():
        high = -score if predictions.direction_of(name) == "lower" else score
        if high[~positive].max(initial=-np.inf) < high[positive].min(initial=np.inf):
            return False
    return True


def sheet(model: ModelEvaluation, *, lead: str = "") -> Sheet:
    """Exercises on one model's rows: walk, ROC, pairs, matrix, thresholds, costs and prevalence."""
    rows = model.predictions
    if model.name not in rows.scores:
        raise TaskError(f"a handout is made of scores of two classes, and {model.name!r} lacks them.")
    if rows.weights is not None:
        raise OptionError("a handout counts rows one by one: leave the weights out.")
    if rows.truth.size > MOST:
        raise OptionError(f"a handout has {MOST} rows at the most, and these are {rows.truth.size:,}.")
    if not 0 < int(rows.truth.sum()) < rows.truth.size:
        raise TaskError("a handout needs rows of both classes, and one class is empty.")
    label = cell_text(np.asarray(rows.classes)[1])
    cuts = model.table.thresholds[1:]
    cut = float(cuts[(len(cuts) - 1) // 2])
    counted = (_walk(model), _drawing(model), _pairs(model))
    decided = (_matrix(model, cut, label), _thresholds(model), _elsewhere(model, cut))
    text = f"Truth “{label}” is positive; {'low' if rows.direction == 'lower' else 'high'} scores mean positive."
    return Sheet("From a ranking to a decision", " ".join(filter(None, [lead, text])), counted + decided)


def _walk(model: ModelEvaluation) -> Exercise:
    found, given = model.walk(), ("rank", "row", "truth", "score")
    columns = [_texts(found[name]) for name in found]
    lines = [
        tuple(
            text or NONE if line == 0 or name in given else Blank(text or NONE)
            for name, text in zip(found, texts, strict=True)
        )
        for line, texts in enumerate(zip(*columns, strict=True))
    ]
    area = float(found["area"][-1])
    questions = (
        ("Squares under the path", Blank(cell_text(area))),
        ("All squares, positives × negatives", Blank(str(int(model.pairs.total)))),
        ("Area under the ROC (AUC), the first over the second", Blank(number(model.auc.value))),
    )
    task = (
        "Walk from the highest place to the lowest. A positive is a step up, a negative a step to the right; rows of "
        "one score wait for each other and are one step together. The trapezoid is the area that a step adds, in "
        "squares; the area is their sum so far. The first line is done."
    )
    return Exercise(
        title="Walk along the ranking", task=task, columns=tuple(found), rows=tuple(lines), questions=questions
    )


def _drawing(model: ModelEvaluation) -> Exercise:
    """The path over the grid, with the points of the table of thresholds."""
    table = model.table
    points = tuple((int(x), int(y)) for x, y in zip(table.fp, table.tp, strict=True))
    path = Stairs(int(table.N), int(table.P), points)
    task = "Draw the path from the lower left corner to the upper right one, and shade the area under it."
    return Exercise(title="Draw the ROC", task=task, path=path)


def _pairs(model: ModelEvaluation) -> Exercise:
    found = model.pairs
    task = "Compare each positive with each negative. The pair is concordant when the positive is placed above."
    counts = {
        "Pairs in all": found.total, "Concordant pairs": found.concordant, "Tied pairs": found.tied,
        "Discordant pairs": found.discordant, "U, concordant + ½ · tied": found.u,
        "Sum of the ranks of the positives, counted from the lowest place": found.rank_sum,
        "U over all pairs": model.auc.value, "The same for the scores in reverse order": model.flipped().auc.value,
    }  # fmt: skip
    return Exercise(
        title="Count the pairs", task=task, questions=tuple((name, Blank(number(v))) for name, v in counts.items())
    )


def _matrix(model: ModelEvaluation, cut: float, label: str) -> Exercise:
    matrix = model.at(cut)
    (tp, fn), (fp, tn) = matrix.counts.tolist()
    lines = (
        ("positive", _blank(tp), _blank(fn), _blank(tp + fn)),
        ("negative", _blank(fp), _blank(tn), _blank(fp + tn)),
    )
    means = "at most" if model.predictions.direction == "lower" else "at least"
    return Exercise(
        title=f"Cut at {threshold_text(cut)}",
        task=f"Call “{label}” whoever has a score of {means} {threshold_text(cut)}. Write shares to four digits.",
        columns=("truth", "called positive", "called negative", "total"),
        rows=lines,
        questions=tuple((capital(find(name).title), _measured(matrix, name)) for name in ASKED),
    )


def _thresholds(model: ModelEvaluation) -> Exercise:
    found = threshold_listing(model.table)
    names = ("threshold", "tp", "fp", "tn", "fn")
    counted = zip(*(found[name].tolist() for name in names), strict=True)
    lines: list[tuple[Cell, ...]] = [(_cut_text(first), *map(_blank, counts)) for first, *counts in counted]
    accurate, cheap = choose(model.table, "max accuracy"), choose(model.table, Costs(fp=1, fn=COST))
    questions = (
        ("Thresholds of the highest accuracy", _cuts(accurate.thresholds)),
        ("That accuracy", _blank(accurate.value)),
        (f"Thresholds of the least cost, when a miss costs {COST} and a false alarm 1", _cuts(cheap.thresholds)),
        ("That cost, for each row", _blank(cheap.value)),
    )
    task = (
        "Each score is a threshold. Count who is called positive there, rightly (tp) and wrongly (fp), and who is not."
    )
    return Exercise(title="Every threshold", task=task, columns=names, rows=tuple(lines), questions=questions)


def _elsewhere(model: ModelEvaluation, cut: float) -> Exercise:
    here, there = model.at(cut), model.at(cut).with_prevalence(RARE)
    questions = [
        (f"{capital(find(name).title)}, {where}", _measured(matrix, name))
        for name in ("recall", "false_positive_rate", "precision")
        for where, matrix in (("here", here), (f"where {RARE:.0%} are positive", there))
    ]
    task = (
        f"The threshold stays at {threshold_text(cut)}, and the rule goes where one in {round(1 / RARE)} is positive. "
        "Think of 10,000 people there: who is positive, who is called positive, and how many of those rightly?"
    )
    return Exercise(title="Where positives are rare", task=task, questions=tuple(questions))


def _measured(matrix: ConfusionMatrix, name: str) -> Blank:
    found = matrix.estimate(name)
    return Blank(number(found.value) if found.is_defined else f"undefined: {found.reason}")


def _blank(value: Any) -> Blank:
    return Blank(number(value))


def number(value: float) -> str:
    """Number as an answer: whole, or to four digits.

    >>> number(19.0), number(2 / 3)
    ('19', '0.6667')
    """
    return str(int(value)) if float(value).is_integer() else f"{value:.4g}"


def _cuts(thresholds: Iterable[float]) -> Blank:
    return Blank(" or ".join(_cut_text(cut) for cut in thresholds))


def _cut_text(cut: float) -> str:
    return threshold_text(cut) if np.isfinite(cut) else "none is called positive"


def _texts(column: Any) -> list[str]:
    """Format cells as text, with enough digits to distinguish values."""
    values = np.asarray(column)
    if values.dtype.kind != "f":
        return [cell_text(value) for value in values]
    values = values + 0.0  # −0.0 is 0.0, but has another text
    distinct = np.unique(values).size
    found = ([f"{value:.{digits}g}" for value in values] for digits in (6, 9, 12, 17))
    return next(texts for texts in found if len(set(texts)) == distinct)
