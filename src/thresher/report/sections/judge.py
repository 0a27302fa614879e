"""Partly labelled rows: a judge beside gold rows, and bounds for rows without a label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from thresher._util.json_values import plain_text
from thresher.analysis.judging import JudgeQuality
from thresher.measures.measure_text import title_of
from thresher.report.blocks import Cell, Table
from thresher.report.numbers import estimated, heading_of
from thresher.results import Estimate

if TYPE_CHECKING:
    from thresher.inference.missing_bounds import Bounds


def judge_table(found: JudgeQuality) -> Table:
    """Table of prediction-powered estimates between the gold rows alone and the judge alone."""
    rows: list[tuple[Cell, ...]] = [
        (
            plain_text(each.model),
            heading_of(each.powered.name),
            each.powered,
            each.gold,
            each.judge,
            each.weight,
            round(each.worth),
        )
        for each in found.estimates
    ]
    some = f"{found.in_part:,} rows with human labels in part, " if found.in_part else ""
    return Table(
        key="judge",
        title=f"Gold rows and {plain_text(found.name)}",
        columns=("Model", "Measure", "Both", "Gold alone", "Judge alone", "λ", "Worth"),
        rows=tuple(rows),
        headers=2,
        lead=(
            f"{found.gold:,} gold rows with a human label, {some}{found.others:,} rows with the judge's label only. "
            "The gold rows are assumed to be drawn at random, or with the given sampling probabilities."
        ),
        remarks=tuple(_remarks(found)),
    )


def bounds_table(found: Sequence[tuple[str, Estimate, Bounds]]) -> Table:
    """Table of the lowest and the highest possible values."""
    rows = [(plain_text(model), heading_of(each.name), each, ends.low, ends.high) for model, each, ends in found]
    return Table(
        key="bounds", title="Bounds for the rows without a verified label",
        columns=("Model", "Measure", "Labelled rows", "Lowest", "Highest"), rows=tuple(rows), headers=2,
        lead="Lowest and highest value over all possible labels of the unverified rows, without any assumption.",
    )  # fmt: skip


def _remarks(found: JudgeQuality) -> Iterator[str]:
    parts = [f"{title_of(name)} {estimated(each)}" for name, each in found.agreement.items() if each.is_defined]
    yield f"The judge on the gold rows: {'; '.join(parts)}."
    if found.prevalence is not None and found.prevalence.is_defined:
        yield (
            f"Prevalence in all {found.gold + found.others:,} rows, the judge's labels corrected for their errors: "
            f"{estimated(found.prevalence)} (Rogan–Gladen)."
        )
    lines = [f"{plain_text(name)} {estimated(each)}" for name, each in found.bias.items()]
    if lines:
        what = "Subset accuracy" if "subset_accuracy" in found.agreement else "Accuracy"
        yield (
            f"{what} by the judge minus {what.lower()} by human labels, on the gold rows: {'; '.join(lines)}; below 0 "
            "the judge underrates the model."
        )
    yield "λ: weight of the judge's labels, 0 for the gold rows alone. Worth: gold rows that alone would be as sure."
