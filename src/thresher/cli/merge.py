"""`thresher merge`: counts of several files, days or sites as one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from thresher.cli.count import check_counts_file, write_counts
from thresher.cli.exit import CommandError
from thresher.cli.options import Arguments, command, files
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
With --by every file stays a group with the name of the file, or NAME in NAME=FILE; files
of one name in several folders are named with their folder. The mean AUC over the groups
allows for differences between them (random effects).
"""


@command("by least output quiet", files(), epilog=EPILOG)
def merge(args: Arguments) -> None:
    """Add up counts that `thresher count` wrote.

    FILE is a file of counts, or a pattern such as 'days/*.counts.parquet'. All have the same scores, label and groups.
    """
    if len(args.by) > 1:
        raise CommandError(f"--by {' --by '.join(args.by)}: files are told apart by one column. Leave out the others.")
    by = args.by[0] if args.by else None
    if by is None and (odd := next((file for file in args.files if named(file)[0]), None)):
        raise CommandError(
            f"{odd}: NAME=FILE names a group, and needs --by with the column of the groups, as in --by site. "
            "Without --by leave the name out."
        )
    names = named_files(args.files) if by is not None else {}
    paths = tuple(names) or args.files
    check_counts_file(args.output, paths)
    found = counts_of(paths, by, names)
    write_counts(found, args)
    if by is not None and not args.quiet and found.weight_kind != "importance":
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
        limits = f"[{auc.low:.4f}, {auc.high:.4f}]" if auc.low is not None else f"({auc.reason})"
        wider = f"[{auc.modified[0]:.4f}, {auc.modified[1]:.4f}]" if auc.is_alike and auc.modified else limits
        alike = f", or {wider} if the groups agree by chance only" if wider != limits else ""
        ahead = f"; for another {by} [{auc.prediction[0]:.4f}, {auc.prediction[1]:.4f}]" if auc.prediction else ""
        over = counted(auc.sites, "group")
        few = "; two groups say little about others" if auc.is_of_two else ""
        left = f"; {auc.omitted} without a value or an error left out" if auc.omitted else ""
        yield f"  {name}: mean ROC AUC {auc.value:.4f} {limits} over {over}{few}{alike}{ahead}{left} ({auc.method})"
