"""Single values as `print`, a notebook and the command show them: subgroups, curves, estimates, chosen thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher._util.json_text import to_json
from thresher._util.json_values import plain_text
from thresher._util.safe_text import csv_lines, escape_lines
from thresher.analysis.chosen import ChosenThreshold
from thresher.analysis.subsets import reported_gaps, usual_measures
from thresher.counts.saved import signed as with_checksum
from thresher.errors import Note, ThresherError, note_forms
from thresher.evaluation.estimate import estimate
from thresher.inference.comparing.comparison import Comparison
from thresher.inference.estimates.rejected import RejectSummary
from thresher.measures.shown import OF_RULES
from thresher.report.blocks import Table
from thresher.report.numbers import ANY, decimals, estimated, heading_of, level, number, p_text, sentence
from thresher.report.render.grid import bullets, wrapped
from thresher.report.render.html.fragment import blocks_fragment, card_html, cards_page
from thresher.report.render.html.markup import LEFT, Markup, signed, tag, text_table
from thresher.report.render.json import estimate_cells, exact
from thresher.report.render.json_parts import chosen_dict, rejected_dict
from thresher.report.render.markdown import card_markdown
from thresher.report.render.text import card_text, columns_of, table_text
from thresher.report.sections.chosen import DecisionCard, chosen_card, rejected_card
from thresher.report.sections.comparisons import compared_blocks
from thresher.report.sections.curves import POINTS, plot_of
from thresher.report.sections.facts import rows_heading

if TYPE_CHECKING:
    from thresher.analysis.subsets import Subgroups
    from thresher.curves.curve import Curve
    from thresher.inference.calibration import CalibrationSummary
    from thresher.measures.baselines import Baselines
    from thresher.results import Estimate


def groups_text(groups: Subgroups[Any]) -> str:
    """Show a few measures of each group, and its gaps to the rest."""
    return escape_lines(table_text(groups_table(groups), columns_of()))


def groups_html(groups: Subgroups[Any]) -> str:
    """The same for a notebook."""
    return blocks_fragment([groups_table(groups)])


def curve_html(curve: Curve) -> str:
    """Show a curve with its axes, its reference and its area."""
    from thresher.report.render.html.fragment import styled
    from thresher.report.render.html.plots import drawing

    shown = plot_of(curve.name, {(0, curve.title): curve.thin(POINTS)}, f"{curve.title}.")
    said = (
        None if curve.summary is None else tag("span", f"{heading_of(curve.summary.name)} {estimated(curve.summary)}")
    )
    return styled(tag("div", tag("b", shown.title), drawing(shown), said, class_="side"))


def estimate_html(found: Estimate) -> Markup:
    """Name, value, interval and method on one line."""
    how = "" if found.low is None or found.level is None else f" {level(found.level)} {found.method}"
    why = "" if found.is_defined or not found.reason else f" {found.reason}"
    small = tag("small", how or why) if how or why else None
    return tag("p", f"{heading_of(found.name)} ", tag("b", signed(estimated(found))), small)


def comparisons_html(found: Comparison | Sequence[Comparison]) -> Markup:
    """Return a table of comparisons with their conclusions."""
    said, shown = compared_blocks([found] if isinstance(found, Comparison) else list(found))
    return blocks_fragment([said, shown] if shown else [said])


def calibration_html(found: CalibrationSummary) -> Markup:
    """Return a table of the estimates and tests of a calibration summary."""
    if found.reason is not None:
        return tag("p", f"Calibration is undefined: {found.reason}.")
    digits, known = decimals(*found.estimates.values()), found.estimates.items()
    rows = [(heading_of(name), estimated(each, digits), each.method or each.reason or "") for name, each in known]
    rows += [(test.method, number(test.statistic, bounds=ANY), p_text(test.p_value)) for test in found.tests.values()]
    return text_table(("Measure", "Value", "Method or p"), rows, caption="Calibration", style=LEFT)


def baselines_text(found: Baselines) -> str:
    """Show the trivial baselines, and whether the accuracy is above them."""
    label, rate = plain_text(found.most_frequent), number(found.no_information_rate)
    lines = [f"No-information rate {rate}: the accuracy of always predicting “{label}”."]
    if found.accuracy is not None:
        test = f"one-sided exact binomial test, {p_text(found.p_value)}" if found.p_value is not None else found.reason
        lines.append(f"Accuracy {number(found.accuracy)} ({test}).")
    for name, values in (
        ("negative", found.always_negative),
        ("positive", found.always_positive),
        ("at random", found.random),
    ):
        if values is not None:
            shown = ", ".join(f"{heading_of(each)} {number(values[each])}" for each in OF_RULES)
            lines.append(f"{'Positive at random' if name == 'at random' else f'Always {name}'}: {shown}.")
    return "\n".join(lines)


LISTED = 20
"""Groups that are shown: the largest."""
NONE = "none shown"


def groups_table(groups: Subgroups[Any]) -> Table:
    """The largest groups, model by model, with their gaps to the rest that a test shows."""
    names = usual_measures(groups.whole) if groups.whole else ()
    gaps, omitted = _gaps(groups)
    kept = sorted(groups, key=lambda key: -groups[key].n)[:LISTED]
    several = len(groups.whole) > 1
    rows = tuple(
        (
            *map(plain_text, key if len(groups.columns) > 1 else (key,)),
            *([plain_text(model)] if several else []),
            groups[key].n,
            *(estimate(found, name).value for name in names),
            *_told(gaps, f"{groups.columns[0]} {key}", model),
        )
        for key in groups
        if key in kept
        for model, found in groups[key].items()
    )
    columns = (
        *map(plain_text, groups.columns),
        *(["Model"] if several else []),
        rows_heading(any(part.predictions.weight_kind == "frequency" for part in groups.values())),
        *map(heading_of, names),
        *(["Gaps to the rest"] if gaps else []),
    )
    return Table(
        key="groups", title=f"{len(groups):,} group{'s' * (len(groups) != 1)}", columns=columns, rows=rows,
        headers=len(groups.columns) + several, remarks=tuple(_remarks(groups, gaps, omitted)),
    )  # fmt: skip


def _gaps(groups: Subgroups[Any]) -> tuple[tuple[Comparison, ...], str | None]:
    """Gaps of the groups of one column, where they are found quickly; a group of several columns is not a cell."""
    if not groups.whole or len(groups.columns) > 1:
        return (), None
    try:
        found = reported_gaps(groups.whole)
    except ThresherError as error:
        return (), str(error)
    return found.found, found.omitted


def _told(gaps: tuple[Comparison, ...], name: str, model: str) -> list[str]:
    if not gaps:
        return []
    own = [gap for gap in gaps if gap.models[0] == model and gap.groups is not None and gap.groups[0] == name]
    lines = [f"{heading_of(gap.measure)} {gap.difference:+.3f}" for gap in own if gap.is_defined and gap.is_significant]
    return [", ".join(lines) or NONE]


def _remarks(groups: Subgroups[Any], gaps: tuple[Comparison, ...], omitted: str | None) -> Iterator[str]:
    if gaps:
        yield f"Only gaps significant after Holm's adjustment ({len(gaps):,} tests) are shown; .gaps() lists all."
    if omitted:
        yield f"{omitted}."
    if len(groups) > LISTED:
        yield f"The {LISTED} largest of {len(groups):,} groups; .to_frame() has all."


SCHEMA = 1
ESTIMATED = ("measure", "value", "low", "high", "level", "method", "reason")


def cards_form(found: Iterable[Any], form: str, notes: Iterable[Note] = (), *, rejecting: bool = False) -> str:
    """Chosen thresholds, or reject options when `rejecting`, as "text", "json", "csv", "markdown" or "html".

    JSON has the notes on all of them; CSV one line per measure, with reasons if undefined.
    """
    if form == "json":
        key, fields = ("reject_options", rejected_dict) if rejecting else ("thresholds", chosen_dict)
        return to_json(
            with_checksum({"schema": SCHEMA, key: [fields(each) for each in found], "notes": note_forms(notes)})
        )
    if form == "csv":
        ends, lines = (("lower", "upper"), _reject_lines) if rejecting else (("threshold",), _chosen_lines)
        head = ("model", "group", "criterion", *ends, *ESTIMATED)
        return csv_lines([head, *(line for each in found for line in lines(each))])
    if form == "html":
        return cards_page(list(map(_card, found)), [sentence(note) for note in notes])
    cards = list(map(_card, found))
    first = cards[0].sentences if len(cards) > 1 else ()
    common = [text for text in first if all(text in card.sentences for card in cards)]
    kept = (tuple(text for text in card.sentences if text not in common) for card in cards)
    cards = [replace(card, sentences=text) for card, text in zip(cards, kept, strict=True)]
    if form == "markdown":
        return "\n\n".join([*map(card_markdown, cards), *([bullets(common)] if common else [])]) + "\n"
    last = "\n".join(line for text in common for line in wrapped(text, columns_of(), "• "))
    return "\n\n\n".join([*map(card_text, cards), *([f"Notes\n{last}"] if common else [])]) + "\n"


def text_of(found: ChosenThreshold | RejectSummary, *, width: int | None = None) -> str:
    """Chosen threshold, or reject option, as plain text."""
    return card_text(_card(found), width=width)


def html_of(found: ChosenThreshold | RejectSummary) -> str:
    """Chosen threshold, or reject option, for a notebook."""
    return card_html(_card(found))


def _card(found: ChosenThreshold | RejectSummary) -> DecisionCard:
    return rejected_card(found) if isinstance(found, RejectSummary) else chosen_card(found)


def _chosen_lines(chosen: ChosenThreshold) -> Iterator[tuple[str, ...]]:
    first = (plain_text(chosen.model), chosen.group or "", chosen.criterion, repr(float(chosen.threshold)))
    yield (*first, "criterion", exact(chosen.value), "", "", "", "", "")
    for name, e in chosen.measures.items():
        yield (*first, name, *estimate_cells(e))


def _reject_lines(each: RejectSummary) -> Iterator[tuple[str, ...]]:
    first = (plain_text(each.model or ""), each.group or "", each.option.criterion)
    ends = [repr(end) for end in (each.option.lower, each.option.upper)]
    shares = ("reportable_rate", "reportable_positives", "reportable_negatives", "expected_cost")
    named = {name: e for name in shares if (e := getattr(each, name)) is not None}
    for name, e in {**named, **each.measures}.items():
        yield (*first, *ends, name, *estimate_cells(e))
