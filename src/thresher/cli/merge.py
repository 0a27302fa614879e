"""`thresher merge`: counts of several files, days or sites as one."""

from __future__ import annotations

import click

from thresher.cli.count import check_counts_file, counts_output, least_option, write_counts
from thresher.cli.options import GroupedCommand, debug_option, quiet_option
from thresher.cli.reading import counts_of

EPILOG = """
\b
Examples:
  thresher merge 'days/*.counts.parquet' -o month.counts.parquet
  thresher merge north.counts.parquet south.counts.parquet --min-cell 10 -o all.counts.parquet
  thresher report month.counts.parquet
"""


@click.command(cls=GroupedCommand, epilog=EPILOG)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@least_option
@counts_output
@quiet_option
@debug_option
def merge(files: tuple[str, ...], least: int | None, output: str, quiet: bool) -> None:
    """Add up counts that `thresher count` wrote.

    FILE is a file of counts, or a pattern such as 'days/*.counts.parquet'. All have the same scores, label and groups.
    """
    check_counts_file(output, files)
    write_counts(counts_of(files), output, least, quiet=quiet)
