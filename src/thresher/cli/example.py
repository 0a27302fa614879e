"""For learners: `thresher example` writes predictions to try things on, `teach` a handout from one's own rows."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from thresher._util.atomic_file import atomic_write
from thresher.cli.exit import CommandError
from thresher.cli.kinds import Text
from thresher.cli.options import PREDICTIONS, Arguments, command, files
from thresher.cli.outputs import Outputs
from thresher.cli.reading import evaluated_any
from thresher.cli.streams import say, write_bytes

if TYPE_CHECKING:
    from thresher.report.teaching import Sheet


EXAMPLE_EXAMPLES = """
\b
Examples:
  thresher example                     # breast_cancer.csv, here
  thresher example digit_eight -o digits.csv
  thresher example digits              # ten classes
  thresher example --list
  thresher example -o - | thresher report - --label diagnosis \\
      --positive malignant --score random_forest
"""


def _examples() -> dict[str, str]:
    """Examples, and their subjects."""
    from thresher.examples import EXAMPLES, RETRIEVAL, WALKED

    return {name: about["about"] for name, about in (EXAMPLES | RETRIEVAL | WALKED).items()}


@command(
    "output list force", click.Argument(["name"], default="breast_cancer", type=Text("NAME", names=_examples)),
    epilog=EXAMPLE_EXAMPLES, listed=_examples,
)  # fmt: skip
def example(args: Arguments) -> None:
    """Write example predictions, and suggest a command.

    NAME is breast_cancer (default), digit_eight, digits (ten classes) or wine (three): out-of-fold predictions of
    two or three models each; digit_search: judgements and two runs for `thresher rank`; or ten, five or tied: a few
    rows to walk along.
    """
    from thresher.examples import EXAMPLES, RETRIEVAL, WALKED, example_bytes

    name, output, force = args.name, args.output, args.force
    if name in RETRIEVAL:
        _write_retrieval(name, output, force)
        return
    content = example_bytes(name)
    if output == "-":
        write_bytes([content])
        return
    path = Path(output or f"{name}.csv")
    say(_put(path, content, force))
    words = ["thresher", "table", str(path), "--label", "truth", "--score", "score", "--walk"]
    if name not in WALKED:
        about = EXAMPLES[name]
        words = ["thresher", "report", str(path), "--label", about["label"]]
        words += ["--positive", str(about["positive"])] if "positive" in about else []
        words += [word for each in about.get("probabilities", []) for word in ("--proba", each.removesuffix("*"))]
        words += [word for score in about["scores"] for word in ("--score", score)]
        words += ["--by", about["by"], "-o", "report.html"]
    say(f"now try: {shlex.join(words)}")


def _write_retrieval(name: str, output: str | None, force: bool) -> None:
    from thresher.examples import RETRIEVAL, retrieval_files

    if output is not None:
        raise CommandError(f"{name} is several files, so -o does not go with it: they are written here.")
    for file, content in retrieval_files(name).items():
        say(_put(Path(file), content, force))
    about = RETRIEVAL[name]
    runs = [word for file in about["runs"].values() for word in ("--run", file)]
    say(f"now try: {shlex.join(['thresher', 'rank', '--qrels', about['qrels'], *runs, '--compare'])}")


def _put(path: Path, content: bytes, force: bool) -> str:
    """Write the file unless that would destroy another; return the sentence about it."""
    if path.is_file() and path.read_bytes() == content:
        return f"{path} is there already."
    if path.is_file() and not force:
        raise CommandError(f"{path} exists; --force overwrites it, -o names another file.")
    try:
        with atomic_write(path) as place:
            place.write_bytes(content)
    except OSError as problem:
        raise CommandError(f"cannot write {path}: {problem.strerror}.") from None
    return f"wrote {path}"


TEACH_EXAMPLES = """
\b
Examples:
  thresher example ten
  thresher teach ten.csv --label truth --score score -o handout.html
  thresher teach ten.csv --label truth --score score -o handout.html --answers key.html
  thresher teach predictions.csv --label outcome --score model_a --rows 16 --seed 3 -o handout.html
"""

FORMS = ("text", "html")


@command(f"{PREDICTIONS} rows seed form outputs answers quiet", files(), forms=FORMS, epilog=TEACH_EXAMPLES)
def teach(args: Arguments) -> None:
    """Write a handout with blanks from your own rows, and its answer key.

    Its exercises are the walk from the ranking to the ROC, the curve by hand, pairs, the confusion matrix at a
    threshold, every threshold with costs, and another prevalence. The answers are computed from the rows of
    one score, and the same file with the same seed gives the same handout.
    """
    from thresher.cli.reading import rows_or_counts
    from thresher.counts import Counts
    from thresher.report.teaching import MOST, sheet, some_rows

    if args.rows > MOST:
        raise CommandError(f"--rows {args.rows}: a handout has {MOST} rows at the most, to be worked on by hand.")
    if args.answers == "-":
        raise CommandError("--answers names a file: without it the answers follow the exercises, on stdout too.")
    where = Outputs.of(args, FORMS, others={"--answers": args.answers})
    alone = (args.answers,) if args.answers else ()
    key = Outputs.of(args.replace(outputs=alone, form=None, quiet=True), FORMS)
    found = rows_or_counts(args)
    if isinstance(found, Counts):
        raise CommandError("a handout is made of rows, and these are counts.")
    few, lead = some_rows(found, args.rows, args.seed)
    models = evaluated_any(few)
    if len(models) > 1:
        raise CommandError("a handout is about one score: choose one with --score.")
    [made] = (sheet(model, lead=" ".join([lead, *few.notes])) for model in models.values())
    with_key = "without" if args.answers else "with"
    where.write(lambda form, width: _written(made, form, with_key, width), lambda: lead)
    if args.answers:
        key.write(lambda form, width: _written(made, form, "alone", width))
        if not args.quiet:
            say(f"wrote {args.answers}")


def _written(made: Sheet, form: str, key: str, width: int | None) -> str:
    """Handout in a form, with its answers, without them, or they alone."""
    if form == "html":
        from thresher.report.render.handout import handout_page

        return handout_page(made, key=key)
    from thresher.report.render.handout import handout_text

    return handout_text(made, key=key, width=width)
