"""Trivial baselines beside the models."""

from __future__ import annotations

import math
from collections.abc import Iterator

from thresher._util.json_values import plain_text
from thresher.measures.baselines import Baselines
from thresher.measures.shown import BASELINES
from thresher.report.blocks import Cell, Table
from thresher.report.document import Document
from thresher.report.numbers import heading_of, number, p_number
from thresher.report.sections.facts import decided_at, reads_top


def baselines(document: Document) -> Table | None:
    """Return a table of baselines and models."""
    known = [(model, model.baselines) for model in document.models if model.baselines is not None]
    if not known or reads_top(document):
        return None
    first = known[0][1]
    names = [name for name in BASELINES if any(name in model.measures for model, _ in known)]
    rows: list[tuple[Cell, ...]] = [
        (
            model.name,
            *(None if (each := model.measures.get(name)) is None else each.value for name in names),
            "no test" if found.p_value is None else p_number(found.p_value),
        )
        for model, found in known
    ]
    rate = number(first.no_information_rate, document.decimals)
    return Table(
        key="baselines",
        title="Compared with trivial baselines",
        columns=("Rule", *(heading_of(name) for name in names), f"p (accuracy > {rate})"),
        rows=(*rows, *_trivial(document, first, names)),
        lead=decided_at(document),
        remarks=tuple(_remarks([found for _, found in known], rate)),
    )


def _trivial(document: Document, found: Baselines, names: list[str]) -> Iterator[tuple[Cell, ...]]:
    if not document.is_binary:
        values = {"accuracy": found.no_information_rate, "matthews_correlation": math.nan}
        if all(document.class_counts.values()):
            values["balanced_accuracy"] = 1 / len(document.class_counts)
        yield (f"always “{plain_text(found.most_frequent)}”", *(values.get(name) for name in names), "")
        return
    positive, negative = document.class_counts
    for label, known in ((negative, found.always_negative), (positive, found.always_positive)):
        if known is not None:
            yield (f"always “{label}”", *(known.get(name) for name in names), "")


def _remarks(found: list[Baselines], rate: str) -> Iterator[str]:
    tested = any(each.p_value is not None for each in found)
    yield (
        f"Always predicting the most frequent class, “{plain_text(found[0].most_frequent)}”, has accuracy {rate}, the "
        "no-information rate." + (" The last column is the one-sided exact binomial test against it." if tested else "")
    )
    yield from (f"No test: {reason}." for reason in dict.fromkeys(each.reason for each in found if each.reason))
