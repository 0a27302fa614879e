"""An assessment as sections of a report: findings, the numbers of its text, splits, ranks and models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thresher._util.json_values import plain_text
from thresher.design_warnings import DesignWarning, distinct
from thresher.errors import InputError, OptionError, capital
from thresher.finding import Finding, lesser, sorted_findings
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.estimates.methods import ranks_rows
from thresher.measures.baselines import standing_by_interval
from thresher.measures.measure_text import parse_measure
from thresher.report.blocks import (
    Block,
    Cell,
    Figures,
    Plot,
    PlotBand,
    PlotLine,
    Plots,
    Prose,
    SplitParts,
    Table,
    Verdict,
)
from thresher.report.document import Document
from thresher.report.numbers import count, in_brackets, number, sentence
from thresher.report.sections import answers
from thresher.report.sections.comparisons import (
    Ranked,
    comparison_table,
    conclusions,
    heading_as_written,
    rank_table_of_folds,
    ranked_models,
)
from thresher.report.sections.curves import nice_ticks
from thresher.report.sections.order import sections_of
from thresher.resampling.data import splits_of_seed
from thresher.resampling.facts import Fact, model_facts
from thresher.resampling.splits import NEITHER, TESTS, row_parts
from thresher.results import by_method

if TYPE_CHECKING:
    from thresher.resampling import Assessment, Series
    from thresher.resampling.estimates import SeriesLine
    from thresher.results import Estimate

    Estimates = Mapping[str, Mapping[str, Estimate]]


WHEN_POOLED = (
    "All held-out predictions of a repeat as if one model had made them; repeats are averaged. "
    "Read these values where one confusion matrix is reported. To compare models, read the means over folds."
)
RANKED = "Ranking measures are means over the folds here too, as scores of different fits are not comparable."


def sections(
    found: Assessment,
    compared: Sequence[Comparison] = (),
    curves: Sequence[Series] = (),
    *,
    texts: Sequence[str] = (),
    said: Sequence[str] = (),
    held_out: Sequence[str] = (),
) -> list[Block]:
    """Return the blocks of an assessment in order; `texts` describe the models, `said` the preparation.

    `held_out` are the notes on the later evaluation of the held-out predictions.
    """
    told = conclusions(compared)
    findings = assessed_findings(found, compared)
    parts: list[Block | None] = [
        Verdict.of(findings),
        estimates(found),
        pooled(found) if found.has_folds else None,
        _prose("notes", "Notes", (*lesser(findings), *said)),
        comparison_table(
            compared, found.level, lead="All models on the same splits; first minus second.", is_told=told is not None
        ),
        told,
        ranks(found),
        *(part for series in curves for part in (_plots(series), series_table(series))),
        splits(found),
        Prose(key="models", title="Models", sentences=tuple(map(plain_text, texts))) if texts else None,
        facts(found),
        _prose("held-out", "Held-out predictions", held_out),
    ]
    return [part for part in parts if part is not None]


def pooled(found: Assessment) -> Table:
    """Values of the held-out predictions of all folds taken together, and when they are read; looked up."""
    is_ranking = any(ranks_rows(parse_measure(name)) for name in found.measures)
    rows = tuple((heading_as_written(name), *(found[each].pooled(name) for each in found)) for name in found.measures)
    return Table(
        key="pooled", title="Predictions of all folds taken together", columns=("Measure", *map(plain_text, found)),
        rows=rows, lead=WHEN_POOLED, remarks=(RANKED,) * is_ranking, detail=True,
    )  # fmt: skip


def estimates(found: Assessment) -> Table:
    """Return values or fold means, measures down and models across."""
    known = found.estimates()
    rows: list[tuple[Cell, ...]] = [
        (heading_as_written(measure), *(parts[measure] for parts in known.values())) for measure in found.measures
    ]
    rows.append(
        ("Fit, seconds", *(Figures(_seconds(model.fit_seconds[model.done])) for model in found.judged.values()))
    )
    shown = [e for parts in known.values() for e in parts.values()]
    methods = by_method(((e.method, parse_measure(e.name).title) for e in shown if e.method), is_one_bare=True)
    foot = [in_brackets(found.level, methods)] if methods else []
    foot += dict.fromkeys(f"{parse_measure(e.name).title}: {e.reason}." for e in shown if e.reason)
    columns, remarks = ("Measure", *map(plain_text, found)), tuple(map(plain_text, [*foot, *found.notes]))
    return Table(key="estimates", title="Estimates", columns=columns, rows=tuple(rows), remarks=remarks)


def _prose(key: str, title: str, sentences: Sequence[str]) -> Prose | None:
    said = tuple(sentence(plain_text(each)) for each in dict.fromkeys(sentences))
    return Prose(key=key, title=title, sentences=said) if said else None


def series_table(series: Series) -> Table:
    """Every value of a series with its interval: measures, then x down, models across."""
    rows: list[tuple[Cell, ...]] = []
    for measure in series.measures:
        lines = _lines(series, measure)
        at = enumerate(series.x.tolist())
        rows += [(heading_as_written(measure), f"{x:g}", *(line.estimates[i] for line in lines)) for i, x in at]
    found = [estimate for line in series.lines for estimate in line.estimates]
    remarks = [f"Made by {series.method}."]
    if (level := next((e.level for e in found if e.level is not None), None)) is not None:
        methods = dict.fromkeys(e.method for e in found if e.method)
        remarks.append(f"{100 * level:g} % intervals: {'; '.join(methods)}.")
    remarks += dict.fromkeys(f"{e.name.replace('_', ' ')}: {e.reason}." for e in found if e.reason)
    x = capital(series.x_name.replace("_", " "))
    return Table(
        key=series.title.replace(" ", "-"),
        title=f"{capital(series.title)}: values",
        columns=("Measure", x, *map(plain_text, series.models)),
        rows=tuple(rows),
        headers=2,
        lead=f"Against {series.axis}.",
        remarks=tuple(map(plain_text, [*remarks, *series.notes])),
    )


def _plots(series: Series) -> Plots | None:
    """Return a plot of each measure with two values to join; the table has the same numbers."""
    drawn = tuple(plot for measure in series.measures if (plot := _plot(series, measure)) is not None)
    if not drawn:
        return None
    lead = "Shaded is the interval at each point; the table below has the numbers."
    return Plots(key=f"{series.title.replace(' ', '-')}-plots", title=capital(series.title), plots=drawn, lead=lead)


def _plot(series: Series, measure: str) -> Plot | None:
    lines = _lines(series, measure)
    ends = np.concatenate([part for line in lines for part in (line.values, line.low, line.high)])
    ends = ends[np.isfinite(ends)]
    if len(series.x) < 2 or ends.size < 2 or ends.min() == ends.max():
        return None
    return Plot(
        key=f"{series.title}-{measure}".replace(" ", "-"),
        title=heading_as_written(measure),
        x_title=capital(series.axis),
        y_title=heading_as_written(measure),
        x_ticks=nice_ticks(min(0.0, float(series.x.min())), float(series.x.max())),
        y_ticks=nice_ticks(float(ends.min()), float(ends.max())),
        lines=tuple(_line(series, line, i) for i, line in enumerate(lines)),
        bands=tuple(filter(None, (PlotBand.between(i, series.x, line.low, line.high) for i, line in enumerate(lines)))),
        description=f"{heading_as_written(measure)} against {series.axis}: {'; '.join(map(_ends, lines))}.",
    )


def _lines(series: Series, measure: str) -> list[SeriesLine]:
    return [line for line in series.lines if line.measure == measure]


def _line(series: Series, line: SeriesLine, model: int) -> PlotLine:
    known = np.isfinite(line.values)
    return PlotLine(name=plain_text(line.model), x=series.x[known], y=line.values[known], model=model)


def _ends(line: SeriesLine) -> str:
    """First and last value of a line in words, for who cannot see it."""
    first, last = (each.format(3) for each in (line.estimates[0], line.estimates[-1]))
    return f"{plain_text(line.model)} from {first} to {last}"


def held_out_sections(found: Assessment, document: Document) -> Iterator[Block]:
    """Sections of the held-out predictions, without those that say less than the assessment does.

    Trivial baselines would be tested as of one model. Samples that overlap are not folds of the first predictions.
    """
    for block in sections_of(document):
        is_fold = block.key.partition("-")[0] == "folds" and not found.has_folds
        if not is_fold and block.key not in ("verdict", "notes", "summary", "comparisons", "ranks", "baselines"):
            yield block


def _seconds(fits: NDArray[np.float64]) -> str:
    return f"{fits.mean():.3g}" if len(fits) else "no fit succeeded"


MOST_SPLITS = 20
"""Splits that are drawn and listed."""

MOST_COLUMNS = 240
"""Rows that are drawn of each split, at even steps among all."""


def splits(found: Assessment) -> Table | None:
    """Splits as a picture, with how many rows each learned from and judged; None where all rows are in both."""
    table, drawn = found.splits, min(MOST_SPLITS, len(found.splits.sampled))
    if not drawn:
        return None
    parts = row_parts(splits_of_seed(found.method, found.rows, found.rng), found.n, MOST_SPLITS)[:drawn]
    shown = table.sampled[:drawn].tolist()
    rows: list[tuple[Cell, ...]] = [(table.name(s), int(table.train[s]), int(table.test[s])) for s in shown]
    total = len(table.sampled)
    more = (f"The first {drawn} of {total:,} splits are shown.",) if total > drawn else ()
    lead = "A line is a split and a column a row, in the order of first testing."
    title, size = "How rows were split", (f"{found.n:,} rows, {found.method.summary}.",)
    return Table(
        key="splits", title=title, columns=("Split", "Training rows", "Test rows"), rows=tuple(rows), lead=lead,
        picture=SplitParts(parts=in_order(parts), description=_described(parts)), remarks=(*size, *more),
    )  # fmt: skip


def in_order(parts: NDArray[np.int8], most: int = MOST_COLUMNS) -> NDArray[np.int8]:
    """Columns by the first split that judges the row, never judged ones first, and of many some at even steps."""
    judged = parts >= TESTS
    first = np.where(judged.any(axis=0), judged.argmax(axis=0), -1)
    order = np.argsort(first, kind="stable")
    steps = ((np.arange(min(most, order.size)) + 0.5) * order.size / min(most, order.size)).astype(np.int64)
    return parts[:, order[steps]]


def _described(parts: NDArray[np.int8]) -> str:
    learned, judged = (np.mean(each, axis=1) for each in ((parts != NEITHER) & (parts != TESTS), parts >= TESTS))
    lines = (_percents(each) for each in (learned, judged))
    return "{} splits: each trains on {} of the rows and tests on {}.".format(len(parts), *lines)


def _percents(shares: NDArray[np.float64]) -> str:
    low, high = (f"{100 * float(end):.3g}" for end in (shares.min(), shares.max()))
    return f"{low} %" if low == high else f"{low} to {high} %"


def ranks(found: Assessment) -> Table | None:
    """Mean ranks of three models or more over the folds of one repeat, by the measure of the verdict."""
    ranked = _ranked(found)
    return None if ranked is None else rank_table_of_folds(ranked)


def ranks_dict(found: Assessment) -> dict[str, Any] | None:
    """The same for the JSON form."""
    ranked = _ranked(found)
    return None if ranked is None else ranked.to_dict()


def _ranked(found: Assessment) -> Ranked | None:
    """Mean ranks over the folds of the first repeat; further repeats judge the same rows and would count them twice."""
    if not found.has_folds:
        return None
    measure = found.headline
    first = found.splits.repeat[found.splits.sampled] == 0
    values = np.column_stack([found[name].values(measure)[first] for name in found])
    return ranked_models(measure, values, [plain_text(name) for name in found], sign=parse_measure(measure).sign)


def facts(found: Assessment) -> Table | None:
    """Return size and shape of the fitted models, each over all of its fits; None without stored models."""
    kept = {name: [model for model in judged.fitted if model is not None] for name, judged in found.judged.items()}
    by_model = {name: [_facts(model) for model in fits] for name, fits in kept.items() if fits}
    rows = tuple(
        (
            plain_text(name),
            text.name,
            Figures(_over([each.value for fit in fits for each in fit if each.name == text.name])),
            text.about,
        )
        for name, fits in by_model.items()
        for text in fits[0]
    )
    columns = ("Model", "Fact", "Over the fits", "Basis")
    return Table(key="facts", title="Facts of the models", columns=columns, rows=rows, headers=2) if rows else None


def _facts(model: Any) -> tuple[Fact, ...]:
    """Return the facts of one fit; none for a model that is not marked as fitted."""
    try:
        return model_facts(model).facts
    except InputError:
        return ()


def _over(known: list[int | float | str]) -> str:
    """Value that all fits share, else the range of numbers or the different texts."""
    texts = list(dict.fromkeys(_shown(each) for each in known))
    if len(texts) == 1:
        return texts[0]
    numbers = [each for each in known if not isinstance(each, str)]
    return f"{_shown(min(numbers))} to {_shown(max(numbers))}" if len(numbers) == len(known) else ", ".join(texts)


def _shown(value: int | float | str) -> str:
    return plain_text(value) if isinstance(value, str) else count(value) if isinstance(value, int) else number(value)


def assessed_findings(found: Assessment, compared: Sequence[Comparison] = ()) -> tuple[Finding, ...]:
    """Findings of an assessment, the verdict first.

    Models are compared by the comparisons given, else by the corrected resampled t test: tests of the pooled
    predictions treat the rows of several models as from one, and find too many differences.
    """
    known = {plain_text(name): parts for name, parts in found.estimates().items()}
    measure = found.headline
    is_known = all(parts[measure].is_defined for parts in known.values())
    tests = _split_tests(found, measure, compared) if is_known else []
    warnings = distinct((*found.warnings, *(warning for c in tests for warning in c.warnings)))
    first = tuple(_first(found, known, measure, tests)) if is_known else ()
    rule = answers.trivial_of(measure, math.nan, "")
    is_told = rule is not None and rule.is_of_classes  # the first answer compares the best model with the baseline
    told = max(known, key=lambda name: known[name][measure].value) if is_told else None
    lines = (*first, *_turned(known, first), *_no_better(found, known, told))
    shown = {"summary": "estimates"} | ({} if compared else {"comparisons": "estimates"})
    return tuple(
        replace(each, evidence=shown.get(each.evidence, each.evidence))
        for each in sorted_findings(_doubts(warnings), lines)
    )


def _doubts(warnings: Sequence[DesignWarning]) -> Iterator[Finding]:
    """Sum up the design warnings in one sentence; the tables that they concern have them all below."""
    if warnings:
        short = plain_text(warnings[0].text.partition(":")[0])
        more = f" and {len(warnings) - 1} more" if len(warnings) > 1 else ""
        text = f"{capital(short)}{more}: intervals may cover less than they say."
        yield answers.finding("sure", warnings[0].code, "warning", f"Hardly: {short}", text, "estimates")


def _split_tests(found: Assessment, measure: str, compared: Sequence[Comparison]) -> list[Comparison]:
    """Tests of every two models by one measure; none where there is nothing to test."""
    given = [c for c in compared if c.measure == parse_measure(measure).text]
    if not given and len(found) > 1:
        try:
            made = found.compare(measure=measure)
        except OptionError:
            return []
        given = [made] if isinstance(made, Comparison) else list(made)
    return [c for c in given if not math.isnan(c.p_value)]


def _first(found: Assessment, known: Estimates, measure: str, tests: Sequence[Comparison]) -> Iterator[Finding]:
    """Rate the best model, its uncertainty, and comparisons."""
    sign, title = parse_measure(measure).sign, parse_measure(measure).title
    order = sorted(((name, parts[measure]) for name, parts in known.items()), key=lambda item: -sign * item[1].value)
    best, value = order[0]
    yield answers.quality(best, value, title, answers.trivial_of(measure, *_most_frequent(found)))
    yield from answers.certainty(best, value, title)
    if len(order) > 1:
        tested = answers.tested_against(best, (name for name, _ in order), tests)
        yield answers.better(order, title, tested, most="high" if sign > 0 else "low")
        yield from answers.tested_by(tested)


def _most_frequent(found: Assessment) -> tuple[float, str]:
    shares = np.bincount(found.rows.truth, found.rows.weights, minlength=len(found.classes))
    return float(shares.max() / shares.sum()), plain_text(found.classes[int(shares.argmax())])


def _turned(known: Estimates, first: Sequence[Finding]) -> Iterator[Finding]:
    """Warn of models that rank the wrong way, except a best model named before."""
    areas = {name: parts["auc"] for name, parts in known.items() if "auc" in parts and parts["auc"].is_defined}
    told = max(areas, key=lambda name: areas[name].value) if any(each.code == "reversed" for each in first) else None
    for name, area in areas.items():
        if name != told and answers.is_turned(area):
            yield answers.turned(name, area, parse_measure("auc").title, "watch")


def _no_better(found: Assessment, known: Estimates, told: str | None) -> Iterator[Finding]:
    """Warn of models that do not beat the majority class, except `told`."""
    rate, label = _most_frequent(found)
    accuracies = {name: parts["accuracy"] for name, parts in known.items() if "accuracy" in parts and name != told}
    rows = [(name, standing_by_interval(each.value, each, rate)) for name, each in accuracies.items()]
    yield from answers.no_better(rows, rate, label, "estimates")
