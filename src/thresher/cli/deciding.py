"""From options to a choice of threshold in the library, or of classes by a cost matrix or a measure that is best."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher._util.json_text import to_json
from thresher.cli.exit import FLAGS, CommandError, as_flags, reading_file
from thresher.cli.kinds import COST
from thresher.cli.label_columns import GUESSED, class_columns, say_flags
from thresher.cli.options import Arguments
from thresher.cli.outputs import Outputs
from thresher.errors import InputError, Note, OptionError

if TYPE_CHECKING:
    from thresher.analysis.class_decisions import ClassDecision
    from thresher.decisions.costs import Costs
    from thresher.evaluation import Evaluation
    from thresher.report.blocks import Block


COSTS = "cost_fp cost_fn cost_tp cost_tn cost_fixed benefit"
"""Options of the costs of two classes."""

CRITERIA = "criterion maximize minimize closest_corner match_prevalence top bounds"
"""Options that choose by something else."""


def costs_of(args: Arguments) -> Costs | None:
    """Costs from the options of a command; None when none were given."""
    from thresher.decisions.costs import Costs

    others = COSTS.split()[2:]
    if args.cost_fp is None and args.cost_fn is None:
        if more := args.first_of(*others):
            raise CommandError(f"{more} was given without --cost-fp and --cost-fn.")
        return None
    if args.cost_fp is None or args.cost_fn is None:
        one, other = ("--cost-fn", "--cost-fp") if args.cost_fp is None else ("--cost-fp", "--cost-fn")
        raise CommandError(f"{one} was given without {other}: only their ratio counts.")
    rest = {name.removeprefix("cost_"): value for name, value in args.select(*others).items()}
    return Costs(fp=args.cost_fp, fn=args.cost_fn, **rest)


def how_of(args: Arguments) -> dict[str, Any]:
    """Return the given options of a criterion, as `choose` takes them."""
    costs = costs_of(args)
    given = args.select(*CRITERIA.split())
    given |= {"where": given.pop("bounds"), **(given.pop("top") or {})}
    found = {name: value for name, value in given.items() if value or (value == 0 and value is not False)}
    return found if costs is None else {**found, "costs": costs}


def is_bound(text: str) -> bool:
    """Return whether a text bounds measures only.

    >>> is_bound("precision>=50% and recall>=0.2"), is_bound("site <> 'x'")
    (True, False)
    """
    from thresher.decisions.criterion_options import parse_constraints
    from thresher.measures.registry import known

    try:
        return all(known(each.measure) is not None for each in parse_constraints(text))
    except (InputError, OptionError):
        return known(text.strip()) is not None


def optional_of(args: Arguments) -> dict[str, Any]:
    """Return the optional sections from the options of a command."""
    from thresher.decisions.criteria import Budget

    if args.average and args.fold is None:
        raise CommandError("--average is over folds: name their column with --fold.")
    budgets = [Budget(k=each.get("top_k"), share=each.get("top_share")) for each in args.top]
    style = {"style": "paper"} if args.paper else {}
    return {**args.select("partial", "smooth", "average", "reject"), "top": budgets, **style}


def reject_of(args: Arguments, how: dict[str, Any]) -> dict[str, Any]:
    """Options of a reject option, as a model takes them; refused early when they do not go together."""
    from thresher.report.request import OptionalSections

    costs = how.get("costs")
    if others := [name for name in how if name != "costs"]:
        raise CommandError(f"--reject chooses two thresholds by its own rule, but {FLAGS[others[0]]} chooses one.")
    if args.bootstrap is not None:
        raise CommandError("--bootstrap chooses one threshold again on resamples, but --reject has two.")
    found = dict(OptionalSections.of(costs=costs, reject=args.reject).reject)
    if costs is not None and "deferral" not in found:
        raise CommandError("costs with --reject need the cost of an undecided row: deferral=COST.")
    return {**found, "prevalence": args.prevalence}


SCORE_OPTIONS = "by criterion closest_corner match_prevalence top bounds prevalence bootstrap reject non_dominated"
"""Options, beside the costs, that choose a threshold of one score."""

ONE_SCORE = (
    "--cost-matrix is for the probabilities of all classes, --proba; of one score --cost-fp and --cost-fn are "
    "the costs."
)


def decide_classes(args: Arguments, where: Outputs, evaluation: Evaluation) -> None:
    """Decide for every model by the options, and write the results."""
    from thresher.evaluation.estimate import remarks

    gains = args.cost_matrix is not None and args.benefit
    options = _options(args, how_of(args.replace(benefit=False) if gains else args)) | {"benefit": gains}
    found = [model.decide(**options, rng=args.seed) for model in evaluation.values()]
    notes = [note for note in remarks(evaluation) if note.code != GUESSED]
    if where.forms != {"json"}:
        say_flags(notes, quiet=args.quiet)
    columns = dict(zip(class_columns(args.probabilities) or (), args.probabilities, strict=True))
    where.write(lambda form, _: _written(found, form, notes, columns))


def evaluated(args: Arguments) -> Evaluation:
    """Rows that are read, and evaluated without a threshold of their own."""
    from thresher.cli.reading import by_column, evaluated_any, rows_or_counts
    from thresher.predictions import Predictions

    rows = rows_or_counts(args)
    if isinstance(rows, Predictions):
        rows = by_column(rows, args)
    return evaluated_any(rows, rng=args.seed, **args.select("level", "rate_interval"))


def _options(args: Arguments, how: dict[str, Any]) -> dict[str, Any]:
    """Options of `decide`."""
    if flag := args.first_of(*SCORE_OPTIONS.split()) or ("--cost-fp" if "costs" in how else None):
        raise CommandError(
            f"{flag} is for one score; with --proba decide by --max or --min of a measure of all classes, such as "
            f"macro_f1, or by --cost-matrix."
        )
    found: dict[str, Any] = {name: how[name] for name in ("maximize", "minimize") if name in how}
    if len(found) + (args.cost_matrix is not None) != 1:
        raise CommandError("with --proba say in one way how to decide: --max MEASURE, --min MEASURE or --cost-matrix.")
    return found if args.cost_matrix is None else {"costs": read_costs(args.cost_matrix)}


def cost_table_of(args: Arguments) -> Mapping[str, Mapping[str, float]] | None:
    """Cost matrix from the options of a report."""
    if args.cost_matrix is None:
        return None
    if not args.probabilities or args.labels:
        raise CommandError(ONE_SCORE)
    if args.cost_fp is not None or args.cost_fn is not None:
        raise CommandError(
            "--cost-matrix has the costs of all classes, so that --cost-fp and --cost-fn do not go with it."
        )
    return read_costs(args.cost_matrix)


def read_costs(path: str) -> Mapping[str, Mapping[str, float]]:
    """Costs by truth and decision."""
    with reading_file(f"--cost-matrix {path}"), Path(path).open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        lines = [(reader.line_num, line) for line in reader if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise CommandError(f"--cost-matrix {path} lacks costs: a line of the decisions, then one for each true class.")
    decisions = [cell.strip() for cell in lines[0][1][1:]]
    if twice := next((name for name in decisions if decisions.count(name) > 1), None):
        raise CommandError(f"--cost-matrix {path} has two columns of the decision {twice!r}.")
    found: dict[str, dict[str, float]] = {}
    for number, (truth, *cells) in lines[1:]:
        if len(cells) != len(decisions):
            raise CommandError(
                f"line {number} of {path} has {len(cells)} costs, and there are {len(decisions)} decisions."
            )
        if truth.strip() in found:
            raise CommandError(f"line {number} of {path} is for {truth.strip()!r}, as one before it.")
        try:
            costs = [float(COST.read(cell.strip())) for cell in cells]
        except ValueError as error:
            raise CommandError(f"line {number} of {path}: {error}") from None
        found[truth.strip()] = dict(zip(decisions, costs, strict=True))
    if set(found) != set(decisions):
        odd = min(set(found) ^ set(decisions))
        raise CommandError(f"{path}: class {odd!r} has a line or a column, but not both.")
    return found


def _written(found: list[ClassDecision], form: str, notes: list[Note], columns: Mapping[str, str]) -> str:
    from thresher._util.safe_text import csv_lines
    from thresher.report.render.html.page import blocks_page
    from thresher.report.render.markdown import blocks_markdown

    if form == "json":
        return _json(found, notes, columns)
    if form == "csv":
        return csv_lines([HEADER, *_rows(found)])
    if form == "html":
        return blocks_page("Decisions among the classes", "", list(_blocks(found)))
    parts = blocks_markdown(_blocks(found)) if form == "markdown" else map(str, found)
    return "\n\n".join(parts) + "\n"


def _json(found: list[ClassDecision], notes: list[Note], columns: Mapping[str, str]) -> str:
    """Return the decisions as JSON, each with the columns of its model, which `thresher apply` reads by default."""
    from thresher._util.json_values import to_jsonable
    from thresher.counts.saved import signed
    from thresher.report.render.json_parts import rule_dict

    document = to_jsonable({"schema": 1, "decisions": [each.to_dict() for each in found],
                      "notes": [as_flags(note).to_dict() for note in notes]})  # fmt: skip
    for entry, each in zip(document["decisions"], found, strict=True):
        entry |= {"probabilities": columns.get(each.model, ""), "decision_rule": rule_dict(each.decision_rule)}
    return to_json(signed(document))


def _rows(found: list[ClassDecision]) -> list[list[Any]]:
    """A line for each class of each model: its weight, its rows, those decided for it, and its recall."""
    rows = []
    for each in found:
        counts = each.matrix.counts
        for k, label in enumerate(each.labels):
            weight = None if each.weights is None else float(each.weights[k])
            total, right = counts[k].sum().item(), counts[k, k].item()
            decided, recall = counts[:, k].sum().item(), right / total if total else None
            rows.append([each.model, str(label), weight, total, decided, recall])
    return rows


HEADER = ("model", "class", "weight", "rows", "decided", "recall")


def _blocks(found: list[ClassDecision]) -> Iterator[Block]:
    """Summary of each decision in sentences, a table of all classes, and the notes."""
    from thresher.report.blocks import Prose, Table

    yield Prose(key="conclusions", title="Decisions", sentences=tuple(map(_summed, found)))
    has_weights = any(each.weights is not None for each in found)
    kept = [i for i, name in enumerate(HEADER) if name != "weight" or has_weights]
    columns = tuple(HEADER[i].capitalize().replace("Decided", "Predicted") for i in kept)
    rows = tuple(tuple(row[i] for i in kept) for row in _rows(found))
    yield Table(key="classes", title="Classes", columns=columns, rows=rows, headers=2, bare=RECALLS)
    if notes := tuple(f"{each.model}: {note}." for each in found for note in each.notes):
        yield Prose(key="notes", title="Notes", sentences=notes)


RECALLS = 3
"""Decimals of recalls, which have no intervals here."""


def _summed(each: ClassDecision) -> str:
    """Costs and accuracy of a decision in a sentence."""
    from thresher.report.numbers import estimated

    text = f"accuracy {estimated(each.measures['accuracy'])}"
    if each.cost is not None and each.cost_before is not None:
        before = f"{estimated(each.cost_before)} for the most probable class"
        text = f"mean {'gain' if each.benefit else 'cost'} {estimated(each.cost)} instead of {before}, {text}"
    return f"{each.model}, {each.rule}: {text}."
