"""Quality of a judge on the gold rows: its errors, the models that it favours, and the simple estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from thresher._util.fast_dataclass import dataclass, replace
from thresher._util.json_values import plain_text
from thresher.errors import Note, OptionError, keyword
from thresher.evaluation.class_tasks import one_class
from thresher.evaluation.estimate import estimate_of, plain_value, treatment_of
from thresher.evaluation.intervals import measure_named
from thresher.evaluation.subject import PREDICTED, Subject, Unavailable
from thresher.finding import Finding
from thresher.inference.differences.difference import Difference, normal_difference
from thresher.inference.differences.p_values import adjust_p_values
from thresher.inference.judged import AllRows, Errors, Labelling, share_influence
from thresher.inference.proportions.intervals import rogan_gladen, wilson_interval
from thresher.inference.strata import Stratum
from thresher.measures.shown import AGREEMENT, AGREEMENT_OF_LABELS, AGREEMENT_OF_TWO, LABELS_WITH_JUDGE, WITH_JUDGE
from thresher.predictions import Predictions
from thresher.predictions.judged import JudgedLabels
from thresher.results import Estimate, decimals_carried, to_frame

E = TypeVar("E")
"""An `Evaluation`, which this package does not name."""

SURE = 0.05
"""Largest adjusted p value of a model that a judge favours."""
SURELY = 0.001
"""Largest adjusted p value of gold rows that do not look random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleEstimates:
    """One measure of one model: prediction-powered, by gold rows alone, and by the judge alone, without an interval.

    `weight` is λ, the weight of the judge's labels; `worth` the number of gold rows of the same precision.
    """

    model: str
    powered: Estimate
    gold: Estimate
    judge: float
    weight: float
    worth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuality:
    """Quality of a judge: agreement with the gold rows, prevalence corrected for its errors, and its bias by model.

    The bias of a model is its accuracy by the judge's labels less its accuracy by human labels, on the gold rows; a
    judge with unequal biases `favours` a model. With several labels it is the subset accuracy, and rows `in_part` have
    some human labels. The prevalence, for two classes and all rows, takes the gold rows as people label them and the
    others by Rogan and Gladen's formula.
    """

    name: str
    gold: int
    in_part: int
    others: int
    agreement: Mapping[str, Estimate]
    prevalence: Estimate | None
    bias: Mapping[str, Estimate]
    estimates: tuple[SimpleEstimates, ...]
    findings: tuple[Finding, ...]

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per model and measure: the prediction-powered, the gold and the judge's estimate, λ and its worth."""
        rows = self.estimates
        columns: dict[str, list[Any]] = {
            "model": [row.model for row in rows],
            "measure": [row.powered.name for row in rows],
            **{name: [getattr(row.powered, name) for row in rows] for name in ("value", "low", "high")},
            **{f"gold_{name}": [getattr(row.gold, name) for row in rows] for name in ("value", "low", "high")},
            **{name: [getattr(row, name) for row in rows] for name in ("judge", "weight", "worth")},
        }
        return to_frame(columns, backend)


def judges_of(evaluation: E) -> E:
    """Evaluate each judge, and the vote of several, on the gold rows, as a model with predicted labels.

    >>> import thresher as th
    >>> ev = th.evaluate([1, 1, 0, 0, None, None], [0.9, 0.8, 0.3, 0.6, 0.7, 0.2], judge=[1, 0, 0, 0, 1, 0])
    >>> ev.judge["judge"].recall.value, ev.judge["judge"].specificity.value
    (0.5, 1.0)
    """
    given: Any = evaluation
    judged, first = _judged(given), next(iter(given.values()))
    bare: dict[str, Any] = {"scores": {}, "posteriors": {}, "partial_labels": None, "direction": "higher"}
    task: Any = "multilabel" if judged.people is not None else "labels"
    rows = replace(given.predictions, **bare, predicted=judged.judges, task=task)
    facts: dict[str, Any] = {"predictions": rows, "threshold": None, "threshold_reason": PREDICTED, "bootstrap": None}
    models = {name: replace(first, name=name, **facts) for name in judged.judges}
    found: E = replace(given, predictions=rows, models=models)
    return found


def _judged(evaluation: Any) -> JudgedLabels:
    judged = evaluation.predictions.partial_labels
    if not isinstance(judged, JudgedLabels):
        raise OptionError("there is no judge. Name the column of its labels with " + keyword("judge", "…") + ".")
    return judged


def judge_quality(evaluation: Any) -> JudgeQuality:
    """Return the quality of a judge on the gold rows.

    Raises:
        OptionError: the evaluation is without a judge.

    >>> import thresher as th
    >>> ev = th.evaluate([1, 1, 0, 0, None, None], [0.9, 0.8, 0.3, 0.6, 0.7, 0.2], judge=[1, 0, 0, 0, 1, 0])
    >>> ev.judge_quality.agreement["accuracy"].value, ev.judge_quality.bias["score"].value
    (0.75, -0.25)
    """
    judged, judge = _judged(evaluation), judges_of(evaluation)
    model = judge[judged.name]
    names: tuple[str, ...] = AGREEMENT if len(model.labels) > 2 else (*AGREEMENT, *AGREEMENT_OF_TWO)
    views = [model]
    if model.task == "multilabel":
        names, views = AGREEMENT_OF_LABELS, [one_class(model, code) for code in range(len(model.labels))]
    agreement = {name: model.estimate(name) for name in names}
    errors = {name: found for name, each in evaluation.items() if (found := _errors(each, judged)) is not None}
    bias = {name: _bias(evaluation[name], *found) for name, found in errors.items()}
    return JudgeQuality(
        name=judged.name,
        gold=len(judged.gold),
        in_part=judged.in_part,
        others=judged.judged_only,
        agreement=agreement,
        prevalence=_prevalence(model, judged),
        bias=bias,
        estimates=tuple(_simple(evaluation)),
        findings=(
            *_selected(evaluation.predictions, judged),
            *(each for view in views for each in _chance(view.name, estimate_of(view, "cohen_kappa"))),
            *_favours(judged.name, errors),
        ),
    )


def _errors(model: Subject, judged: JudgedLabels) -> tuple[float, Errors] | None:
    """Mean of judged less true correctness over the gold rows, with its errors; None without decisions."""
    rows, said = model.rows, judged.judges[judged.name]
    if isinstance(model.statistic("label sets" if model.task == "multilabel" else "matrix"), Unavailable):
        return None
    decided = model.decisions
    by_judge, by_people = ((decided == each).reshape(len(rows), -1).all(axis=1) for each in (said, rows.truth))
    off = by_judge.astype(float) - by_people
    weights = rows.row_weights
    mean = float(off @ weights / weights.sum())
    clusters = None if rows.cluster is None else rows.cluster.codes.astype(np.intp)
    gold = np.arange(len(rows))
    none = AllRows.of(np.zeros(len(rows)), gold)
    return mean, Errors(weights * (off - mean) / weights.sum(), none, 0.0, Labelling(gold, 0.0, clusters))


def _bias(model: Subject, mean: float, errors: Errors) -> Estimate:
    found = _difference(mean, errors)
    limits = found.interval(model.level)
    if limits is None:
        return Estimate(
            name="bias", value=mean, reason=Note("no-spread", "no interval, as the judge errs alike in all gold rows")
        )
    options: dict[str, Any] = {"low": limits[0], "high": limits[1], "level": model.level, "n": float(len(model.rows))}
    return Estimate(name="bias", value=mean, standard_error=found.standard_error, method=found.method, **options)


def _difference(mean: float, errors: Errors) -> Difference:
    variance, df = errors.variance, max(errors.units - 1, 1.0)
    if not variance > 0:
        return Difference(value=mean, method="none", reason=Note("no-spread", "no gold row tells the two apart"))
    return normal_difference(mean, math.sqrt(variance), df=df, method="paired means, Student's t")


def _prevalence(model: Subject, judged: JudgedLabels) -> Estimate | None:
    """Prevalence of all rows, corrected for the judge's errors; None with several classes.

    The gold rows and the other ones are independent, so their limits combine (MOVER).
    """
    matrix = model.confusion_matrix
    if matrix is None or len(model.labels) != 2 or model.rows.weights is not None or model.rows.cluster is not None:
        return None
    (tp, fn), (fp, tn) = matrix.counts.tolist()
    rest = np.delete(judged.rows.truth, judged.gold)
    if not (tp + fn and fp + tn and rest.size):
        return None
    right = {"sensitivity": (tp, tp + fn), "specificity": (tn, fp + tn)}
    found = rogan_gladen(int((rest == 1).sum()), rest.size, level=model.level, **right)
    gold, part = (tp + fn) / len(judged.gold), rest.size / len(judged.rows)
    value = (1 - part) * gold + part * found.value
    if found.low is None or found.high is None or found.standard_error is None:
        return replace(found, value=value)
    ends = wilson_interval(tp + fn, len(judged.gold), level=model.level)
    low, high = (
        value + side * math.hypot((1 - part) * (gold - float(own)), part * (found.value - other))
        for side, own, other in ((-1, ends.low, found.low), (1, ends.high, found.high))
    )
    error = math.hypot((1 - part) * math.sqrt(gold * (1 - gold) / len(judged.gold)), part * found.standard_error)
    return replace(
        found, value=value, standard_error=error, low=low, high=high, n=float(len(judged.rows)),
        method="gold rows, Rogan–Gladen in the others, MOVER",
    )  # fmt: skip


def _simple(evaluation: Any) -> Iterator[SimpleEstimates]:
    for name, model in evaluation.items():
        shown = LABELS_WITH_JUDGE if model.task == "multilabel" else WITH_JUDGE
        gold = replace(model, predictions=replace(model.rows, partial_labels=None))
        for measure in (each for each in shown if each in model.measures):
            spec = measure_named(model, measure)
            known = None if spec is None else treatment_of(model.rows).power(model, spec, plain_value)
            if spec is None or known is None:
                continue
            yield SimpleEstimates(
                model=name, powered=model.measures[measure], gold=gold.estimate(measure),
                judge=known.judge, weight=known.weight, worth=known.worth,
            )  # fmt: skip


def _selected(rows: Predictions, judged: JudgedLabels) -> Iterator[Finding]:
    """Finding on gold rows that do not look random, as the judge labels them otherwise than all rows.

    The variance is at least the binomial one: a judge may give all of few gold rows the same label.
    """
    every, gold = judged.rows, judged.gold
    weights = rows.row_weights
    clusters = None if every.cluster is None else every.cluster.codes.astype(np.intp)
    few, many = (Stratum.of(len(each), each.weights).size for each in (rows, every))
    parts, least, found = weights / weights.sum(), max(1 / few - 1 / many, 0.0), []
    for code in range(len(every.classes)):
        own = every.truth == code if every.truth.ndim == 1 else every.truth[:, code] == 1
        share, of_all = share_influence(own, every.weights, gold)
        of_gold = float(parts[own[gold]].sum())
        errors = Errors(parts * (own[gold] - share), of_all, -1.0, Labelling(gold, 0.0, clusters))
        variance = max(errors.variance, share * (1 - share) * least)
        off = max(abs(of_gold - share) - float(parts.max()) / 2, 0.0)  # continuity
        if variance > 0 and off > 0:
            p = normal_difference(off, math.sqrt(variance), method="normal").p()
            found.append((p * len(every.classes), -code, of_gold, share))
    p, code, of_gold, share = min(found, default=(1.0, 0, 0.0, 0.0))
    if p < SURELY:
        text = (
            f"The gold rows do not look random: {plain_text(judged.name)} labels {100 * of_gold:.1f} % of them "
            f"“{plain_text(every.classes[-code])}”, but {100 * share:.1f} % of all rows. Draw them at random, or give "
            "their probabilities with " + keyword("sampling", "…") + "."
        )
        yield _finding("gold-not-random", "Gold rows not random", text)


def _chance(name: str, kappa: Estimate) -> Iterator[Finding]:
    """Finding on a judge that is not better than chance."""
    if kappa.is_defined and (kappa.low is None or kappa.low <= 0):
        shown = _shown(kappa.value, *(kappa.interval or ()))
        text = f"{plain_text(name)} is not shown to judge better than chance: kappa {shown} on the gold rows."
        yield _finding("judge-no-better-than-chance", "Judge no better than chance", text)


def _shown(value: float, *ends: float) -> str:
    """Value and its limits with the decimals that these carry, as a report has them."""
    digits = decimals_carried(max(ends) - min(ends) if ends else 0.0)
    interval = f" [{', '.join(f'{end:z.{digits}f}' for end in ends)}]" if ends else ""
    return f"{value:z.{digits}f}{interval}"


def _favours(name: str, errors: Mapping[str, tuple[float, Errors]]) -> Iterator[Finding]:
    """Finding on the two models between which a judge differs the most surely, adjusted for all pairs."""
    pairs = list(combinations(errors, 2))
    found = [_difference(errors[a][0] - errors[b][0], errors[a][1].minus(errors[b][1])) for a, b in pairs]
    tested = [(pair, each) for pair, each in zip(pairs, found, strict=True) if each.p_value is not None]
    if not tested:
        return
    p_values = adjust_p_values([each.p() for _, each in tested])
    best = int(np.argmin(p_values))
    (a, b), difference = tested[best]
    if not p_values[best] < SURE:
        return
    more, less = (a, b) if difference.value > 0 else (b, a)
    low, high = sorted(abs(limit) for limit in difference.interval(1 - SURE) or (0.0, 0.0))
    text = (
        f"{plain_text(name)} favours {plain_text(more)}: on the gold rows it adds "
        f"{_shown(abs(difference.value), low, high)} more to the accuracy of {plain_text(more)} "
        f"than to {plain_text(less)}."
    )
    yield _finding("judge-favours-model", f"The judge favours {plain_text(more)}", text)


def _finding(code: str, headline: str, text: str) -> Finding:
    return Finding(question="watch", code=code, severity="warning", headline=headline, text=text, evidence="judge")
