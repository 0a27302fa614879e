"""Text for a paper: a sentence, a table, and items of reporting guidelines."""

from __future__ import annotations

from collections.abc import Iterator

from thresher._util.json_values import plain_text
from thresher.errors import capital
from thresher.evaluation.assumptions import ASSUMED
from thresher.measures.measure_text import parse_measure
from thresher.measures.shown import PAPER
from thresher.report.blocks import Block, Cell, Figures, Prose, Table
from thresher.report.document import Document, ModelPart
from thresher.report.numbers import count, cut, level, number, p_text, percent, sentence
from thresher.report.sections.facts import clusters_text, gold_alone
from thresher.results import Estimate, by_method

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
