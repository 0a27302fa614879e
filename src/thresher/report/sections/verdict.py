"""What a report comes to, in a few sentences: each a finding with a code, how it is meant, and where it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from thresher._util.jsonable import plain_text, told_apart
from thresher.analysis.thresholds import COST
from thresher.errors import listed
from thresher.finding import Conclusions, Finding, Question, Severity
from thresher.measures.baselines import standing
from thresher.measures.shown import DECIDING
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import brief, cut, estimated, number, p_text, percent
from thresher.report.sections.comparisons import heading_as_written
from thresher.report.sections.degenerate import degenerate, is_judged, only_class, telling
from thresher.report.sections.gaps import falling_behind
from thresher.report.titles import capital, heading_of

if TYPE_CHECKING:
    from thresher.analysis.chosen import ChosenThreshold
    from thresher.design_warnings import DesignWarning
    from thresher.inference.comparing.comparison import Comparison
    from thresher.results import Estimate

CHANCE = 0.5
"""AUC of a score that knows nothing."""
FEWEST = 10
"""Rows of each class from which on it is remarkable that no pair is in the wrong order."""


def conclusions_of(document: Document) -> Conclusions:
    """Findings, notes and warnings of a document."""
    return Conclusions(findings=findings_of(document), notes=document.notes, warnings=document.warnings)


def findings_of(document: Document) -> tuple[Finding, ...]:
    """Findings of a document, the verdict first: which model, where to cut, whether it can be trusted, what warns.

    Everything is read from what the document holds, so that no sentence says another number than its evidence.
    """
    first = tuple(degenerate(document))
    measure, order = _ranked(document)
    if measure is None or _says_all(document):
        return *first, *_warned(document)
    best = order[0]
    tested = _tests(document, order, measure)
    return (
        *first,
        best_of([(m.name, m.measures[measure]) for m in order], heading_of(measure), tested)
        if len(order) > 1
        else alone(best.name, best.measures[measure], (*document.class_counts,), document.direction),
        *_decided(document, best),
        *_calibrated(best, document.level),
        *_crossing(document, best, [name for name, c in tested.items() if not c.is_significant]),
        *_reversed(document),
        *_perfect(document),
        *_no_better(document),
        *falling_behind(document, best),
        *_warned(document),
    )


def _says_all(document: Document) -> bool:
    """Whether no score tells rows apart, so that there is nothing to add."""
    return all(model.score_kind == "constant" for model in document.models)


def _ranked(document: Document) -> tuple[str | None, Sequence[ModelPart]]:
    """Measure by which a model is said to be the best, and the models in its order; as they stand without one."""
    are_labels = all(model.score_kind == "labels" for model in document.models)
    names = [name for name in DECIDING if not (are_labels and name == "auc")]
    measure = next((name for name in names if all(_value(m, name) is not None for m in document.models)), None)
    if measure is None:
        return None, document.models
    return measure, sorted(document.models, key=lambda model: -model.measures[measure].value)


def first_shown(document: Document) -> int:
    """Place of the model that a reader looks at first: the one that stated costs prefer, else the best."""
    costed = _costed(document)
    name = _cheapest(costed)[0] if costed else _ranked(document)[1][0].name
    return [model.name for model in document.models].index(name)


def _costed(document: Document) -> dict[str, ChosenThreshold]:
    return {m.name: m.decisions.chosen[COST] for m in document.models if m.decisions and COST in m.decisions.chosen}


def _cheapest(costed: Mapping[str, ChosenThreshold]) -> tuple[str, ChosenThreshold]:
    return min(costed.items(), key=lambda item: item[1].measures["expected_cost"].value)


def _value(model: ModelPart, name: str) -> Estimate | None:
    found = model.measures.get(name)
    return found if found is not None and found.is_defined else None


def alone(name: str, found: Estimate, classes: Sequence[str], direction: str | None) -> Finding:
    """How good the one model is; of two `classes` the positive one stands first."""
    shown = f"{heading_as_written(found.name)} {estimated(found)}"
    if found.name != "auc":
        return finding("quality", "neutral", f"{name}: {shown}.", "summary")
    low, high = found.low, found.high
    if found.value <= CHANCE if low is None or high is None else low <= CHANCE <= high:
        text = f"{name} is not shown to rank better than chance: {shown}, and chance has 0.5."
        return finding("no-better-than-chance", "warning", text, "summary")
    side = "below" if direction == "lower" else "above"
    positive, negative = (f"“{label}”" for label in classes)
    pair = f"a row of {positive} {side} one of {negative} {percent(found.value)} of the time"
    return finding("quality", "neutral", f"{name} scores {pair} ({shown}).", "summary")


def _tests(document: Document, order: Sequence[ModelPart], measure: str) -> dict[str, Comparison]:
    """Tests of the first model against each of the others, by name."""
    pairs = {frozenset(c.models): c for c in document.comparisons if c.measure == measure}
    found = {m.name: pairs.get(frozenset((order[0].name, m.name))) for m in order[1:]}
    return {name: c for name, c in found.items() if c is not None}


def best_of(
    order: Sequence[tuple[str, Estimate]], title: str, tested: Mapping[str, Comparison], *, most: str = "high"
) -> Finding:
    """Which model is the best, and which of the others are not shown to be worse.

    `order` has the best first; `most` is "low" where less is better.
    """
    (best, value), *others = order
    shown = f"{title} {estimated(value)}"
    worse = [f"{name} ({_p(c)})" for name, c in tested.items() if c.is_significant]
    tied = [f"{name} ({_p(c)})" for name, c in tested.items() if not c.is_significant]
    if len(tested) < len(others):
        text = f"{best} has the {most}est {shown}; no test says whether that is more than chance."
        return finding("highest-untested", "neutral", text, "summary")
    if not tied:
        text = f"{best} is the best: {shown}, {most}er than that of {listed(worse)}."
        return finding("best-model", "good", text, "comparisons")
    than = (
        f"; it is better than {listed(worse)}, but not shown to be better than"
        if worse
        else ", but is not shown to be better than"
    )
    return finding("tied-models", "neutral", f"{best} has the {most}est {shown}{than} {listed(tied)}.", "comparisons")


def _p(c: Comparison) -> str:
    return f"{'' if c.adjusted_p_value is None else 'adjusted '}{p_text(*c.final_p)}"


def _decided(document: Document, best: ModelPart) -> Iterator[Finding]:
    """What to use as threshold at the costs that were given, else what the threshold that there is gives."""
    from thresher.report.sections.chosen import range_sentence, rule_of

    costed = _costed(document)
    if not costed:
        has_both = document.is_binary and only_class(document) is None
        if best.decided == "threshold" and best.matrix is not None and has_both:
            yield finding("threshold", "neutral", _at_threshold(document, best), "decisions")
        return
    name, chosen = _cheapest(costed)
    gain = chosen.measures.get("expected_benefit")
    cost = chosen.measures["expected_cost"]
    comes = f"costs {estimated(cost)}" if gain is None else f"gains {estimated(gain)}"
    where = "" if chosen.prevalence is None else f" and a prevalence of {brief(chosen.prevalence)}"
    text = f"At the costs given{where} use {name}: {rule_of(chosen)} {range_sentence(chosen)} A row then {comes}."
    yield finding("cheapest-threshold", "good", text, "chosen")
    if (always := _always(chosen)) is not None:
        text = f"At these costs no threshold of {name} beats always predicting “{always}”."
        yield finding("cheapest-is-trivial", "warning", text, "chosen")
    if name != best.name:
        text = f"Costs prefer {name}, although {best.name} has the highest value above: decide by what errors cost."
        yield finding("cost-prefers-another", "warning", text, "chosen")


def _always(chosen: ChosenThreshold) -> str | None:
    """The class that a threshold predicts for every row; None where it predicts both."""
    (tp, fn), (fp, tn) = chosen.matrix.counts.tolist()
    positive, negative = (plain_text(label) for label in chosen.matrix.labels)
    return negative if not tp + fp else positive if not fn + tn else None


def _at_threshold(document: Document, model: ModelPart) -> str:
    """What a model finds at its threshold, and how many of its alarms are right."""
    positive = next(iter(document.class_counts))
    recall, precision = (_value(model, name) for name in ("true_positive_rate", "positive_predictive_value"))
    found = [
        *([] if recall is None else [f"finds {percent(recall.value)} of the “{positive}” rows"]),
        *([] if precision is None else [f"is right in {percent(precision.value)} of those that it calls “{positive}”"]),
    ]
    told = f"At threshold {cut(model.shown_threshold)} {model.name} {', and '.join(found)}. " if found else ""
    return f"{told}Say what the two errors cost, and the cheapest threshold is named here."


def _calibrated(model: ModelPart, level: float) -> Iterator[Finding]:
    """Whether scores can be read as probabilities: shown by narrow intervals, refuted by a test, or left open."""
    found = model.calibration
    test = None if found is None else found.tests.get("recalibration")
    if found is None or test is None or math.isnan(test.p_value) or model.score_kind is not None:
        return
    shown = f"recalibration test, {p_text(test.p_value)}"
    if test.p_value <= 1 - level and not _is_close(found.estimates):
        how = f"{model.name}'s scores are not probabilities as they stand{_how(found.estimates)}"
        text = f"{how} ({shown}): recalibrate them before they are read so."
        yield finding("miscalibrated", "warning", text, "calibration")
        return
    severity: Severity = "neutral"
    text, code = f"{model.name}: no miscalibration shown ({shown})", "calibration-open"
    if _is_close(found.estimates):
        ends = "; ".join(f"{heading_of(name)} {estimated(found.estimates[name])}" for name in CLOSE)
        text, code, severity = f"{model.name}'s scores can be read as probabilities ({ends})", "calibrated", "good"
    loss = model.measures.get("log_loss")
    if loss is not None and loss.value == math.inf:
        text, severity = f"{text}, {_except(found.certain_errors)}", "warning"
    yield finding(code, severity, f"{text}.", "calibration")


CLOSE: dict[str, tuple[float, float]] = {"observed_expected_ratio": (0.8, 1.25), "calibration_slope": (0.8, 1.25)}
"""Ranges that intervals must lie in before scores are called probabilities: off by a quarter at most."""


def _is_close(found: Mapping[str, Estimate]) -> bool:
    """Whether intervals rule out that predicted risks are off, or spread, by more than a quarter."""
    limits = [(found[name].interval, ends) for name, ends in CLOSE.items() if name in found]
    inside = [ends[0] <= each[0] and each[1] <= ends[1] for each, ends in limits if each is not None]
    return len(inside) == len(CLOSE) and all(inside)


def _except(rows: int | None) -> str:
    """Which rows make the log loss infinite."""
    many = "rows" if rows is None else "one row" if rows == 1 else f"{rows:,} rows"
    return f"except {many} predicted with probability 0 or 1 that {'was' if rows == 1 else 'were'} wrong"


def _how(found: Mapping[str, Estimate]) -> str:
    """In which way scores are off, where an interval shows it."""
    ratio, slope = found.get("observed_expected_ratio"), found.get("calibration_slope")
    said = [
        *_beside(ratio, "they promise too few positives", "they promise too many positives"),
        *_beside(slope, "they are too timid", "they are too extreme"),
    ]
    return f": {listed(said)}" if said else ""


def _beside(found: Estimate | None, above: str, below: str) -> Iterator[str]:
    if found is not None and found.low is not None and found.high is not None:
        if found.low > 1:
            yield above
        elif found.high < 1:
            yield below


def _crossing(document: Document, best: ModelPart, tied: Sequence[str]) -> Iterator[Finding]:
    """Models that are not shown to be worse, and lead somewhere."""
    for found in document.dominances:
        other = next((name for name in found.models if name != best.name), "")
        if best.name in found.models and other in tied and found.crossings and not found.dominant:
            where = (
                f"at false positive rate {brief(found.crossings[0][0])}"
                if len(found.crossings) == 1
                else f"{len(found.crossings)} times"
            )
            text = (
                f"The ROC curves of {best.name} and {other} cross {where}: which is the cheaper depends on the costs."
            )
            yield finding("curves-cross", "neutral", text, "dominance")


def _reversed(document: Document) -> Iterator[Finding]:
    """Models that rank the wrong way round, which only an interval below ½ shows."""
    for model in document.models:
        yield from turned(model.name, _value(model, "auc"))


def turned(name: str, found: Estimate | None) -> Iterator[Finding]:
    """That a model ranks the wrong way round, where the interval of its AUC lies below ½."""
    if found is not None and found.high is not None and found.high < CHANCE:
        text = (
            f"{name} ranks the wrong way round ({heading_of('auc')} {estimated(found)}): is the other class positive?"
        )
        yield finding("reversed", "warning", text, "summary")


def _perfect(document: Document) -> Iterator[Finding]:
    """Models that rank without an error, which rows that were not seen before hardly ever allow."""
    if min(document.class_counts.values(), default=0) < FEWEST or document.is_multilabel:
        return
    names = [m.name for m in document.models if (found := _value(m, "auc")) is not None and found.value == 1]
    if names:
        ranks = "ranks" if len(names) == 1 else "rank"
        text = (
            f"{listed(names)} {ranks} every positive row above every negative one, which is rare on new rows: check "
            "that no feature gives the label away, and that nothing was learned from these rows."
        )
        yield finding("perfect-ranking", "warning", text, "summary")


def _no_better(document: Document) -> Iterator[Finding]:
    """Models whose accuracy is that of always predicting one class."""
    judged = [model for model in document.models if is_judged(document, model)]
    found = [(model, model.baselines) for model in judged if model.baselines is not None]
    rows = [(m.name, each, standing(each, m.measures.get("accuracy"), document.level)) for m, each in found]
    said = [(name, each.accuracy, where) for name, each, where in rows if each.accuracy is not None]
    for _, each in found[:1]:
        yield from no_better(said, each.no_information_rate, plain_text(each.most_frequent), "warnings")


def no_better(
    rows: Iterable[tuple[str, float, str | None]], rate: float, label: str, evidence: str
) -> Iterator[Finding]:
    """One finding of the models, each with its accuracy, that are not above always predicting one class."""
    kept = [(name, accuracy, where) for name, accuracy, where in rows if where not in (None, "above")]
    *texts, best = told_apart([*(accuracy for _, accuracy, _ in kept), rate], number)
    below: dict[str, list[tuple[str, str]]] = {}
    for (name, _, where), accuracy in zip(kept, texts, strict=True):
        below.setdefault(str(where), []).append((name, accuracy))
    said = [
        f"{_accuracy(each)} is {where} " + (f"the {best} of always predicting “{label}”" if i == 0 else "it")
        for i, (where, each) in enumerate(below.items())
    ]
    if said:
        several = len(next(iter(below.values()))) > 1
        text = capital(", ".join(said)) if several else ", ".join(said)
        yield finding("accuracy-not-above-base-rate", "warning", f"{text}.", evidence)


def _accuracy(models: Sequence[tuple[str, str]]) -> str:
    if len(models) == 1:
        return f"{models[0][0]}'s accuracy, {models[0][1]},"
    return f"the accuracy of {listed([f'{name} ({value})' for name, value in models])}"


def _warned(document: Document) -> Iterator[Finding]:
    """What about the design is known to make intervals and tests fall short."""
    yield from warned(telling(document), "notes")


def warned(warnings: Sequence[DesignWarning], evidence: str) -> Iterator[Finding]:
    """Warnings as findings, one of each kind; a section says what they do to the numbers."""
    for code in dict.fromkeys(warning.code for warning in warnings):
        first, *others = (each for each in warnings if each.code == code)
        where = f" ({first.where})" if first.where else ""
        short = plain_text(first.text.partition(":")[0] + where)
        more = f", and {len(others)} more of the kind" if others else ""
        text = f"{capital(short)}{more}: the notes say what that does to the numbers."
        yield finding(code, "warning", text, evidence)


ANSWERED: dict[str, Question] = {
    "quality": "good", "no-better-than-chance": "good", "calibrated": "sure", "calibration-open": "sure",
    "best-model": "better", "tied-models": "better", "highest-untested": "better", "measures-disagree": "better",
    "curves-cross": "better", "mean-rank-prefers-another": "better", "threshold": "cut", "cheapest-threshold": "cut",
    "cheapest-is-trivial": "cut", "cost-prefers-another": "cut",
}  # fmt: skip
"""Questions that findings answer; all others are to watch out for."""

WORDS = 7
"""Words of a headline."""


def finding(code: str, severity: Severity, text: str, evidence: str, headline: str = "") -> Finding:
    """Finding whose sentence is written; its headline is the beginning where none is given."""
    return Finding(
        code=code, severity=severity, question=ANSWERED.get(code, "watch"), text=text, evidence=evidence,
        headline=headline or " ".join(text.split()[:WORDS]),
    )  # fmt: skip
