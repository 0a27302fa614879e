"""An assessment as sections of a report: what its text says of models, comparisons and series, in the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.measures.measure_text import wanted
from thresher.plain import plain_text
from thresher.report.document import Document
from thresher.report.sections.assessed_parts import facts, ranks, splits
from thresher.report.sections.comparisons import comparison_table, heading_as_written
from thresher.report.sections.decision_curves import nice_ticks
from thresher.report.sections.kinds import Cell, Figures, Plot, PlotBand, PlotLine, Plots, Prose, Section, Table
from thresher.report.titles import capital, sentence

if TYPE_CHECKING:
    from thresher.inference.comparing.comparison import Comparison
    from thresher.resampling import Assessment, Series
    from thresher.resampling.series import SeriesLine
    from thresher.results import Estimate


POOLED = (
    "Pooled: the held-out predictions of a repeat together, with the interval that they would have as one model's; "
    "several repeats are averaged."
)


def sections(
    found: Assessment,
    compared: Sequence[Comparison] = (),
    curves: Sequence[Series] = (),
    *,
    texts: Sequence[str] = (),
    said: Sequence[str] = (),
    held_out: Sequence[str] = (),
) -> list[Section]:
    """What an assessment says, in order; `texts` tell what the models are, `said` what was done to the data.

    `held_out` are the notes on the evaluation of the held-out predictions, which comes after.
    """
    parts: list[Section | None] = [
        estimates(found),
        _prose("notes", "Notes", said),
        comparison_table(compared, found.level, lead="All models on the same splits; first minus second."),
        ranks(found),
        *(part for series in curves for part in (_plots(series), _series(series))),
        splits(found),
        Prose(key="models", title="Models", sentences=tuple(map(plain_text, texts))) if texts else None,
        facts(found),
        _prose("held-out", "Held-out predictions", held_out),
    ]
    return [part for part in parts if part is not None]


def estimates(found: Assessment) -> Table:
    """Measures down, models across; below a mean over folds the value of the pooled predictions."""
    known = found.estimates()
    rows: list[tuple[Cell, ...]] = []
    for measure in found.measures:
        title = heading_as_written(measure)
        rows.append((title, *(parts[measure] for parts in known.values())))
        if found.has_folds:
            rows.append((f"{title}, pooled", *(found[name].pooled(measure) for name in found)))
    rows.append(("Fit, seconds", *(Figures(fit_seconds(found, name)) for name in found)))
    columns = ("Measure", *map(plain_text, found))
    foot = tuple(plain_text(line) for line in assessment_foot(found, known) if line)
    return Table(key="estimates", title="Estimates", columns=columns, rows=tuple(rows), remarks=foot)


def _prose(key: str, title: str, sentences: Sequence[str]) -> Prose | None:
    said = tuple(sentence(plain_text(each)) for each in dict.fromkeys(sentences))
    return Prose(key=key, title=title, sentences=said) if said else None


def _series(series: Series) -> Table:
    """Every value of a series with its interval: measures, then x down, models across."""
    rows: list[tuple[Cell, ...]] = []
    for measure in series.measures:
        lines = _lines(series, measure)
        at = enumerate(series.x.tolist())
        rows += [(heading_as_written(measure), f"{x:g}", *(line.estimates[i] for line in lines)) for i, x in at]
    x = capital(series.x_name.replace("_", " "))
    return Table(
        key=series.title.replace(" ", "-"),
        title=f"{capital(series.title)}: values",
        columns=("Measure", x, *map(plain_text, series.models)),
        rows=tuple(rows),
        headers=2,
        remarks=tuple(plain_text(line) for line in series_foot(series)),
    )


def _plots(series: Series) -> Plots | None:
    """A plot of each measure that has two values to join; what it says stands in the table as well."""
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
        bands=tuple(band for i, line in enumerate(lines) for band in _band(series, line, i)),
        description=f"{capital(heading(series, measure))}: {'; '.join(_ends(line) for line in lines)}.",
        caption="",
    )


def _lines(series: Series, measure: str) -> list[SeriesLine]:
    return [line for line in series.lines if line.measure == measure]


def _line(series: Series, line: SeriesLine, model: int) -> PlotLine:
    known = np.isfinite(line.values)
    return PlotLine(name=plain_text(line.model), x=series.x[known], y=line.values[known], model=model)


def _band(series: Series, line: SeriesLine, model: int) -> Iterator[PlotBand]:
    """Outline of the intervals along x; nothing where fewer than two points have one."""
    known = np.isfinite(line.low) & np.isfinite(line.high)
    if known.sum() > 1:
        x, low, high = series.x[known], line.low[known], line.high[known]
        yield PlotBand(model=model, x=np.concatenate([x, x[::-1]]), y=np.concatenate([low, high[::-1]]))


def _ends(line: SeriesLine) -> str:
    """First and last value of a line in words, for who cannot see it."""
    first, last = (each.format(3) for each in (line.estimates[0], line.estimates[-1]))
    return f"{plain_text(line.model)} from {first} to {last}"


def kept(section: Any) -> bool:
    """Whether a section of the held-out predictions stays: those that say less than the assessment does are dropped."""
    return section.key not in ("verdict", "notes", "summary", "warnings", "comparisons", "ranks")


def untested(document: Document, splits: int) -> Document:
    """Held-out predictions of several splits without the test of their accuracy, which takes them for one model's."""
    if splits < 2:
        return document
    found = {model.name: model.baselines for model in document.models}
    left = {name: None if each is None else replace(each, p_value=None, reason=WHY) for name, each in found.items()}
    return replace(document, models=tuple(replace(model, baselines=left[model.name]) for model in document.models))


WHY = "the rows were judged by the models of several splits, which no binomial test allows for; the verdict does"
"""Why the accuracy of held-out predictions has no test."""


def fit_seconds(assessment: Assessment, name: str) -> str:
    """Mean seconds of a model's fits."""
    model = assessment.judged[name]
    times = model.fit_seconds[model.done]
    return f"{times.mean():.3g}" if len(times) else "no fit succeeded"


def assessment_foot(assessment: Assessment, estimates: Mapping[str, Mapping[str, Estimate]]) -> list[str]:
    """Methods of the intervals, reasons of what is undefined, and notes."""
    found = [e for parts in estimates.values() for e in parts.values()]
    methods: dict[str, dict[str, None]] = {}
    for e in found:
        if e.method:
            methods.setdefault(e.method, {})[wanted(e.name).title] = None
    by_method = [f"{how} ({', '.join(names)})" if len(methods) > 1 else how for how, names in methods.items()]
    lines = [f"{100 * assessment.level:g} % intervals: {'; '.join(by_method)}."] if methods else []
    lines += [POOLED] if assessment.has_folds and any(e.is_defined for e in found) else []
    lines += dict.fromkeys(f"{wanted(e.name).title}: {e.reason}." for e in found if e.reason)
    lines += assessment.notes
    return ["", *lines] if lines else []


def heading(series: Series, measure: str) -> str:
    """What a table or a plot shows, such as `AUC against training rows`."""
    return f"{wanted(measure).title} against {series.axis}"


def series_foot(series: Series) -> list[str]:
    """How a series was made, and what must be known."""
    found = [estimate for line in series.lines for estimate in line.estimates]
    methods = dict.fromkeys(e.method for e in found if e.method)
    level = next((e.level for e in found if e.level is not None), None)
    lines = [f"Made by {series.method}."]
    if level is not None:
        lines.append(f"{100 * level:g} % intervals: {'; '.join(methods)}.")
    lines += dict.fromkeys(f"{e.name.replace('_', ' ')}: {e.reason}." for e in found if e.reason)
    return [*lines, *series.notes]
