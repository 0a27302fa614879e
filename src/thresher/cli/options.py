"""Options that several subcommands share, and help that shows them in groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Literal

import click

from thresher.cli.exit import CommandError, Session
from thresher.cli.kinds import LEVEL, RATE_INTERVAL, RESAMPLES, SEED, Bytes, Form, Resolution, by_model
from thresher.cli.other_names import Forgiving
from thresher.cli.progress import resampling
from thresher.dataclass import dataclass

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

COLUMNS = "Which columns"
ROWS = "How the rows are read"
NUMBERS = "How the numbers are made"
OUTPUT = "What is written"
GENERAL = "General"


class GroupedOption(click.Option):
    """An option that stands under a heading of the help."""

    def __init__(self, *declarations: Any, heading: str = GENERAL, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.heading = heading


class GroupedCommand(Forgiving):
    """A command whose help lists its options under their headings."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; `--decimal` holds for all files that it reads."""
        if (mark := ctx.params.pop("decimal", None)) is None:
            return super().invoke(ctx)
        from thresher.engines.header import decimal_mark

        with decimal_mark(mark):
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each heading, in order of first use, the general one last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(parameter, "heading", GENERAL), []).append(record)
        sections[GENERAL] = sections.pop(GENERAL, [])
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def option(heading: str, *declarations: str, **attributes: Any) -> Decorator:
    """An option under a heading."""
    return click.option(*declarations, cls=GroupedOption, heading=heading, **attributes)


def words(text: str) -> str:
    """Words of the command line as UTF-8, in which files name their columns, whatever the locale.

    >>> words("fa\\udcc3\\udca7on"), words("façon")
    ('façon', 'façon')
    """
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return text


def together(*decorators: Decorator) -> Decorator:
    """Several decorators as one, in the order in which help is to show them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _note_debug(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Session).debug = True


debug_option = option(
    GENERAL,
    "--debug",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_note_debug,
    help="Show the traceback of an error.",
)

quiet_option = option(
    GENERAL, "-q", "--quiet", is_flag=True, help="Nothing on stderr but guesses, warnings and errors: no progress bar."
)

level_option = option(
    NUMBERS, "--level", type=LEVEL, metavar="SHARE", default=0.95, show_default=True,
    help="Confidence level of the intervals, such as 0.9 or 90%.",
)  # fmt: skip

rate_interval_option = option(
    NUMBERS, "--rate-interval", default="wilson", show_default=True, type=RATE_INTERVAL,
    help="Method of the intervals of proportions and of F1.",
)  # fmt: skip

correction_option = option(
    NUMBERS, "--correction", default="holm", show_default=True,
    type=click.Choice(["holm", "hochberg", "hommel", "bonferroni", "bh", "by"], case_sensitive=False),
    help="How p values of several comparisons are adjusted; bh and by control the share of false discoveries.",
)  # fmt: skip

seed_option = option(
    NUMBERS, "--seed", type=SEED, metavar="N", default=0, show_default=True, help="Seed of everything random.",
)  # fmt: skip

output_option = option(
    OUTPUT, "-o", "--output", "outputs", metavar="FILE", multiple=True,
    help="Also write to a file, in the form of its suffix; may be repeated. A summary still goes to stdout, unless "
    "--quiet.",
)  # fmt: skip


def bootstrap_option(what: str, of: str = "rows") -> Decorator:
    """`--bootstrap N`, with what the command makes of the resamples, and of what they are."""
    said = f"Draw N resamples of the {of}, such as 2000: {what}"
    return option(NUMBERS, "--bootstrap", type=RESAMPLES, metavar="N", help=said)


def output_options(*forms: str, default: str = "text", note: str = "") -> Decorator:
    """`--format` of what goes to stdout, None where it is not given, which a command with files reads as text; `-o`."""
    said = f"Form of what goes to stdout{note}.  [default: {default}]"
    return together(option(OUTPUT, "--format", "form", type=Form(forms), help=said), output_option)


weight_kind_option = option(
    COLUMNS, "--weight-kind", type=click.Choice(["importance", "frequency"]), default="importance", show_default=True,
    help="What a weight of 3 is: a row that matters three times as much, or three equal rows (frequency). Counts "
    "need frequency.",
)  # fmt: skip

COLUMN_OPTIONS = together(
    option(
        COLUMNS, "--label", "labels", type=words, metavar="COLUMN", multiple=True,
        help="Column of the true labels. When it is not given, a single column called label, target, y, y_true "
        "or outcome is taken, and that is said. Rows that may have several labels have a column of 0 and 1 for each: "
        "repeat it, or give a pattern such as 'tag_*', and name the other columns alike, --score 'net_*'.",
    ),
    option(
        COLUMNS, "--score", "scores", type=words, metavar="COLUMN", multiple=True,
        help="Column of a model's scores; repeat it for several models. When it is not given, the only column "
        "left that can be a score is taken, and that is said.",
    ),
    option(
        COLUMNS, "--proba", "--probabilities", "probabilities", type=words, metavar="[MODEL=]PREFIX", multiple=True,
        help="Columns of a model's probabilities, one for every class and called PREFIX and the class, as in proba_3; "
        "'p(*)' is a pattern, * the class, and A,B,C are columns. Repeat it for several models.",
    ),
    option(
        COLUMNS, "--classes", type=words, metavar="A,B,C",
        help="All classes in order, those that no row has included. Default: the labels, sorted.",
    ),
    option(
        COLUMNS, "--normalize", is_flag=True,
        help="Divide the probabilities of each row by their sum. Default: a row that does not add up to 1 is an error.",
    ),
    option(
        COLUMNS, "--positive", type=words, metavar="LABEL",
        help="The positive label. Needed unless the labels are 0 and 1, -1 and 1, or false and true.",
    ),
    option(
        COLUMNS, "--rest", type=click.Choice(["negative"]),
        help="With three or more labels: take all but --positive as negative.",
    ),
    option(COLUMNS, "--weight", type=words, metavar="COLUMN", help="Column of row weights."),
    weight_kind_option,
    option(
        COLUMNS, "--model-column", type=words, metavar="COLUMN",
        help="Column that names the model, when each line holds the score of one model (long format).",
    ),
)  # fmt: skip

OF_CLUSTERS = "Column that says which rows belong together (a patient)."

SPLIT_OPTIONS = together(
    option(
        COLUMNS, "--predicted", type=words, metavar="COLUMN", multiple=True,
        help="Column of a model's predicted labels; may be repeated.",
    ),
    option(COLUMNS, "--by", type=words, metavar="COLUMN", multiple=True, help="Column of subgroups; may be repeated."),
    option(COLUMNS, "--fold", type=words, metavar="COLUMN", help="Column of the cross-validation fold."),
    option(COLUMNS, "--cluster", type=words, metavar="COLUMN", help=OF_CLUSTERS),
)  # fmt: skip

direction_option = option(
    ROWS, "--direction", "directions", type=words, metavar="[MODEL=]higher|lower", multiple=True,
    help="Which scores mean positive, for one model, or for all others: --direction marker=lower. Thresholds are on "
    "each model's own scale.",
)  # fmt: skip

decimal_option = option(
    ROWS, "--decimal", type=click.Choice([",", "."]),
    help="Decimal mark in text files. Default: commas are read, and reported, if they do not separate the columns.",
)  # fmt: skip

ROW_OPTIONS = together(
    option(
        ROWS, "--truth", metavar="FILE",
        help="File that holds the true labels, when they are not beside the scores; needs --key.",
    ),
    option(ROWS, "--key", type=words, metavar="COLUMN", help="Column that matches the lines of --truth."),
    option(
        ROWS, "--lower-is-positive", is_flag=True,
        help="Low scores mean positive. Default: high scores do; it is never guessed from the data.",
    ),
    direction_option,
    option(
        ROWS, "--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
        help="What a missing label or score is: an error, or a row to drop (how many is said).",
    ),
    decimal_option,
)  # fmt: skip


memory_option = option(
    NUMBERS, "--memory", type=Bytes("an amount of memory"), metavar="SIZE",
    help="Memory that rows or counts may take, such as 2GB; the program itself takes 0.2 to 0.4 GB more, a report of "
    "counts up to as much again. Default: half of the machine's for rows, 1GB for counts.",
)  # fmt: skip


def resolution_option(what: str, **attributes: Any) -> Decorator:
    """Return `--resolution`, with what the command makes of it."""
    said = f"Significant bits that scores are rounded to, 8 to 24, or exact. {what}"
    return option(NUMBERS, "--resolution", type=Resolution(), metavar="BITS|exact", help=said, **attributes)


USUAL_RESOLUTION = "exact up to about a million distinct scores, beyond that 16 (and reported)."

LARGE_OPTIONS = together(
    resolution_option(
        "Counts the rows instead of keeping them, in memory that does not grow with them. Default: rows are kept; if "
        f"they are too many for the memory, they are counted, {USUAL_RESOLUTION}"
    ),
    memory_option,
)


where_option = option(
    ROWS, "--where", "conditions", type=words, metavar="CONDITION", multiple=True,
    help="Read only rows that satisfy this SQL condition: \"day >= '2026-01-01' AND site <> 'x'\". Repeat to combine "
    "with AND. In text files a column of numbers compares by value: 1.10 = 1.1, though they are two groups for --by.",
)  # fmt: skip


DIRECTIONS = ("--direction", "--lower-is-positive")
"""Options that say which scores are positive."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The options that say what to read, and how."""

    files: tuple[str, ...]
    label: str | None
    scores: tuple[str, ...]
    positive: str | None
    rest: Literal["negative"] | None
    weight: str | None
    weight_kind: Literal["importance", "frequency"]
    model_column: str | None
    truth: str | None
    key: str | None
    lower_is_positive: bool
    directions: tuple[str, ...]
    missing: Literal["error", "drop"]
    quiet: bool
    predicted: tuple[str, ...] = ()
    probabilities: tuple[str, ...] = ()
    classes: str | None = None
    normalize: bool = False
    labels: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    fold: str | None = None
    cluster: str | None = None
    resolution: int | str | None = None
    memory: int | None = None
    conditions: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """All files that are read, as they were named."""
        return (*self.files, *filter(None, [self.truth]))

    @property
    def words(self) -> tuple[str, ...]:
        """Files, and options of the rows, by which another command reads the same; columns of models stand apart."""
        from thresher.engines.header import given_mark

        names = ("rest", "weight", "model_column", "truth", "key")
        given = [(name, value) for name in names if (value := getattr(self, name)) is not None]
        given += [("weight_kind", self.weight_kind)] if self.weight_kind != "importance" else []
        given += [("missing", self.missing)] if self.missing != "error" else []
        given += [("decimal", mark)] if (mark := given_mark.get()) is not None else []
        given += [("where", condition) for condition in self.conditions]
        return (*self.files, *(word for name, value in given for word in (f"--{name.replace('_', '-')}", value)))

    def __post_init__(self) -> None:
        _ = self.direction  # refused before a file is read

    @property
    def direction(self) -> Any:
        """Which scores are positive, as the library takes it.

        Raises:
            CommandError: a text says neither end, or what another says of the same models.
        """
        return direction_of_texts(self.directions, lower=self.lower_is_positive)

    def first_of(self, *flags: str) -> str | None:
        """The first of some options that was given; several labels are `several --label`."""
        odd = {
            "--score": "scores",
            "--proba": "probabilities",
            "--direction": "directions",
            "--where": "conditions",
            "several --label": "labels",
        }
        names = ((flag, odd.get(flag, flag.strip("-").replace("-", "_"))) for flag in flags)
        return next((flag for flag, name in names if getattr(self, name)), None)

    @property
    def spoken_for(self) -> dict[str, str]:
        """Columns that have a part already, and which option gave it to them."""
        parts = [("--weight", self.weight), ("--fold", self.fold), ("--cluster", self.cluster), ("--key", self.key)]
        parts += [("--model-column", self.model_column)]
        parts += [("--label", column) for column in (self.label, *self.labels)]
        parts += [("--by", column) for column in self.by] + [("--predicted", column) for column in self.predicted]
        return {column: flag for flag, column in parts if column is not None}


def direction_of_texts(texts: Sequence[str], *, lower: bool) -> str | dict[str | None, str]:
    """Direction of all models, or by model, the others under None, from `--direction` and `--lower-is-positive`.

    >>> direction_of_texts([], lower=True), direction_of_texts(["marker=lower"], lower=False)
    ('lower', {None: 'higher', 'marker': 'lower'})
    """
    found = by_model("--direction", texts, _end, "higher nor lower, nor MODEL=lower")
    if lower and None in found:
        raise CommandError("--lower-is-positive and --direction say the same of all models: use one of them.")
    found = {None: "lower" if lower else "higher", **found}
    return found if len(found) > 1 else found[None]


def _end(text: str) -> str:
    if text not in ("higher", "lower"):
        raise ValueError(text)
    return text


def one_or_several(labels: tuple[str, ...]) -> dict[str, Any]:
    """`label` of one column, or `labels` of rows that may have several.

    >>> one_or_several(("y",)), one_or_several(("tag_*",))
    ({'label': 'y', 'labels': ()}, {'label': None, 'labels': ('tag_*',)})
    """
    several = len(labels) > 1 or any("*" in column for column in labels)
    return {"label": None if several or not labels else labels[0], "labels": labels if several else ()}


def reading_options(*more: Decorator, split: Decorator | None = None) -> Decorator:
    """Give a command the arguments and options of `Reading`, gathered into its first argument, and more options.

    `split` are the options about subsets of the rows, for a command that knows what to do with them.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def gathered(files: tuple[str, ...], **options: Any) -> Any:
            options |= one_or_several(options.pop("labels"))
            names = [name for name in Reading.__dataclass_fields__ if name in options]
            reading = Reading(files=files, **{name: options.pop(name) for name in names})
            with resampling(quiet=reading.quiet):
                return function(reading, **options)

        argument = click.argument("files", metavar="FILE...", nargs=-1, required=True)
        splits = [split] if split else []
        return together(argument, COLUMN_OPTIONS, *splits, ROW_OPTIONS, *more, quiet_option, debug_option)(gathered)

    return decorate
