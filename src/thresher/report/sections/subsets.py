"""Tables of groups and folds: the same models on some of the rows, and the mean over groups of counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from thresher._util.json_values import plain_text
from thresher.design_warnings import DesignWarning, few_gold
from thresher.evaluation.within_folds import APART
from thresher.inference.estimates.methods import ranks_rows
from thresher.measures import find
from thresher.measures.measure_text import parse_measure, title_of
from thresher.measures.shown import FOLDS, SUBSETS
from thresher.predictions.columns import sized
from thresher.report.blocks import Cell, Figures, Share, Table
from thresher.report.document import Document, ModelPart, SubsetPart
from thresher.report.numbers import MOST_GROUPS, decimals, heading_of, number
from thresher.report.sections.facts import decided_at, rows_heading
from thresher.results import Estimate, gathered

if TYPE_CHECKING:
    from thresher.analysis.subsets import FoldSpread
    from thresher.inference.differences.over_sites import RandomEffects

UNNAMED = "group"
"""Name of the column of groups that came as an array without one."""


def groups(document: Document) -> Iterator[Table]:
    """Yield each model by group and in all rows; groups without a class are marked."""
    if not document.groups:
        return
    kept = {part.key for part in sorted(document.groups, key=lambda part: -part.n)[:MOST_GROUPS]}
    shown = [part for part in document.groups if part.key in kept]  # no more than a reader can take in
    columns = list(shown[0].by)
    names = _present(SUBSETS, [*document.models, *(model for part in shown for model in part.models)])
    rows = tuple(
        row
        for place, model in enumerate(document.models)
        for row in _group_rows(document, shown, place, model, names, len(columns))
    )
    yield Table(
        key="groups",
        title="Groups" if columns == [UNNAMED] else f"Groups by {' and '.join(columns)}",
        columns=(
            "Model",
            *columns,
            rows_heading(document.repeats) if document.judge is None else "Gold rows",
            *_share_column(document),
            *(heading_of(name) for name in names),
        ),
        rows=rows,
        headers=1 + len(columns),
        lead=decided_at(document),
        remarks=_group_remarks(document, shown),
    ).without_one(len(document.models))


def _group_rows(
    document: Document, shown: Sequence[SubsetPart], place: int, model: ModelPart, names: Sequence[str], columns: int
) -> Iterator[tuple[Cell, ...]]:
    whole = [model.measures.get(name) for name in names]
    everyone = ["all rows", *["all"] * (columns - 1)]
    has_share = bool(_share_column(document))
    shares = [Share(document.prevalence)] if has_share else []
    yield (model.name, *everyone, document.n, *shares, *whole)
    for part in shown:
        *first, last = map(plain_text, part.by.values())
        share = [Share(part.prevalence)] if has_share else []
        measures = part.models[place].measures
        yield (model.name, *first, last + part.without, part.n, *share, *(measures.get(name) for name in names))


def _group_remarks(document: Document, shown: Sequence[SubsetPart]) -> tuple[str, ...]:
    lines = []
    lacking = [part.key for part in shown if part.absent]
    if lacking:
        lines.append(f"Measures that need both classes are undefined where one is absent: {', '.join(lacking)}.")
    few = [p.key for p in shown if any(w.code == few_gold.code for w in _warnings(p))]
    if few:
        lines.append(f"Few gold rows, so intervals may cover less than 95 %: {', '.join(few)}.")
    left_out = len(document.groups) - len(shown)
    if left_out:
        rows = sum(part.n for part in document.groups) - sum(part.n for part in shown)
        size = sized(None, rows) if document.repeats else sized(rows, None)
        lines.append(
            f"The {MOST_GROUPS} largest groups are shown; {left_out:,} smaller ones ({size}) are in the "
            f"JSON and CSV forms."
        )
    return tuple(lines)


def _warnings(part: SubsetPart) -> Iterator[DesignWarning]:
    for model in part.models:
        for each in model.measures.values():
            yield from each.warnings


def folds(document: Document) -> Iterator[Table]:
    """Yield fold mean, spread and pooled value, then every fold, one table per measure."""
    if not document.folds:
        return
    names = _present(FOLDS, document.models)
    rows = tuple(_spread(document, place, model, name) for place, model in enumerate(document.models) for name in names)
    repeated = (str(note) for note in document.notes if note.code == "judged-several-times")
    how = [*repeated, decided_at(document)]
    yield Table(
        key="folds",
        title="Folds",
        columns=("Model", "Measure", "Pooled", "Mean of folds", "SD", "Smallest", "Largest", "Folds"),
        rows=rows,
        headers=2,
        lead=" ".join(["Pooled: all rows counted together. Mean: of the values of the folds.", *filter(None, how)]),
        remarks=tuple(_fold_remarks(document, names, rows)),
    )
    for name in names:
        yield Table(
            key=f"folds-{name}",
            title=f"Each fold: {title_of(name)}",
            columns=("Fold", rows_heading(document.repeats), *(model.name for model in document.models)),
            rows=tuple(
                (
                    plain_text(next(iter(part.by.values()))) + part.without,
                    part.n,
                    *(model.measures.get(name) for model in part.models),
                )
                for part in document.folds
            ),
            detail=True,
        )


def _spread(document: Document, place: int, model: ModelPart, name: str) -> tuple[Cell, ...]:
    """Pooled value, mean and standard deviation of the folds where the measure is defined."""
    found = spread_in(document, place, model, name)
    ends = (found.smallest, found.largest)
    defined = f"{found.defined} of {found.folds}" if found.defined < found.folds else str(found.folds)
    return (model.name, heading_of(name), found.pooled, found.mean, found.standard_deviation, *ends, defined)


def spread_in(document: Document, place: int, model: ModelPart, name: str) -> FoldSpread:
    """Return the spread of a model's measure over the folds."""
    from thresher.analysis.subsets import spread_of

    is_ranking = ranks_rows(parse_measure(name))
    folds_ = [None if is_ranking and part.absent else part.models[place].measures.get(name) for part in document.folds]
    return spread_of(name, None if is_ranking else model.measures.get(name), folds_)


def _fold_remarks(document: Document, names: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> Iterator[str]:
    if any(ranks_rows(parse_measure(name)) for name in names):
        yield f"Pooled ranking measures are undefined: {APART}."
    if any(" of " in str(row[-1]) for row in rows):
        lacking = [part.key + part.without for part in document.folds if part.absent]
        why = f": {', '.join(lacking)}" if lacking else ""
        yield f"A measure is undefined in some folds, and the mean is over the others{why}."


def _present(names: Sequence[str], models: Sequence[ModelPart]) -> list[str]:
    return [n for n in names if any(n in m.measures and not math.isnan(m.measures[n].value) for m in models)]


def _share_column(document: Document) -> list[str]:
    """Column of prevalences; a judge's labels would be left out of them."""
    return ["Prevalence"] if document.is_binary and document.judge is None else []


def over_groups(document: Document) -> Table | None:
    """Mean of each measure over the groups as a random effect, model by model."""
    if not document.over_groups:
        return None
    name = plain_text(next(iter(document.groups[0].by)))
    order = [model.name for model in document.models]
    found = sorted(document.over_groups, key=lambda item: order.index(plain_text(item[0])))
    return Table(
        key="over-groups",
        title=f"Mean over the groups by {name}",
        columns=("Model", "Measure", "Mean", f"At another {name}", "I²", "Groups"),
        rows=tuple(_mean_row(model, each) for model, each in found),
        headers=2,
        lead=f"These groups as a sample of many: the mean over all, and the range to expect at another {name}. "
        "I² is the share of the variance that lies between groups.",
        remarks=(*_mean_remarks(found), *_mixed(document, found)),
    ).without_one(len(document.models))


def _mixed(document: Document, found: Sequence[tuple[str, RandomEffects]]) -> Iterator[str]:
    """Name models with a ranking measure of all rows outside the range of its values in groups."""
    whole = {model.name: model.measures for model in document.models}
    for name, each in found:
        pooled = whole[plain_text(name)].get(each.measure)
        if find(each.measure).needs != "table" or pooled is None or not pooled.is_defined:
            continue
        ends = [each.value, *(site.value for site in each.each)]
        side = "above" if pooled.value > max(ends) else "below" if pooled.value < min(ends) else None
        if side is not None:
            value = number(pooled.value, decimals(pooled))
            yield (
                f"The {heading_of(each.measure)} of all rows of {plain_text(name)}, {value}, is {side} the value of "
                "every group: it also ranks rows of different groups."
            )


def _mean(found: RandomEffects) -> Estimate:
    return Estimate(
        name=found.measure, value=found.value, low=found.low, high=found.high, level=found.level,
        method=found.method, n=found.sites, reason=found.reason,
    )  # fmt: skip


def _mean_row(model: str, found: RandomEffects) -> tuple[Cell, ...]:
    mean = _mean(found)
    ends = [] if found.prediction is None else [number(end, decimals(mean)) for end in found.prediction]
    return (
        plain_text(model),
        heading_of(found.measure),
        mean,
        Figures(" to ".join(ends)) if ends else None,
        Share(found.i2),
        found.sites,
    )


def _mean_remarks(found: Sequence[tuple[str, RandomEffects]]) -> Iterator[str]:
    means = [each for _, each in found]
    methods = "; ".join(dict.fromkeys(each.method for each in means))
    level = f"{100 * means[0].level:g} %"
    yield f"In brackets: {level} confidence intervals; ranges are prediction intervals. Methods: {methods}."
    if left := _by_model(found, lambda e: f"{e.omitted} for {heading_of(e.measure)}" if e.omitted else None):
        yield f"Groups without a value or its standard error are left out ({left})."
    if wider := _by_model(found, _wider):
        yield (
            "Groups differ less than their own errors imply. The modified intervals of Röver, Knapp and Friede (2015) "
            f"are safer: {wider}."
        )
    if any(each.is_of_two for each in means):
        yield "Of two groups an interval says little: it rests on a single difference."
    if any(each.prediction is None for each in means):
        yield "Fewer than three groups say nothing about another."


def _wider(found: RandomEffects) -> str | None:
    """Return the interval if groups are alike by chance; None otherwise, or where it equals the table's."""
    if not found.is_alike or found.modified is None:
        return None
    both, digits = ((found.low, found.high), found.modified), decimals(_mean(found))
    plain, wider = ([number(e, digits) for e in ends if e is not None] for ends in both)
    return None if wider == plain else f"{heading_of(found.measure)} {' to '.join(wider)}"


def _by_model(found: Sequence[tuple[str, RandomEffects]], said: Callable[[RandomEffects], str | None]) -> str:
    """Join texts on measures, after the model where there are several; empty without any."""
    models = {model for model, _ in found}
    parts = gathered((plain_text(model) if len(models) > 1 else "", text) for model, e in found if (text := said(e)))
    return "; ".join(f"{model}: " * bool(model) + ", ".join(texts) for model, texts in parts.items())
