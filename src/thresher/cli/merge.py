"""`thresher merge`: counts of several files, days or sites as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from thresher.cli.count import check_counts_file, counts_output, least_option, write_counts
from thresher.cli.exit import CommandError
from thresher.cli.options import COLUMNS, GroupedCommand, debug_option, option, quiet_option, words
from thresher.cli.reading import counts_of, named, named_files
from thresher.cli.streams import write_text

if TYPE_CHECKING:
    from thresher.counts import Counts

EPILOG = """
\b
Examples:
  thresher merge 'days/*.counts.parquet' -o month.counts.parquet
  thresher merge north.counts.parquet south.counts.parquet --min-cell 10 -o all.counts.parquet
  thresher report month.counts.parquet
  thresher merge north.counts.parquet south=s2.counts.parquet --by site -o sites.counts.parquet

\b
With --by every file stays a group of its own, called by the name of the file, or by
NAME=FILE; files of one name in several folders are called with their folder. The AUC
is summed up over them as a random effect: sites may differ.
"""

FEW = "of which an interval says little"
"""What is said of two groups: the interval of their mean has one degree of freedom."""


@click.command(cls=GroupedCommand, epilog=EPILOG)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@option(
    COLUMNS, "--by", "columns", type=words, metavar="COLUMN", multiple=True,
    help="Keep the counts of every file apart, as a group by a column of this name. A group is called as its file, or "
    "as you say: berlin=day1.counts.parquet.",
)  # fmt: skip
@least_option
@counts_output
@quiet_option
@debug_option
def merge(files: tuple[str, ...], columns: tuple[str, ...], least: int | None, output: str, quiet: bool) -> None:
    """Add up counts that `thresher count` wrote.

    FILE is a file of counts, or a pattern such as 'days/*.counts.parquet'. All have the same scores, label and groups.
    """
    if len(columns) > 1:
        raise CommandError(f"--by {' --by '.join(columns)}: files are told apart by one column. Leave out the others.")
    by = columns[0] if columns else None
    if by is None and (given := next((given for given in files if named(given)[0]), None)):
        raise CommandError(
            f"{given}: NAME=FILE names a group, and needs --by with the column of the groups, as in --by site. "
            "Without --by leave the name out."
        )
    names = named_files(files) if by is not None else {}
    paths = tuple(names) or files
    check_counts_file(output, paths)
    found = counts_of(paths, by, names)
    write_counts(found, output, least, quiet=quiet)
    if by is not None and not quiet and found.weight_kind != "importance":
        write_text("\n".join(_over_sites(found, by)) + "\n")


def _over_sites(found: Counts, by: str) -> Iterator[str]:
    """The AUC of every score over the files, where they may differ."""
    from thresher.counts import Counts
    from thresher.errors import OptionError
    from thresher.evaluation import evaluate
    from thresher.predictions.columns import counted

    parts = {value: found.only({by: value}) for value in dict.fromkeys(key[0] for key in found.groups)}
    for name in found:
        try:
            alone = {value: part.of_scores([name]) for value, part in parts.items()}
            groups = evaluate(Counts.of_parts(alone, by=by), undefined="nan").groups
            auc = groups.random_effects("auc")[name]
        except OptionError as error:
            yield f"  {name}: {error}"
            continue
        limits = f"[{auc.low:.4g}, {auc.high:.4g}]" if auc.low is not None else f"({auc.reason})"
        wider = f"[{auc.modified[0]:.4g}, {auc.modified[1]:.4g}]" if auc.is_alike and auc.modified else limits
        alike = f", or {wider} if it is chance that they are alike" if wider != limits else ""
        ahead = f"; at another {by} [{auc.prediction[0]:.4g}, {auc.prediction[1]:.4g}]" if auc.prediction else ""
        over = counted(auc.sites, "group")
        few = f", {FEW}" if auc.is_of_two else ""
        left = f"; {auc.omitted} without a value or an error left out" if auc.omitted else ""
        yield f"  {name}: ROC AUC {auc.value:.4g} {limits} over {over} by {by}{few}{alike}{ahead}{left} ({auc.method})"
