"""Findings on the ROC of one subject: partial areas, smooth curves, means over folds, a reject option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher import decisions, inference
from thresher._util.fast_dataclass import dataclass, field, replace
from thresher._util.frozen_values import scoped
from thresher.counts import ScoreTable
from thresher.curves.curve import Curve
from thresher.decisions.objective import check_budget
from thresher.errors import Note, OptionError, Reasoned, RowsNeededError, keyword
from thresher.evaluation.estimate import measured_value, value_of
from thresher.evaluation.intervals import allow_for_clusters, draws_clusters, jackknife_intervals
from thresher.evaluation.subject import Subject, need_scores
from thresher.evaluation.within_folds import has_fits
from thresher.inference.bootstrap.config import Bootstrap, as_bootstrap
from thresher.measures.measure_text import parse_measure
from thresher.measures.shown import AT_TOP
from thresher.predictions import Predictions
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.curves.averaging import Averaged, How
    from thresher.curves.regions import Part
    from thresher.decisions.criteria import Budget
    from thresher.decisions.reject import RejectOption
    from thresher.inference.curves.averaged import AveragedCurve
    from thresher.inference.curves.bands import Band
    from thresher.inference.curves.partial_areas import PartialAreaEstimate
    from thresher.inference.curves.smooth import BinormalRoc, KernelRoc
    from thresher.inference.estimates.rejected import RejectSummary


def fold_tables(rows: Predictions, model: str) -> dict[Any, ScoreTable]:
    """Score table of a model in each fold that has rows."""
    if rows.fold is None:
        raise OptionError("these rows lack folds: name the column of folds with " + keyword("fold", "…") + ".")
    from thresher.predictions.columns import places_of

    values = rows.fold.values
    return {values[code]: ScoreTable.of_rows(rows, model, places) for code, places in places_of(rows.fold.codes)}


def average_roc(subject: Subject, how: How = "vertical", **options: Any) -> AveragedCurve:
    """Mean of the folds' ROC curves with its band: "vertical", "horizontal", by "threshold", or "pooled".

    Options as for `thresher.inference.averaged_curve`: `interval`, `level`, `x`, `config`.

    Raises:
        TaskError: the model lacks scores.
        OptionError: the rows lack folds, or an option is wrong.
    """
    return _averaged(subject, "roc", how, options)


def average_pr(subject: Subject, how: How = "vertical", **options: Any) -> AveragedCurve:
    """Mean of the folds' precision–recall curves with its band, as `average_roc`."""
    return _averaged(subject, "precision_recall", how, options)


def _averaged(subject: Subject, curve: Averaged, how: How, options: dict[str, Any]) -> AveragedCurve:
    need_scores(subject, "a curve")
    tables = fold_tables(subject.rows, subject.name)
    return inference.averaged_curve(tables, curve=curve, how=how, **({"level": subject.level} | options))


def partial_area(
    subject: Subject, part: Part | str, *, bootstrap: Bootstrap | int | None = None, level: float | None = None
) -> PartialAreaEstimate:
    """Area over a part of a curve: "fpr<=0.1", "tpr>=0.9", both with a comma between, or "recall>=0.8" of precision.

    Raw, normalized and corrected for chance, with an interval: with `bootstrap` by resampling; the evaluation's
    bootstrap serves two-way and precision areas, which lack a formula, and every area where it draws clusters. With
    folds it is the mean over the folds that hold every class.

    Raises:
        TaskError: the model lacks scores.
        OptionError: the part is not understood.
    """
    from thresher.inference.curves.partial_areas import has_formula

    need_scores(subject, "a partial area")
    serves = draws_clusters(subject) or not has_formula(part)
    config = (subject.bootstrap if serves else None) if bootstrap is None else as_bootstrap(bootstrap, subject.rng)
    # Only resamples need the rows; the counts exist already.
    data = subject.scores if config is None else subject.rows
    level = subject.level if level is None else level
    found = inference.partial_area(data, part, bootstrap=config, level=level, model=subject.name)
    asked = parse_measure(str(found.part))
    if has_fits(subject):
        raw = measured_value(subject, asked, level=level, bootstrap=config, every=config is not None)
        return found.with_raw(replace(raw, name=found.raw.name))
    if config is not None or subject.cluster is None:
        return found
    bounds = [asked.entry.bounds]
    (raw,) = jackknife_intervals(
        subject, {"raw": found.raw}, lambda part: [value_of(part, asked)], bounds, level=level
    ).values()
    return found.with_raw(raw)


def with_reject(subject: Subject, rule: str | None = None, **options: Any) -> RejectSummary:
    """Two thresholds and no decision between them, with estimates of the decided rows.

    Options as for `thresher.decisions.reject_option`: `lower` and `upper`, `costs` and `deferral`, or `accuracy`, and
    `prevalence`; or `rule`, which says them in words: "deferral=0.2" (with `costs`), "accuracy=0.99",
    "upper=precision>=0.98,lower=npv>=0.99".

    Raises:
        TaskError: the model lacks scores.
        OptionError: an option is wrong, or no pair of thresholds meets the request.
    """
    from thresher.decisions.reject import reject_rule
    from thresher.inference.estimates.rejected import reject_summary

    need_scores(subject, "a reject option")
    said = {} if rule is None else reject_rule(rule)
    if twice := [name for name in said if options.get(name) is not None]:
        raise OptionError(f"{twice[0]} is given twice: by {twice[0]}=… and in the rule {rule!r}.")
    wanted = {**options, **said}
    option = decisions.reject_option(subject.table, **wanted)
    costs: dict[str, Any] = {name: wanted.get(name) for name in ("costs", "deferral")}
    found = reject_summary(option, **{**costs, **subject.matrix_options})
    negative, positive = subject.labels
    found = replace(found, model=subject.name, labels=(positive, negative))
    if subject.cluster is None:
        return found
    return _for_clusters(subject, found, prevalence=wanted.get("prevalence"))


def _for_clusters(subject: Subject, found: RejectSummary, *, prevalence: float | None) -> RejectSummary:
    """Summary with intervals by the jackknife over clusters, at fixed thresholds."""
    from thresher.inference.estimates.rejected import estimates_of, reject_summary, with_estimates

    estimates = {each.name: each for each in estimates_of(found) if each.method is not None}
    costs: dict[str, Any] = {"costs": found.costs, "deferral": found.deferral}
    option = found.option
    at: dict[str, Any] = {"lower": option.lower, "upper": option.upper, "prevalence": prevalence}

    def values(part: Subject) -> list[float]:
        again = reject_summary(decisions.reject_option(part.table, **at), **costs)
        known = {each.name: each.value for each in estimates_of(again)}
        return [known[name] for name in estimates]

    bounds = [found.bounds_of(name) for name in estimates]
    return with_estimates(found, jackknife_intervals(subject, estimates, values, bounds, level=subject.level))


def binormal_roc(subject: Subject, **options: Any) -> BinormalRoc:
    """Fit a binormal model to the scores: a smooth ROC with its area, not the empirical ROC.

    Options as for `thresher.inference.binormal_roc`: `method`, `categories`, `level`.

    Raises:
        TaskError: the model lacks scores.
        InputError: a class is empty.
    """
    need_scores(subject, "a ROC")
    options = {"level": subject.level} | options
    found = inference.binormal_roc(subject.scores, **options)

    def area(part: Subject) -> float:
        return inference.binormal_roc(part.scores, **options).area.value

    whole: dict[str, Any] = {"bounds": (0.0, 1.0), "level": options["level"]}
    return replace(found, area=allow_for_clusters(subject, found.area, area, **whole))


def kernel_roc(subject: Subject, **options: Any) -> KernelRoc:
    """ROC smoothed by normal kernels on the scores; `bandwidth` as for `thresher.inference.kernel_roc`.

    Raises:
        TaskError: the model lacks scores.
        InputError: a class is empty, or a rule finds no spread.
    """
    need_scores(subject, "a ROC")
    return inference.kernel_roc(subject.scores, **options)


def cross_validated_auc(subject: Subject) -> Estimate:
    """Mean of the folds' areas with an interval from the influence of each row: see `inference.cross_validated_auc`.

    Raises:
        TaskError: the model lacks scores.
        OptionError: the rows lack folds, or they have weights, which this interval ignores.
        InputError: a fold has rows of one class only.
    """
    need_scores(subject, "an area")
    rows, sign = subject.rows, 1.0 if subject.rows.direction_of(subject.name) == "higher" else -1.0
    if rows.fold is None or rows.weights is not None:
        lack = (
            "no folds: name their column with " if rows.fold is None else "weights, which it does not heed: leave out "
        )
        raise OptionError("these rows have " + lack + keyword("fold" if rows.fold is None else "weights", "…") + ".")

    def area(part: Subject) -> Estimate:
        rows, fold = part.rows, part.rows.fold
        assert fold is not None
        folds = np.asarray([str(each) for each in fold.values])[fold.codes]
        return inference.cross_validated_auc(rows.truth, sign * rows.scores[part.name], folds, level=part.level)

    found = area(subject)
    whole: dict[str, Any] = {"bounds": (0.0, 1.0), "level": subject.level}
    return allow_for_clusters(subject, found, lambda part: area(part).value, **whole)


DRAWN = 400
"""Points of a mean curve that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanCurve(Reasoned):
    """Mean of the folds' curves, small enough to be kept: at a few hundred points, without the folds' counts."""

    curve: Curve
    band: Band | None
    x_band: Band | None
    area: Estimate
    folds: int
    left_out: int
    reason: Note | None

    @classmethod
    def of(cls, found: AveragedCurve) -> MeanCurve:
        """Shown parts of an averaged curve."""
        return cls(
            curve=found.curve.thin(DRAWN),
            band=found.band,
            x_band=found.x_band,
            area=found.area,
            folds=len(found.average.tables),
            left_out=found.average.left_out,
            reason=found.reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OptionalFindings:
    """Optional findings of one model; `reject_reason` says why there is no reject option."""

    areas: tuple[PartialAreaEstimate, ...] = ()
    smooth: BinormalRoc | None = None
    means: Mapping[str, MeanCurve] = field(default_factory=dict)
    reject: RejectSummary | None = None
    reject_reason: Note | None = None
    top: Mapping[str, tuple[Estimate, ...]] = field(default_factory=dict)


def at_top(subject: Subject, budget: Budget) -> tuple[Estimate, ...]:
    """Estimate the measures of the highest scores."""
    check_budget(budget, subject.scores.weight_kind)
    place = f"k={budget.k:g}" if budget.k is not None else f"top={budget.share!r}"
    asked = {name: parse_measure(f"{name}@{place}") for name in AT_TOP}
    found = {name: measured_value(subject, each, level=subject.level) for name, each in asked.items()}
    return tuple(replace(each, name=name) for name, each in found.items())


def optional_findings(
    model: Subject,
    *,
    partial: Sequence[Part] = (),
    smooth: str | None = None,
    average: How | None = None,
    reject: Mapping[str, Any] | None = None,
    top: Sequence[Budget] = (),
    prevalence: float | None = None,
) -> OptionalFindings | None:
    """Requested findings of one model; None without a request, or without scores of both classes."""
    is_asked = bool(partial or smooth or average or reject or top)
    if not is_asked or model.task != "binary" or not model.scores.P or not model.scores.N:
        return None
    found, reason = reject_option(model, reject, prevalence) if reject else (None, None)
    return OptionalFindings(
        areas=tuple(partial_area(model, part) for part in partial),
        smooth=binormal_roc(model) if smooth else None,
        means={} if average is None else mean_curves(model, average),
        reject=found,
        reject_reason=reason,
        top={str(budget): at_top(model, budget) for budget in top},
    )


def mean_curves(model: Subject, how: How) -> dict[str, MeanCurve]:
    """Mean ROC and precision–recall curve; a pooled one has a band with a bootstrap."""
    options: dict[str, Any] = {}
    if how == "pooled" and model.bootstrap is not None:
        options = {"interval": "bootstrap", "config": model.bootstrap}
    try:
        found = {"roc": average_roc(model, how, **options), "pr": average_pr(model, how, **options)}
    except RowsNeededError:
        # The folds' counts are pooled, and weights that are not whole cannot be drawn from counts.
        reason = Note("no-formula", "no band: weighted rows cannot be resampled from the counts of folds")
        found = {"roc": average_roc(model, how), "pr": average_pr(model, how)}
        found = {name: replace(each, reason=reason) for name, each in found.items()}
    return {name: MeanCurve.of(each) for name, each in found.items()}


def reject_option(
    model: Subject, rule: Mapping[str, Any], prevalence: float | None
) -> tuple[RejectSummary | None, Note | None]:
    """Reject option with only the needed counts, or the reason for its absence."""
    try:
        with scoped(model, "table") as read:
            found = with_reject(read, **{"prevalence": prevalence, **rule})
        return replace(found, option=_small(found.option)), None
    except OptionError as error:
        return None, Note("undefined", error.sentence)


def _small(found: RejectOption) -> RejectOption:
    """Same option on a table of its own rows and the ends."""
    table = found.table
    rows = np.unique([0, found.upper_row, found.lower_row, len(table) - 1])
    columns = {name: column[rows] for name in ("thresholds", "tp", "fp", "tp_squares", "fp_squares")
               if (column := getattr(table, name)) is not None}  # fmt: skip
    small = replace(table, **columns, thinned=True)
    upper, lower = np.searchsorted(rows, [found.upper_row, found.lower_row]).tolist()
    return replace(found, table=small, upper_row=upper, lower_row=lower, shown=found.decimals)
