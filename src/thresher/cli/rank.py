"""`thresher rank`: ranked results against relevance judgements, as trec_eval does and beyond."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from thresher.cli.exit import CommandError
from thresher.cli.flags import as_flags
from thresher.cli.guess import say_flags
from thresher.cli.options import Given, command, files
from thresher.cli.outputs import Outputs, check_picture, write_picture
from thresher.cli.progress import progress
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

FRONT = (
    "query document relevance relevance_level ties score_type complete no_relevant judged_only most collection "
    "trec_eval level"
)
"""Options that `thresher.rank` takes by the same name."""


@command(
    f"qrels runs query document scores relevance decimal measures {FRONT.partition('relevance ')[2]} bootstrap "
    "is_compared test margin correction seed per_query form outputs plot quiet",
    files("[FILE]...", required=False), forms=FORMS, epilog=EPILOG,
)  # fmt: skip
def rank(given: Given) -> None:
    """Evaluate ranked results against relevance judgements.

    FILEs are the judgements (unless --qrels names them) and the runs: TREC files, plain or gzip, or tables (CSV, JSON
    lines, Parquet) with columns of queries, documents, scores and relevance. One table may hold all of them.
    """
    if given.test is not None and not given.is_compared:
        raise CommandError(f"--test {given.test} says how --compare tests the runs: give --compare too.")
    if given.margin is not None and not given.is_compared:
        raise CommandError(f"--margin {given.margin:g} is of what --compare finds: give --compare too.")
    qrels, runs = _inputs(given)
    where = Outputs.of(given, IN_FILES, inputs=(qrels, *(runs or ())), others={"--plot": given.plot})
    if given.plot is not None:
        check_picture("--plot", given.plot)
    given = given.but(measures=given.measures or ("official" if where.forms == {"trec"} else "summary",))
    with _reading(quiet=given.quiet):
        evaluation = _evaluated(qrels, runs, given)
    compared = _comparisons(evaluation, given) if given.is_compared else []
    shown = where.form or (None if where.files else "text")
    say_flags(evaluation.notes, quiet=given.quiet or shown in (None, "text", "markdown"))
    where.write(lambda form, width: _written(evaluation, form, width, given, compared, qrels))
    for item in () if given.quiet or shown in (None, "text", "markdown", "json", "latex") else compared:
        say(item.sentence)
    if given.plot is not None:
        write_picture(evaluation.plot().figure, given.plot, quiet=given.quiet)


@contextmanager
def _reading(*, quiet: bool) -> Iterator[None]:
    """Show how much of a file has been read, when somebody is looking."""
    from thresher.watched import watched

    with progress(quiet=quiet) as report:
        told = None if report is None else lambda done, wanted: report(done / max(wanted, 1), "Reading")
        with watched(told):
            yield


def _inputs(given: Given) -> tuple[str, list[str] | None]:
    """Judgements and runs; no runs when one table holds everything."""
    qrels, rest = given.qrels, list(given.files)
    if qrels is None:
        if not rest:
            raise CommandError("name the judgements and a run: thresher rank --qrels QRELS --run RUN.")
        qrels = rest.pop(0)
    found = [*given.runs, *rest]
    if [qrels, *found].count("-") > 1:
        raise CommandError("standard input can be read once: name a file for the judgements or for the run.")
    return qrels, found or None


def _evaluated(qrels: str, runs: list[str] | None, given: Given) -> RankEvaluation:
    from thresher.cli.evaluating import bootstrap_of
    from thresher.ranking.front import rank as evaluate

    scores = given.scores
    if runs is not None and len(scores) > 1:
        raise CommandError("several --score columns are runs of one table; with --run each run is a file of its own.")
    score = (scores[0] if scores else None) if runs is not None else list(scores) or None
    options = given.of(*FRONT.split()) | {"trec_eval": int(given.trec_eval), "bootstrap": bootstrap_of(given)}
    return evaluate(qrels, runs, measures=given.measures, score=score, **options)


def _comparisons(evaluation: RankEvaluation, given: Given) -> list[Any]:
    if len(evaluation) < 2:
        raise CommandError("--compare takes two runs: name another with --run.")
    options = given.of("margin", "correction", "level", "bootstrap") | {"test": given.test or "t", "rng": given.seed}
    found = evaluation.compare_all(**options)
    if not found:
        raise CommandError("--compare takes a mean over queries, such as -m map.")
    return found


def _written(
    evaluation: RankEvaluation, form: str, width: int | None, given: Given, compared: list[Any], source: str
) -> Any:
    from thresher.report.result_files import ranking_form

    named = len(evaluation) > 1 or any(name in GROUPED for name in given.measures)
    return ranking_form(
        evaluation, form, compared, per_query=given.per_query, width=width or terminal_width(), told=as_flags,
        source=source, run_names=named,
    )  # fmt: skip
