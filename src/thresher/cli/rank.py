"""`thresher rank`: ranked results against relevance judgements, as trec_eval does and beyond."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from thresher.cli.exit import CommandError, as_flags
from thresher.cli.label_columns import say_flags
from thresher.cli.options import Arguments, command, files
from thresher.cli.outputs import Outputs, check_picture, write_picture
from thresher.cli.streams import progress, say, terminal_width

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
  thresher rank qrels.txt bm25.run --per-query -c -m official --format trec
  thresher rank qrels.txt bm25.run dense.run --compare -o ranking.html
  thresher rank --qrels people.qrels --run bm25.run --judge model.qrels
  thresher rank clicks.parquet --query session --score model -m ndcg_exp_cut.10

\b
Measures are named as in trec_eval (map, P.10, ndcg_cut.10, recip_rank, bpref,
set_F, …) or as elsewhere (nDCG@10, RBP(p=0.5)); groups are summary, official,
all_trec, set and all. A parameter follows a point, several with commas.
"""

RULES = "relevance_level ties score_type complete no_relevant judged_only most collection trec_eval level"
"""Options by which values are computed; `thresher.rank` takes them, and the columns, by the same names."""


@command(
    f"qrels runs judge_qrels query document scores relevance decimal measures {RULES} bootstrap "
    "is_compared test margin correction seed per_query form outputs plot quiet",
    files("[FILE]...", required=False), forms=FORMS, epilog=EPILOG,
)  # fmt: skip
def rank(args: Arguments) -> None:
    """Evaluate ranked results against relevance judgements.

    FILEs are the judgements (unless --qrels names them) and the runs: TREC files, plain or gzip, or tables (CSV, JSON
    lines, Parquet) with columns of queries, documents, scores and relevance. One table may hold all of them.
    """
    if args.test is not None and not args.is_compared:
        raise CommandError(f"--test {args.test} applies to --compare: give --compare too.")
    if args.margin is not None and not args.is_compared:
        raise CommandError(f"--margin {args.margin:g} applies to the differences of --compare: give --compare too.")
    for flag, given in (("--qrels", args.qrels), ("--judge", args.judge_qrels)):
        if len(given) > 1:
            raise CommandError(f"{flag} is given twice, and `thresher rank` takes one.")
    args = args.replace(qrels=next(iter(args.qrels), None), judge_qrels=next(iter(args.judge_qrels), None))
    qrels, runs = _inputs(args)
    where = Outputs.of(
        args,
        IN_FILES,
        inputs=(qrels, *(runs or ()), *filter(None, [runs and args.judge_qrels])),
        others={"--plot": args.plot},
    )
    if args.plot is not None:
        check_picture("--plot", args.plot)
    args = args.replace(measures=args.measures or ("official" if where.forms == {"trec"} else "summary",))
    with _reading(quiet=args.quiet):
        evaluation = _evaluated(qrels, runs, args)
    compared = _comparisons(evaluation, args) if args.is_compared else []
    shown = where.form or (None if where.files else "text")
    say_flags(evaluation.notes, quiet=args.quiet or shown in (None, "text", "markdown"))
    where.write(lambda form, width: _written(evaluation, form, width, args, compared, qrels))
    for item in () if args.quiet or shown in (None, "text", "markdown", "json", "latex") else compared:
        say(item.sentence)
    if args.plot is not None:
        write_picture(evaluation.plot().figure, args.plot, quiet=args.quiet)


@contextmanager
def _reading(*, quiet: bool) -> Iterator[None]:
    """Show the read share of a file, on a terminal."""
    from thresher._util.threads import progress_scope

    with progress(quiet=quiet) as report:
        told = None if report is None else lambda done, wanted: report(done / max(wanted, 1), "Reading")
        with progress_scope(told):
            yield


def _inputs(args: Arguments) -> tuple[str, list[str] | None]:
    """Judgements and runs; no runs when one table holds everything."""
    qrels, rest = args.qrels, list(args.files)
    if qrels is None:
        if not rest:
            raise CommandError("name the judgements and a run: thresher rank --qrels QRELS --run RUN.")
        qrels = rest.pop(0)
    found = [*args.runs, *rest]
    if [qrels, *found].count("-") > 1:
        raise CommandError("standard input can be read once: name a file for the judgements or for the run.")
    return qrels, found or None


def _evaluated(qrels: str, runs: list[str] | None, args: Arguments) -> RankEvaluation:
    from thresher.cli.reading import bootstrap_of
    from thresher.ranking.front import rank as evaluate

    scores = args.scores
    if runs is not None and len(scores) > 1:
        raise CommandError("several --score columns are runs of one table; with --run each run is a file of its own.")
    score = (scores[0] if scores else None) if runs is not None else list(scores) or None
    options = args.select("query", "document", "relevance", *RULES.split()) | {
        "trec_eval": int(args.trec_eval),
        "bootstrap": bootstrap_of(args),
    }
    return evaluate(qrels, runs, judge=args.judge_qrels, measures=args.measures, score=score, **options)


def _comparisons(evaluation: RankEvaluation, args: Arguments) -> list[Any]:
    if len(evaluation) < 2:
        raise CommandError("--compare takes two runs: name another with --run.")
    options = args.select("margin", "correction", "level", "bootstrap") | {"test": args.test or "t", "rng": args.seed}
    found = evaluation.compare_all(**options)
    if not found:
        raise CommandError("--compare takes a mean over queries, such as -m map.")
    return found


def _written(
    evaluation: RankEvaluation, form: str, width: int | None, args: Arguments, compared: list[Any], source: str
) -> Any:
    from thresher.report.render.results import ranking_form

    named = len(evaluation) > 1 or any(name in GROUPED for name in args.measures)
    return ranking_form(
        evaluation, compared, form=form, per_query=args.per_query, width=width or terminal_width(), told=as_flags,
        source=source, run_names=named,
    )  # fmt: skip
