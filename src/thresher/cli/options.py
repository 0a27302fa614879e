"""From rows of the table of options to commands: click's options, help under headings, and the values given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click

from thresher.cli.exit import CommandError, Session
from thresher.cli.kinds import FLAG, FORMS, FilePath, NameChoice, Option
from thresher.cli.option_table import OPTIONS
from thresher.cli.streams import resampling, write_text

T = TypeVar("T")

ROWS = (
    "labels scores probabilities classes normalize positive rest weight weight_kind model_column {} truth key "
    "lower_is_positive directions missing decimal"
)
"""Options of a command that reads rows of predictions; the middle has the options about subsets of rows."""

PREDICTIONS = ROWS.format("")
WITH_GROUPS = ROWS.format("predicted by fold cluster")
WITH_JUDGE = ROWS.format("predicted by fold cluster judge sampling verified")

FILE_ELSEWHERE = "--data --file --files --input --input-file --csv --path --dataset -f -i"
"""Options of other tools for the files that are read."""

PLACED = {
    "--judge": "It is an option of thresher report, check, compare, rank and gold.",
    "--sampling": "It is an option of thresher report, check and compare.",
    "--verified": "It is an option of thresher report, check and compare.",
}
"""Where to find an option that only some commands have."""

DIRECTIONS = ("directions", "lower_is_positive")
"""Options that say which scores are positive."""

OF_MODELS = {"labels", "scores", "probabilities", "classes", "normalize", "positive", "predicted", *DIRECTIONS}
"""Options that name the classes and the columns of the models."""


class Arguments:
    """Arguments and options of one call of a command, by the names of their rows; an option that it lacks is empty."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        if isinstance(found := values.get("labels"), tuple) and "label" not in values:
            self._values |= one_or_several(found)
        _ = self.direction  # refused before a file is read

    def __getattr__(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        if (row := OPTIONS.get(name)) is None:
            raise AttributeError(name)
        return () if row.many else False if row.kind is FLAG else row.default

    def replace(self, **changes: Any) -> Arguments:
        """Return the same with other values."""
        return Arguments(self._values | changes)

    def select(self, *names: str) -> dict[str, Any]:
        """Values by name."""
        return {name: getattr(self, name) for name in names}

    @property
    def inputs(self) -> tuple[str, ...]:
        """All files that are read, as they were named."""
        return (*self._values.get("files", ()), *filter(None, [self.truth]))

    @property
    def words(self) -> tuple[str, ...]:
        """Files and every option by which another command reads the same data; without the columns of models."""
        names = (name for name in f"{WITH_JUDGE} resolution memory conditions".split() if name not in OF_MODELS)
        rows = [(OPTIONS[name], getattr(self, name)) for name in names]
        given = [
            (row.flag, str(each)) for row, value in rows for each in (value if row.many else [value])
            if each != row.default
        ]  # fmt: skip
        return (*self.files, *(word for pair in given for word in pair))

    @property
    def direction(self) -> Any:
        """Direction of scores, for all models or by model, the others under None.

        >>> Arguments({"directions": ("marker=lower",)}).direction
        {None: 'higher', 'marker': 'lower'}
        """
        found = by_model("--direction", self.directions, _end, "higher nor lower, nor MODEL=lower")
        if self.lower_is_positive and None in found:
            raise CommandError("--lower-is-positive and --direction say the same of all models: use one of them.")
        found = {None: "lower" if self.lower_is_positive else "higher", **found}
        return found if len(found) > 1 else found[None]

    def first_of(self, *names: str) -> str | None:
        """Flag of the first of some options that was given; of several labels, `several --label`."""
        name = next((name for name in names if self._values.get(name)), None)
        return None if name is None else "several --label" if name == "labels" else OPTIONS[name].flag

    @property
    def assigned_columns(self) -> dict[str, str]:
        """Columns that have a part already, and which option gave it to them."""
        parts = [("--label", self.label), *(("--label", column) for column in self.labels)]
        single, several = ("weight", "fold", "cluster", "sampling", "verified", "key"), ("by", "predicted", "judge")
        parts += [(OPTIONS[name].flag, getattr(self, name)) for name in single]
        parts += [("--model-column", self.model_column)]
        parts += [(OPTIONS[name].flag, column) for name in several for column in getattr(self, name)]
        return {column: flag for flag, column in parts if column is not None}


def one_or_several(labels: tuple[str, ...]) -> dict[str, Any]:
    """`label` of one column, or `labels` of rows that may have several.

    >>> one_or_several(("y",)), one_or_several(("tag_*",))
    ({'label': 'y', 'labels': ()}, {'label': None, 'labels': ('tag_*',)})
    """
    several = len(labels) > 1 or any("*" in column for column in labels)
    return {"label": None if several or not labels else labels[0], "labels": labels if several else ()}


def by_model(flag: str, texts: Iterable[str], value: Callable[[str], T], kinds: str) -> dict[str | None, T]:
    """Values that `[MODEL=]VALUE` gives to one model, or to all, None; a model's name may hold an equals sign.

    `value` raises ValueError for a text that is neither of the `kinds`.

    >>> by_model("--threshold", ["0.5", "net=0.3"], float, "a number nor MODEL=NUMBER")
    {None: 0.5, 'net': 0.3}
    """
    found: dict[str | None, T] = {}
    for text in texts:
        name, equals, said = text.rpartition("=")
        model = name if equals else None
        if model in found:
            raise CommandError(f"{flag} is given twice for {'all models' if model is None else repr(model)}.")
        try:
            found[model] = value(said)
        except ValueError:
            raise CommandError(f"{flag} {text!r} is neither {kinds}.") from None
    return found


def _end(text: str) -> str:
    if text not in ("higher", "lower"):
        raise ValueError(text)
    return text


class Command(click.Command):
    """A command with help under headings, which knows the names of its options in other tools."""

    rows: Sequence[Option] = ()
    ending: Callable[[], str] | None = None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; `--decimal` holds for all files that it reads."""
        if (mark := ctx.params.get("decimal")) is None:
            return super().invoke(ctx)
        from thresher.readers.csv_files import decimal_mark

        with decimal_mark(mark):
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, with keywords of the library as options, and suggest one for an unknown option."""
        accepted = {row.accepts: row.flag for row in self.rows if row.accepts}
        if ctx.resilient_parsing and args and args[-1].startswith("-"):
            args = args[:-1]  # a shell completes its value, and click would keep no argument beside it
        end = args.index("--") if "--" in args else len(args)
        words = [(*arg.partition("="),) for arg in args[:end]]
        try:
            return list(
                super().parse_args(ctx, [f"{accepted.get(a, a)}{equals}{b}" for a, equals, b in words] + args[end:])
            )
        except click.NoSuchOption as problem:
            if problem.option_name in FILE_ELSEWHERE.split() and any(each.name == "files" for each in self.params):
                placed = f"Files are named without an option: {ctx.command_path} FILE."
                raise click.UsageError(f"No such option {problem.option_name!r}. {placed}", ctx) from None
            if there := PLACED.get(problem.option_name):
                placed = there
                if problem.option_name != "--verified" and any(each.name == "missing" for each in self.params):
                    placed += f" For {ctx.command_path}, take the gold rows alone with --missing drop."
                raise click.UsageError(f"No such option {problem.option_name!r}. {placed}", ctx) from None
            known = [row.flag for row in self.rows if problem.option_name in row.elsewhere.split()]
            near = " or ".join(known or (problem.possibilities or [])[:1])
            meant = f" Did you mean {near}?" if near else ""
            raise click.UsageError(f"No such option {problem.option_name!r}.{meant}", ctx) from None

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[click.Option, tuple[str, str]]]]:
        """Options with their help, under their headings in order of first use, the general one last."""
        headings = {row.name: row.heading for row in self.rows}
        found: dict[str, list[tuple[click.Option, tuple[str, str]]]] = {}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)) is not None:
                found.setdefault(headings.get(str(option.name), "General"), []).append((option, record))
        return found | {"General": found.pop("General", [])}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections."""
        for heading, options in self.sections(ctx).items():
            with formatter.section(heading):
                formatter.write_dl([record for _, record in options])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the names that are registered now."""
        super().format_epilog(ctx, formatter)
        if self.ending is not None:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(self.ending())


def command(
    options: str, *arguments: click.Argument, forms: Sequence[str] = (), epilog: str = "", hidden: str = "",
    short_help: str | None = None, listed: Callable[[], Mapping[str, str]] | None = None,
    ending: Callable[[], str] | None = None,
) -> Callable[[Callable[[Arguments], Any]], Command]:  # fmt: skip
    """Make a command of a function of its `Arguments`, from the names of its options.

    `forms` are values of --format, `hidden` are options that the function refuses with an explanation, and --list
    writes the `listed` names.
    """

    def decorate(function: Callable[[Arguments], Any]) -> Command:
        name = function.__name__.replace("_", "-")
        rows = [OPTIONS[each].of_command(name) for each in f"{options} debug".split()]

        def run(**values: Any) -> Any:
            with resampling(quiet=values.get("quiet", False)):
                return function(Arguments(values))

        made = Command(
            name, params=[*arguments, *(_option(row, forms, row.name in hidden.split(), listed) for row in rows)],
            callback=run, help=function.__doc__, epilog=epilog, short_help=short_help,
        )  # fmt: skip
        made.rows, made.ending = rows, ending
        return made

    return decorate


def files(
    metavar: str = "FILE...", *, required: bool = True, names: Callable[[], Iterable[str]] = tuple
) -> click.Argument:
    """Return the files of a command, its last arguments; a shell completes them, and the `names` that may be among."""
    return click.Argument(["files"], metavar=metavar, nargs=-1, required=required, type=FilePath("FILE", names=names))


def _option(
    row: Option,
    forms: Sequence[str] = (),
    is_hidden: bool = False,
    listed: Callable[[], Mapping[str, str]] | None = None,
) -> click.Option:
    """Option of click from its row."""
    kind = NameChoice(forms, FORMS) if row.name == "form" else row.kind
    attributes: dict[str, Any] = {"help": row.help, "hidden": is_hidden, "multiple": row.many, "required": row.required}
    if row.default is not None:
        attributes |= {"default": row.default, "show_default": True}
    if kind is FLAG:
        attributes |= {"is_flag": True} | ({"default": None} if "/" in row.flags else {})
    else:
        attributes |= {"type": click.Choice(kind, case_sensitive=False) if isinstance(kind, tuple) else kind}
        attributes |= {"metavar": getattr(attributes["type"], "metavar", None)}
    if row.name == "debug":
        attributes |= {"is_eager": True, "expose_value": False, "callback": _note_debug}
    if row.name == "list":

        def write(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
            if value and not ctx.resilient_parsing:
                known = (listed or dict)()
                width = max(map(len, known))
                write_text("\n".join(f"{name:{width}}  {about}" for name, about in known.items()))
                ctx.exit()

        attributes |= {"is_eager": True, "expose_value": False, "callback": write}
    return click.Option([*row.flags.split(), row.name], **attributes)


def _note_debug(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Session).debug = True


DEBUG = _option(OPTIONS["debug"])
