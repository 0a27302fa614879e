"""`thresher report`: from files of predictions to every measure, curve and interval."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.cli.deciding import COSTS, cost_table_of, costs_of, optional_of
from thresher.cli.exit import as_flags
from thresher.cli.options import WITH_JUDGE, Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.reading import are_counts, evaluation_of

if TYPE_CHECKING:
    from thresher.design_warnings import DesignWarning
    from thresher.evaluation import Evaluation
    from thresher.report.document import Document

ASKED = ("optional", "costed", "paper")
"""Sections that exist only if requested."""

FORMS = ("text", "json", "csv", "markdown", "html", "latex")

EPILOG = """
\b
Examples:
  thresher report predictions.csv --label outcome --score model_a -o report.html
  thresher report 'parts/*.parquet' --label outcome --score a --score b \\
      --by site --threshold 0.3 --threshold b=0.2
  thresher report predictions.csv --label outcome --score a --top 100 --top 5% \\
      --cost-fp 1 --cost-fn 5 --reject deferral=0.2
  thresher report digits.csv --label digit --proba forest_ --proba logistic_ \\
      -o report.html
  thresher report scores.csv --truth truth.csv --key id --label outcome --score p
  cat predictions.csv | thresher report - --label outcome --score p --format json

\b
The form of a file follows its suffix: .html, .md, .json, .csv, .tex or .txt.
"""


@command(
    f"{WITH_JUDGE} thresholds level rate_interval undefined bootstrap seed {COSTS} prevalences cost_matrix "
    "partial smooth average reject top paper resolution memory conditions form outputs title quiet",
    files(), forms=FORMS, epilog=EPILOG,
)  # fmt: skip
def report(args: Arguments) -> None:
    """Evaluate predictions: every measure, curve and interval.

    FILE is CSV, TSV, JSON lines or Parquet, gzipped or not, a pattern such as 'part-*.csv', or - for stdin.
    Several files are read one after the other.
    """
    from thresher.report.request import DecisionOptions

    where, table = Outputs.of(args, FORMS), cost_table_of(args)
    pair = costs_of(args.replace(benefit=False) if table else args)
    gains = bool(table and args.benefit)
    deciding = DecisionOptions.of(table or pair, args.prevalences, gains=gains, **optional_of(args))
    _show(evaluation_of(args, bootstrap=args.bootstrap), args, where, title=args.title, deciding=deciding)


def _show(evaluation: Evaluation, args: Arguments, where: Outputs, **asked: Any) -> None:
    from thresher.report.build import build
    from thresher.report.files import rendered

    source = ", ".join("standard input" if file == "-" else file for file in args.files)
    every = bool(where.forms & {"json", "csv"})
    document = build(evaluation, source=source, points="html" in where.forms, every=every, **asked)
    known = () if are_counts(args.files) else ("--label", document.label, "--positive", str(document.positive))
    document = replace(_in_flags(document), reading=(*args.words, *known))
    where.write(lambda form, width: rendered(document, form, width=width), lambda: _summary(document, where))


def _summary(document: Document, where: Outputs) -> str:
    """Return the main part and the requested sections, with the place of the whole."""
    from thresher.report.render.text import MAIN, document_text
    from thresher.report.sections.order import named_blocks

    document, deciding = document.without_points(), document.deciding
    asked = {block.key for name, block in named_blocks(document) if name in ASKED}
    if deciding.costs is not None or deciding.prevalences:
        asked |= {"chosen", "prevalences"}
    return f"{document_text(document, only={*MAIN, *asked})}\nThe whole report is in {where.files[0][0]}.\n"


def _in_flags(part: Any) -> Any:
    """Document, or a part of it, with the command's options, not Python's keywords, in notes and warnings."""
    inner = [name for name in ("groups", "folds") if hasattr(part, name)]
    changed = {name: tuple(map(_in_flags, getattr(part, name))) for name in inner}
    if hasattr(part, "gaps"):
        changed["warnings"] = _warned(part.warnings)
        changed |= {
            name: tuple(replace(each, warnings=_warned(each.warnings)) for each in getattr(part, name))
            for name in ("comparisons", "gaps")
        }
    return replace(part, notes=tuple(map(as_flags, part.notes)), **changed)


def _warned(warnings: tuple[DesignWarning, ...]) -> tuple[DesignWarning, ...]:
    return tuple(replace(warning, text=as_flags(warning.text)) for warning in warnings)
