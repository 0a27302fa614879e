"""`thresher rank`: ranked results against relevance judgements, as trec_eval does and beyond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from thresher.cli.exit import CommandError
from thresher.cli.flags import as_flags
from thresher.cli.guess import say_flags
from thresher.cli.kinds import Amount, Whole
from thresher.cli.options import (
    COLUMNS,
    GENERAL,
    NUMBERS,
    OUTPUT,
    ROWS,
    GroupedCommand,
    bootstrap_option,
    correction_option,
    debug_option,
    decimal_option,
    level_option,
    option,
    output_options,
    seed_option,
    together,
    words,
)
from thresher.cli.outputs import Outputs, check_picture, write_picture
from thresher.cli.progress import progress, resampling
from thresher.cli.streams import say, terminal_width

if TYPE_CHECKING:
    from thresher.ranking.evaluation import RankEvaluation

FORMS = ("text", "json", "jsonl", "csv", "tsv", "trec", "markdown", "latex")
IN_FILES = (*FORMS, "html")
GROUPED = ("official", "all_trec", "set")

EPILOG = """
\b
Examples:
  thresher rank --qrels qrels.txt --run bm25.run
  thresher rank --qrels qrels.txt.gz --run bm25.run --run dense.run \\
      -m map -m ndcg_cut.10 -m P.5,10 --compare
  thresher rank qrels.txt bm25.run -q -c -m official --format trec
  thresher rank qrels.txt bm25.run dense.run --compare -o ranking.html
  thresher rank clicks.parquet --query session --score model -m ndcg_exp_cut.10

\b
Measures are named as in trec_eval (map, P.10, ndcg_cut.10, recip_rank, bpref,
set_F, …) or as elsewhere (nDCG@10, RBP(p=0.5)); groups are summary, official,
all_trec, set and all. A parameter follows a point, several with commas.
"""

WHAT = "What is read"

INPUT_OPTIONS = together(
    option(WHAT, "--qrels", metavar="FILE", help="Relevance judgements; else the first FILE holds them."),
    option(WHAT, "--run", "runs", metavar="FILE", multiple=True, help="Results of a system; repeat it for several."),
    option(COLUMNS, "--query", type=words, metavar="COLUMN", help="Column of the queries, in a table file."),
    option(COLUMNS, "--document", type=words, metavar="COLUMN", help="Column of the documents, in a table file."),
    option(
        COLUMNS, "--score", "scores", type=words, metavar="COLUMN", multiple=True,
        help="Column of the scores, in a table file; repeat it when one table holds several runs.",
    ),
    option(COLUMNS, "--relevance", type=words, metavar="COLUMN", help="Column of the relevance, in a table file."),
    decimal_option,
)  # fmt: skip

NUMBER_OPTIONS = together(
    option(
        NUMBERS, "-m", "--measure", "measures", metavar="NAME", multiple=True,
        help="Measure or group of measures; may be repeated.  [default: summary; official with --format trec]",
    ),
    option(
        NUMBERS, "-l", "--relevance-level", "relevance_level", metavar="N", type=Whole("a relevance", least=1),
        default=1, show_default=True, help="Least relevance that counts as relevant in binary measures.",
    ),
    option(
        NUMBERS, "--ties", type=click.Choice(["trec_eval", "expected"]),
        help="Equal scores: by falling document, as trec_eval does, or the mean over all orders of them.",
    ),
    option(
        NUMBERS, "--score-type", type=click.Choice(["float32", "float64"]), default="float32", show_default=True,
        help="How scores are compared; trec_eval takes float32.",
    ),
    option(
        ROWS, "-c", "--complete", is_flag=True,
        help="Count judged queries without results as 0. Default: they are left out, and that is said.",
    ),
    option(
        ROWS, "--no-relevant", type=click.Choice(["zero", "skip"]), default="zero", show_default=True,
        help="What a query without relevant documents is: 0 in every mean, or left out.",
    ),
    option(ROWS, "-J", "--judged-only", is_flag=True, help="Take results that nobody judged out of the lists."),
    option(
        ROWS, "-M", "--most", type=Whole("a number of results", least=1), metavar="N",
        help="Look at N results of a query at most.",
    ),
    option(
        ROWS, "-N", "--collection", type=Whole("a number of documents", least=0), metavar="N", default=0,
        help="Documents in the collection, for utility.",
    ),
    option(
        NUMBERS, "--trec-eval", type=click.Choice(["9", "10"]), default="9", show_default=True,
        help="Version whose definitions are followed where they differ (recall levels, rbp, all_trec, -c -q).",
    ),
    level_option,
    bootstrap_option("the intervals and --test bootstrap rest on them. Default: Student's t; 2000.", of="queries"),
    option(
        NUMBERS, "--compare", is_flag=True,
        help="Also compare every two runs on every mean, p values adjusted for each measure.",
    ),
    option(
        NUMBERS, "--test", type=click.Choice(["t", "randomization", "bootstrap", "wilcoxon", "sign"]),
        help="Test over queries that --compare takes.  [default: t]",
    ),
    option(
        NUMBERS, "--margin", type=Amount("a margin"), metavar="M",
        help="With --compare: also test whether the first is not worse by M, and whether both are equivalent within M.",
    ),
    correction_option,
    seed_option,
)  # fmt: skip

OUTPUT_OPTIONS = together(
    option(OUTPUT, "-q", "--per-query", is_flag=True,
           help="Also the values of every query (instead, in csv, tsv, jsonl)."),
    output_options(*FORMS),
    option(
        OUTPUT, "--plot", metavar="FILE",
        help="Draw mean interpolated precision at eleven recalls of every run (PNG, SVG, PDF; needs matplotlib).",
    ),
    option(GENERAL, "--quiet", is_flag=True, help="Nothing on stderr but warnings and errors: no notes, no bar."),
)  # fmt: skip


@click.command(cls=GroupedCommand, epilog=EPILOG)
@click.argument("files", metavar="[FILE]...", nargs=-1)
@together(INPUT_OPTIONS, NUMBER_OPTIONS, OUTPUT_OPTIONS, debug_option)
def rank(
    files: tuple[str, ...], form: str | None, outputs: tuple[str, ...], per_query: bool, compare: bool, test: Any,
    margin: float | None, correction: str, plot: str | None, quiet: bool, **given: Any
) -> None:  # fmt: skip
    """Evaluate ranked results against relevance judgements.

    FILEs are the judgements (unless --qrels names them) and the runs: TREC files, plain or gzip, or tables (CSV, JSON
    lines, Parquet) with columns of queries, documents, scores and relevance. One table may hold all of them.
    """
    if test is not None and not compare:
        raise CommandError(f"--test {test} says how --compare tests the runs: give --compare too.")
    if margin is not None and not compare:
        raise CommandError(f"--margin {margin:g} is of what --compare finds: give --compare too.")
    qrels, runs = _inputs(files, given.pop("qrels"), given.pop("runs"))
    read = (qrels, *(runs or ()))
    where = Outputs.of(outputs, form, forms=IN_FILES, inputs=read, others={"--plot": plot}, quiet=quiet)
    if plot is not None:
        check_picture("--plot", plot)
    measures = given.pop("measures") or ("official" if where.forms == {"trec"} else "summary",)
    seed, replicates = given.pop("seed"), given.pop("bootstrap")
    given["trec_eval"] = int(given["trec_eval"])
    with _reading(quiet=quiet):
        evaluation = _evaluated(qrels, runs, measures, replicates, seed, given)
    with resampling(quiet=quiet):
        asked = {"test": test or "t", "margin": margin, "correction": correction, "level": given["level"]}
        compared = _comparisons(evaluation, rng=seed, bootstrap=replicates, **asked) if compare else []
        shown = where.form or (None if where.files else "text")
        say_flags(evaluation.notes, quiet=quiet or shown in (None, "text", "markdown"))
        where.write(lambda form, width: _written(evaluation, form, width, per_query, measures, compared, qrels))
        for item in () if quiet or shown in (None, "text", "markdown", "json", "latex") else compared:
            say(item.sentence)
    if plot is not None:
        write_picture(evaluation.plot().figure, plot, quiet=quiet)


@contextmanager
def _reading(*, quiet: bool) -> Iterator[None]:
    """Show how much of a file has been read, when somebody is looking."""
    from thresher.watched import watched

    with progress(quiet=quiet) as report:
        told = None if report is None else lambda done, wanted: report(done / max(wanted, 1), "Reading")
        with watched(told):
            yield


def _inputs(files: tuple[str, ...], qrels: str | None, runs: tuple[str, ...]) -> tuple[str, list[str] | None]:
    """Judgements and runs; no runs when one table holds everything."""
    rest = list(files)
    if qrels is None:
        if not rest:
            raise CommandError("name the judgements and a run: thresher rank --qrels QRELS --run RUN.")
        qrels = rest.pop(0)
    found = [*runs, *rest]
    if [qrels, *found].count("-") > 1:
        raise CommandError("standard input can be read once: name a file for the judgements or for the run.")
    return qrels, found or None


def _evaluated(
    qrels: str, runs: list[str] | None, measures: Sequence[str], replicates: int | None, seed: int, given: Any
) -> RankEvaluation:
    from thresher.inference.bootstrap.config import Bootstrap
    from thresher.ranking.front import rank as evaluate

    scores = given.pop("scores")
    if runs is not None and len(scores) > 1:
        raise CommandError("several --score columns are runs of one table; with --run each run is a file of its own.")
    score = (scores[0] if scores else None) if runs is not None else list(scores) or None
    bootstrap = None if replicates is None else Bootstrap(n=replicates, rng=seed)
    return evaluate(qrels, runs, measures=measures, score=score, bootstrap=bootstrap, **given)


def _comparisons(evaluation: RankEvaluation, **asked: Any) -> list[Any]:
    if len(evaluation) < 2:
        raise CommandError("--compare takes two runs: name another with --run.")
    found = evaluation.compare_all(**asked)
    if not found:
        raise CommandError("--compare takes a mean over queries, such as -m map.")
    return found


def _written(
    evaluation: RankEvaluation, form: str, width: int | None, per_query: bool, measures: Sequence[str],
    compared: list[Any], source: str,
) -> Any:  # fmt: skip
    from thresher.report.result_files import ranking_form

    named = len(evaluation) > 1 or any(name in GROUPED for name in measures)
    return ranking_form(
        evaluation, form, compared, per_query=per_query, width=width or terminal_width(), told=as_flags, source=source,
        run_names=named,
    )  # fmt: skip
