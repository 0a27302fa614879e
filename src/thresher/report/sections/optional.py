"""Optional sections of a report: reject option, partial areas, smooth and mean curves, and text for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from thresher._util.json_values import plain_text
from thresher.analysis.roc_findings import MeanCurve, OptionalFindings
from thresher.errors import capital
from thresher.evaluation.assumptions import ASSUMED
from thresher.measures.measure_text import parse_measure
from thresher.measures.shown import PAPER
from thresher.report.blocks import Block, Cell, Figures, Plot, PlotBand, PlotLine, Plots, Prose, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import count, cut, estimated, in_brackets, level, number, p_text, percent, sentence
from thresher.report.sections.curves import AXES, CHANCE, model_line
from thresher.report.sections.facts import brackets, clusters_text, gold_alone
from thresher.results import Estimate, by_method, gathered, why_missing

if TYPE_CHECKING:
    from thresher.curves.regions import Part


UNDECIDED = "Leaving rows undecided"
RATES = {"fpr_range": "FPR", "tpr_range": "TPR", "recall_range": "recall"}
AVERAGES = {
    "vertical": "the mean of the folds' curves at each false positive rate, and at each recall",
    "threshold": "the mean of the folds' points at each threshold, for which scores have to mean the same in each",
    "pooled": "one curve of the rows of all folds, for which scores have to mean the same in each",
}

Parts = list[tuple[int, ModelPart, OptionalFindings]]


def optional_sections(document: Document) -> tuple[Table | Plots | Prose | None, ...]:
    """Return all requested sections in reading order."""
    parts = [(i, model, model.optional) for i, model in enumerate(document.models) if model.optional is not None]
    if not parts:
        return ()
    drawn = all(model.points is not None for _, model, _ in parts)
    return (
        reject_table(document, parts),
        area_table(document, parts),
        smooth_table(document, parts),
        smooth_plots(parts) if drawn else None,
        mean_table(document, parts),
        mean_plots(parts) if drawn else None,
        top_table(document, parts),
    )


def reject_table(document: Document, parts: Parts) -> Table | Prose | None:
    """Reject option of every model, models across."""
    found = [(model, part.reject) for _, model, part in parts if part.reject is not None]
    remarks = [f"{m.name}: {sentence(part.reject_reason)}" for _, m, part in parts if part.reject_reason is not None]
    if not found:
        return Prose(key="reject", title=UNDECIDED, sentences=tuple(remarks)) if remarks else None
    from thresher.report.sections.chosen import cost_sentence, rejected_rows, zone_of

    columns = [rejected_rows(each) for _, each in found]
    titles = list(dict.fromkeys(title for rows in columns for title, _ in rows))
    rows: list[tuple[Cell, ...]] = [("Undecided scores", *(Figures(zone_of(each)) for _, each in found))]
    rows += [(title, *(dict(each).get(title) for each in columns)) for title in titles]
    costs = [f"{model.name}: {cost_sentence(each)}" for model, each in found if each.expected_cost is not None]
    notes = dict.fromkeys(sentence(note) for _, each in found for note in each.notes)
    share = document.deciding.prevalence
    read = "" if share is None else f" Everything is read at {percent(share)} prevalence."
    lead = f"By {found[0][1].option.criterion}.{read} Measures are of the decided rows alone."
    names = ("Measure", *(model.name for model, _ in found))
    shown = (estimate for column in columns for _, estimate in column)
    lines = (*remarks, *brackets(document, shown), *costs, *notes)
    return Table(key="reject", title=UNDECIDED, columns=names, rows=tuple(rows), remarks=lines, lead=lead)


def top_table(document: Document, parts: Parts) -> Table | None:
    """Return precision, recall and lift of each model's highest scores."""
    found = [(model.name, budget, each) for _, model, part in parts for budget, each in part.top.items()]
    if not found:
        return None
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, budget.capitalize().replace("%", " %"), *each) for name, budget, each in found
    )
    estimates = [estimate for _, _, each in found for estimate in each]
    lines = (*brackets(document, estimates), *_grouped((why_missing(each), each.name) for each in estimates))
    columns = ("Model", "Highest scores", "Precision", "Recall", "Lift")
    lead = "Rows tied at the limit are left out together, so that the budget is never exceeded."
    if document.weight_kind == "importance":
        lead += " With importance weights a budget is of the weight, not of the number of rows."
    return Table(key="top", title="Highest scores", columns=columns, rows=rows, headers=2, remarks=lines, lead=lead)


def area_table(document: Document, parts: Parts) -> Table | None:
    """Partial areas of every model."""
    rows = tuple(
        (model.name, part_text(a.part), a.raw, a.corrected, a.normalized.value, a.least)
        for _, model, part in parts
        for a in part.areas
    )
    if not rows:
        return None
    estimates = [(part_text(a.part), a) for _, _, part in parts for a in part.areas]
    methods = dict.fromkeys(a.raw.method for _, a in estimates if a.raw.low is not None and a.raw.method)
    lines = [in_brackets(document.level, "; ".join(methods))] if methods else []
    lines += _grouped((a.raw.reason, text) for text, a in estimates)
    lines += dict.fromkeys(sentence(note) for _, a in estimates for note in a.notes)
    lead = (
        "Areas where only some rates matter. Corrected is ½ for chance and 1 for perfection [McClish 1989]; normalized "
        "is the share of the largest possible area."
    )
    columns = ("Model", "Where", "Area", "Corrected", "Normalized", "Chance")
    return Table(
        key="partial", title="Partial areas", columns=columns, rows=rows, headers=2, lead=lead, remarks=tuple(lines)
    )


def part_text(part: Part) -> str:
    """Part of a curve as a reader writes it.

    >>> from thresher.curves.regions import Part
    >>> part_text(Part(region="fpr_range", low=0.0, high=0.1)), part_text(Part(region="two_way", low=0.9, high=0.1))
    ('FPR ≤ 0.1', 'FPR ≤ 0.1 and TPR ≥ 0.9')
    """
    if part.region == "two_way":
        return f"FPR ≤ {part.high:g} and TPR ≥ {part.low:g}"
    rate = RATES[part.region]
    of = " (precision–recall)" if part.is_precision else ""
    if part.low == 0 and part.high < 1:
        return f"{rate} ≤ {part.high:g}{of}"
    return (
        f"{rate} ≥ {part.low:g}{of}" if part.high == 1 and part.low > 0 else f"{rate} {part.low:g} to {part.high:g}{of}"
    )


def smooth_table(document: Document, parts: Parts) -> Table | None:
    """Return the binormal fit and the data of every model."""
    found = [(model, part.smooth) for _, model, part in parts if part.smooth is not None]
    if not found:
        return None
    rows = tuple((m.name, s.area, m.measures.get("auc"), s.a, s.b, s.method) for m, s in found)
    lines = [in_brackets(document.level)]
    lines += _grouped((s.area.reason, model.name) for model, s in found)
    lines += _grouped((note, model.name) for model, s in found for note in s.notes)
    lead = (
        "A model, not the data: TPR = Φ(a + b·Φ⁻¹(FPR)), as if some rising map made the scores of both classes normal "
        "[Dorfman & Alf 1969; Metz et al. 1998]."
    )
    columns = ("Model", "AUC of the binormal model", "AUC of the data", "a", "b", "Fitted by")
    return Table(key="binormal", title="Binormal ROC", columns=columns, rows=rows, lead=lead, remarks=tuple(lines))


def smooth_plots(parts: Parts) -> Plots | None:
    """Smooth curves over the ROC curves of the data."""
    lines = [CHANCE]
    areas = []
    for i, model, part in parts:
        if part.smooth is None or model.points is None or part.smooth.reason is not None:
            continue
        curve = part.smooth.curve
        lines += [replace(model_line("roc", i, f"{model.name}, data", model.points), look="faint"),
                  PlotLine(name=model.name, x=curve.x, y=curve.y, model=i)]  # fmt: skip
        areas.append(f"{model.name} {estimated(part.smooth.area)}")
    if not areas:
        return None
    _, across, upwards = AXES["roc"]
    drawn = Plot(
        key="binormal", title="Binormal ROC", x_title=across, y_title=upwards, lines=tuple(lines),
        description=f"Binormal ROC curves. Areas of the models: {'; '.join(areas)}.",
        caption="Strong: the model. Faint: the data.",
    )  # fmt: skip
    return Plots(
        key="binormal-curves", title="Smooth curves", plots=(drawn,), lead="Where the two differ, trust the data."
    )


def mean_table(document: Document, parts: Parts) -> Table | None:
    """Areas of the curves averaged over folds."""
    found = [(model, part.means) for _, model, part in parts if part.means]
    if not found:
        return None
    how = document.deciding.optional.average or "vertical"
    rows = tuple(
        (m.name, f"{means['roc'].folds}", means["roc"].area, m.measures.get("auc"), means["pr"].area)
        for m, means in found
    )
    each = [(model.name, mean) for model, means in found for mean in means.values()]
    areas = [mean.area for _, mean in each]
    methods = [f"{100 * a.level:g} % {a.method}" for a in areas if a.level and a.method] or ["none"]
    lines = [] if how == "pooled" else [f"Brackets of the means: {methods[0]}."]
    lines += _grouped((mean.area.reason or mean.reason, name) for name, mean in each)
    lines += _grouped((note, name) for name, mean in each for note in mean.curve.notes if note.code != "thinned")
    kind = "pooled" if how == "pooled" else "mean"
    columns = ("Model", "Folds", f"AUC, {kind}", "AUC of all rows", f"Area under precision–recall, {kind}")
    lead = f"Here a curve is {AVERAGES[how]} [Fawcett 2006]."
    return Table(key="means", title="Mean over folds", columns=columns, rows=rows, lead=lead, remarks=tuple(lines))


def mean_plots(parts: Parts) -> Plots | None:
    """Curves averaged over folds with their bands."""
    found = [(i, model.name, part.means) for i, model, part in parts if part.means]
    if not found:
        return None
    plots = tuple(_mean_plot(kind, [(i, name, means[kind]) for i, name, means in found]) for kind in AXES)
    bands = [mean.band for _, _, means in found for mean in means.values() if mean.band is not None]
    lead = f"Bands hold each point by itself: {level(bands[0].level)} {bands[0].method}." if bands else ""
    return Plots(key="mean-curves", title="Mean curves over folds", plots=plots, lead=lead)


def _mean_plot(kind: str, found: list[tuple[int, str, MeanCurve]]) -> Plot:
    title, across, upwards = AXES[kind]
    lines = [CHANCE] if kind == "roc" else []
    for i, name, mean in found:
        known = ~(np.isnan(mean.curve.x) | np.isnan(mean.curve.y))
        lines.append(PlotLine(name=name, x=mean.curve.x[known], y=mean.curve.y[known], model=i))
    areas = "; ".join(f"{name} {estimated(mean.area)}" for _, name, mean in found)
    return Plot(
        key=f"mean-{kind}", title=title, x_title=across, y_title=upwards, lines=tuple(lines),
        bands=tuple(band for i, _, mean in found for band in _bands(i, mean)),
        description=f"Mean {title} over folds. Areas: {areas}.",
    )  # fmt: skip


def _bands(model: int, mean: MeanCurve) -> Iterator[PlotBand]:
    """Outlines of the bands: of the ordinates, and for an average by threshold of the abscissas."""
    if mean.band is not None and (band := PlotBand.between(model, mean.band.x, mean.band.low, mean.band.high)):
        yield band
    if mean.band is None or mean.x_band is None:
        return
    along = PlotBand.between(model, mean.band.y, mean.x_band.low, mean.x_band.high)
    if along is not None:
        yield replace(along, x=along.y, y=along.x)


def _grouped(pairs: Iterable[tuple[str | None, str]]) -> list[str]:
    """Return distinct sentences, each after its subjects."""
    return [f"{', '.join(names)}: {text}." for text, names in gathered(pairs).items() if text]


DECIMALS = 3
"""Decimals of a number in a paper."""


def paper(document: Document) -> Iterator[Block]:
    """Return the sentence, table and checklist if the report has this style."""
    if document.deciding.optional.style is None:
        return
    yield Prose(key="paper", title="For a paper", sentences=tuple(_sentences(document)))
    yield _table(document)
    yield _checklist(document)


def _sentences(document: Document) -> Iterator[str]:
    rows = _rows(document)
    for model in document.models:
        yield from filter(None, [_ranked(model, rows, document.level), _decided(model, document.level)])
    for c in document.comparisons:
        if c.measure == PAPER[0] and c.low is not None and c.high is not None:
            more, less = c.models if c.difference >= 0 else c.models[::-1]
            ends = sorted((abs(c.low), abs(c.high))) if c.low * c.high > 0 else [c.low, c.high]
            larger = f"larger by {number(abs(c.difference), DECIMALS)} for {more} than for {less}"
            interval = f"{level(c.level)} confidence interval {' to '.join(number(e, DECIMALS) for e in ends)}"
            yield f"The area under the ROC curve was {larger} ({interval}; {c.method}, {p_text(*c.final_p)})."


def _rows(document: Document) -> str:
    """Rows with the number of positive ones, and who labelled them."""
    clusters = "" if document.clusters is None else f" of {clusters_text(*document.clusters)}"
    label, positive = next(iter(document.class_counts.items()))
    shown = f"{count(positive)} {label if label.isalpha() else 'positive'}"
    if (judge := document.judge) is None:
        return f"{count(document.n)} rows{clusters} ({shown})"
    total = count(judge.gold + judge.others)
    by = f"{count(judge.gold)} labelled by people ({shown}) and the others by {plain_text(judge.name)}"
    return f"{total} rows{clusters}, {by}"


def _ranked(model: ModelPart, rows: str, confidence: float) -> str:
    area = model.measures.get("auc")
    if area is None or not area.is_defined:
        return ""
    interval = f"{level(confidence)} confidence interval {_ends(area)}; {area.method}"
    return f"In {rows}, {model.name} had an area under the ROC curve of {number(area.value, DECIMALS)} ({interval})."


def _decided(model: ModelPart, confidence: float) -> str:
    names = ("sensitivity", "specificity")
    found = {name: model.measures.get(parse_measure(name).entry.name) for name in names}
    shown = [f"its {name} was {_with_ends(each)}" for name, each in found.items() if each is not None]
    if not shown:
        return ""
    at = "" if model.decided != "threshold" else f"At the threshold of {_cut(model)} "
    return sentence(f"{at}{' and '.join(shown)} ({level(confidence)} confidence intervals)")


def _cut(model: ModelPart) -> str:
    """Threshold with why it is one."""
    is_default = model.threshold_reason.code == ASSUMED
    why = "fixed in advance" if model.threshold_reason.code == "given-threshold" else model.threshold_reason
    return f"{cut(model.shown_threshold)} ({'the default' if is_default else why})"


def _with_ends(found: Estimate) -> str:
    return f"{number(found.value, DECIMALS)} ({_ends(found)})" if found.low is not None else number(found.value)


def _ends(found: Estimate) -> str:
    return " to ".join(number(end, DECIMALS) for end in (found.low, found.high) if end is not None)


def _table(document: Document) -> Table:
    """Main measures with their intervals, models down."""
    rows: list[tuple[Cell, ...]] = []
    methods: dict[str, list[tuple[str, str]]] = {}
    for model in document.models:
        for name in PAPER:
            found = model.measures.get(parse_measure(name).entry.name)
            if found is None and model.calibration is not None:
                found = model.calibration.estimates.get(name)
            if found is not None and found.is_defined:
                title = parse_measure(name).title
                rows.append((model.name, capital(title), Figures(number(found.value, DECIMALS)), Figures(_ends(found))))
                methods.setdefault(title, []).append((found.method or found.reason or "", model.name))
    columns = ("Model", "Measure", "Estimate", f"{level(document.level)} interval")
    owned = ((how, title if len(dict(found)) == 1 else f"{title} of {model}")
             for title, found in methods.items() for how, model in found)  # fmt: skip
    remarks: tuple[str, ...] = (f"Methods: {by_method(owned)}.",)
    if document.deciding.prevalences:
        remarks += (f"Values are at the prevalence of the rows, {percent(document.prevalence)}.",)
    table = Table(key="paper-table", title="Table for a paper", columns=columns, rows=tuple(rows), headers=2,
                  remarks=remarks)  # fmt: skip
    return table.without_one(len(document.models))


def _checklist(document: Document) -> Table:
    """Return items of STARD 2015 and TRIPOD+AI (2024) with their content."""
    counts = ", ".join(f"{count(rows)} “{name}”" for name, rows in document.class_counts.items())
    dropped = f"{count(document.dropped)} rows dropped" if document.dropped else "no rows dropped"
    cuts = "; ".join(f"{model.name} {_cut(model)}" for model in document.models if model.decided == "threshold")
    groups = list(dict.fromkeys(name for each in document.groups for name in each.by))
    by = f"groups by {', '.join(groups)}" if groups else "not analysed: no groups were named"
    filled = {
        ("12a", "15"): ("How thresholds were defined", cuts or "predicted labels"),
        ("14", "12e"): ("Measures and methods", "below the tables of measures and comparisons"),
        ("16", "11"): ("Missing values", dropped),
        ("17", "12d"): ("Variability between groups or sites", by),
        ("", "20a, 21"): (
            "Rows and outcomes",
            f"{counts} ({percent(document.prevalence)} positive){gold_alone(document)}",
        ),
        ("23", ""): ("Cross tabulation with the truth", "the confusion matrix of each model"),
        ("24", "23a"): ("Performance with confidence intervals", "the table above"),
        ("", "23b"): ("Heterogeneity between clusters", by),
    }
    rows = tuple((stard, tripod, what, here) for (stard, tripod), (what, here) in filled.items())
    columns = ("STARD 2015", "TRIPOD+AI", "Item", "Here")
    lead = "Items that this report fills; the others are about the study."
    return Table(key="paper-items", title="Items of reporting guidelines", columns=columns, rows=rows, headers=2,
                 lead=lead)  # fmt: skip
