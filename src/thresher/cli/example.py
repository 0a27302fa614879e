"""`thresher example`: writes example predictions to try things on."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from thresher._util.atomic_file import atomic_write
from thresher.cli.exit import CommandError
from thresher.cli.kinds import Text
from thresher.cli.options import Arguments, command
from thresher.cli.streams import say, write_bytes

EPILOG = """
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
    epilog=EPILOG, listed=_examples,
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
    say(f"now try: {shlex.join(words if name in WALKED else _next_command(str(path), EXAMPLES[name]))}")


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


def _next_command(path: str, about: dict[str, Any]) -> list[str]:
    words = ["thresher", "report", path, "--label", about["label"]]
    words += ["--positive", str(about["positive"])] if "positive" in about else []
    for pattern in about.get("probabilities", []):
        words += ["--proba", pattern.removesuffix("*")]
    for score in about["scores"]:
        words += ["--score", score]
    return [*words, "--by", about["by"], "-o", "report.html"]
