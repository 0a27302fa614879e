"""An assessment as sections of a report: what its text says of models, comparisons and series, in the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.plain import plain_text
from thresher.report.sections.comparisons import comparison_table, heading_as_written
from thresher.report.sections.decision_curves import nice_ticks
from thresher.report.sections.kinds import Cell, Figures, Plot, PlotBand, PlotLine, Plots, Prose, Section, Table
from thresher.report.titles import capital, sentence
from thresher.resampling.series_text import heading, series_foot
from thresher.resampling.text import assessment_foot, fit_seconds

if TYPE_CHECKING:
    from thresher.inference.compare import Comparison
    from thresher.resampling import Assessment, Series
    from thresher.resampling.series import Line


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
        *(part for series in curves for part in (_plots(series), _series(series))),
        _prose("models", "Models", texts),
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


def _lines(series: Series, measure: str) -> list[Line]:
    return [line for line in series.lines if line.measure == measure]


def _line(series: Series, line: Line, model: int) -> PlotLine:
    known = np.isfinite(line.values)
    return PlotLine(name=plain_text(line.model), x=series.x[known], y=line.values[known], model=model)


def _band(series: Series, line: Line, model: int) -> Iterator[PlotBand]:
    """Outline of the intervals along x; nothing where fewer than two points have one."""
    known = np.isfinite(line.low) & np.isfinite(line.high)
    if known.sum() > 1:
        x, low, high = series.x[known], line.low[known], line.high[known]
        yield PlotBand(model=model, x=np.concatenate([x, x[::-1]]), y=np.concatenate([low, high[::-1]]))


def _ends(line: Line) -> str:
    """First and last value of a line in words, for who cannot see it."""
    first, last = (each.format(3) for each in (line.estimates[0], line.estimates[-1]))
    return f"{plain_text(line.model)} from {first} to {last}"


def kept(section: Any) -> bool:
    """Whether a section of the held-out predictions stays: those that say less than the assessment does are dropped."""
    return section.key not in ("notes", "summary", "comparisons")
