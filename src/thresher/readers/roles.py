"""Roles of columns, by name, by list or by pattern."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thresher._util.did_you_mean import did_you_mean
from thresher._util.fast_dataclass import dataclass, field, replace
from thresher.errors import InputError, OptionError, keyword, quoted
from thresher.predictions.judged import is_of_judge

MARKS = ("<class>", "*")
"""Placeholders of the class in a pattern of column names."""

SINGLE = "model"
"""Default name of a model, for columns in a list."""


def by_text(values: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """A dictionary with its names as text."""
    found = {str(name): value for name, value in values.items()}
    if len(found) < len(values):
        twice = next(text for text in found if [str(name) for name in values].count(text) > 1)
        alike = ", ".join(quoted(name) for name in values if str(name) == twice)
        raise InputError(f"{what} has two names that read alike: {alike}.")
    return found


@dataclass(frozen=True)
class WantedColumns:
    """Requested columns of one model: names, or the text before and after the class."""

    model: str
    columns: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Named:
    """Columns of one model, and the text of the class of each when a pattern found them."""

    columns: tuple[str, ...]
    classes: tuple[str, ...] | None = None


def wanted_columns(given: Any, option: str = "probabilities") -> dict[str, WantedColumns]:
    """Parse requested columns, by model: a prefix or pattern, a list of columns or patterns, or a dictionary of these.

    `proba_` is a prefix; `*` or `<class>` is a placeholder for the class elsewhere, as in `p(<class>)`.
    """
    if given is None:
        return {}
    if isinstance(given, str):
        found = [_pattern(given, None)]
    elif isinstance(given, Mapping):
        found = [_wanted(model, value, option) for model, value in by_text(given, option).items()]
    elif isinstance(given, Iterable):
        names = list(given)
        if not names or not all(isinstance(name, str) for name in names):
            raise _refusal(given, option)
        patterns = [any(mark in name for mark in MARKS) for name in names]
        if any(patterns) and not all(patterns):
            raise OptionError(
                keyword(option, repr(names)) + " mixes patterns and names of columns: give one or the other."
            )
        found = [_pattern(name, None) for name in names] if all(patterns) else [WantedColumns(SINGLE, tuple(names))]
    else:
        raise _refusal(given, option)
    if not found:
        raise OptionError(keyword(option, "…") + " is empty: name the columns of at least one model.")
    by_model = {each.model: each for each in found}
    if len(by_model) < len(found):
        raise OptionError(keyword(option, "…") + " gives two models one name: name them with a dictionary.")
    return by_model


def _refusal(given: Any, option: str) -> OptionError:
    text = repr(given)
    return OptionError(
        keyword(option, text if len(text) <= 60 else f"{text[:60]}…")
        + ": with a dataframe or a file these are names of "
        "columns, a prefix such as 'proba_', or a dictionary of these by model."
    )


def _wanted(model: str, value: Any, option: str) -> WantedColumns:
    if isinstance(value, str):
        return _pattern(value, model)
    if isinstance(value, Iterable):
        names = tuple(value)
        if names and all(isinstance(name, str) for name in names):
            return WantedColumns(model, names)
    raise _refusal(value, option)


def _pattern(text: str, model: str | None) -> WantedColumns:
    mark = next((mark for mark in MARKS if mark in text), None)
    before, _, after = text.partition(mark) if mark is not None else (text, "", "")
    if any(mark in after for mark in MARKS):
        raise OptionError(f"{text!r} names the class twice: one * or <class> is enough.")
    return WantedColumns(
        model or before.rstrip("_-.:([ ") or after.lstrip("_-.:)] ") or SINGLE, before=before, after=after
    )


def find_columns(
    wanted: Mapping[str, WantedColumns],
    available: Sequence[str],
    spoken_for: Iterable[str | None],
    where: str,
    *,
    what: str = "probabilities",
    part: str = "class",
) -> dict[str, Named]:
    """Find the columns of every model; errors name their content, one for every `part`."""
    taken = {name for name in spoken_for if name is not None}
    return {model: _found(each, available, taken, where, what, part) for model, each in wanted.items()}


def _found(each: WantedColumns, available: Sequence[str], taken: set[str], where: str, what: str, part: str) -> Named:
    if each.columns:
        return Named(each.columns)
    room = len(each.before) + len(each.after)
    columns = tuple(
        name
        for name in available
        if isinstance(name, str)
        and name not in taken
        and len(name) > room
        and name.startswith(each.before)
        and name.endswith(each.after)
    )
    if len(columns) < 2:
        pattern = f"{each.before}*{each.after}"
        found = "no column is" if not columns else f"only {columns[0]!r} is"
        if not columns and each.before in available and not each.after:
            found = f"{each.before!r} is one column alone"
        listed = ", ".join(map(repr, available[:40])) + (", …" if len(available) > 40 else "")
        raise InputError(
            f"{where} does not have columns of {what} named {pattern!r}, one for every {part}: {found}. "
            f"Its columns are {listed or 'none'}."
        )
    end = None if not each.after else -len(each.after)
    return Named(columns, tuple(name[len(each.before) : end] for name in columns))


@dataclass(frozen=True)
class Roles:
    """Columns by role; models by name.

    `wanted` are the requested posteriors, `posteriors` their columns once the columns of the data are known; errors
    call each by the role `posterior`.
    """

    label: str
    scores: Mapping[str, str] = field(default_factory=dict)
    wanted: Mapping[str, WantedColumns] = field(default_factory=dict)
    posteriors: Mapping[str, Named] = field(default_factory=dict)
    predicted: Mapping[str, str] = field(default_factory=dict)
    weights: str | None = None
    by: tuple[str, ...] = ()
    fold: str | None = None
    cluster: str | None = None
    posterior: str = "probability"

    @property
    def needed(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        single = [name for name in (self.weights, *self.by, self.fold, self.cluster) if name is not None]
        return tuple(dict.fromkeys([self.label, *self.judged, *single]))

    @property
    def judged(self) -> list[str]:
        """Columns of the models' outputs."""
        each = [column for named in self.posteriors.values() for column in named.columns]
        return [*self.scores.values(), *each, *self.predicted.values()]

    @property
    def numbers(self) -> dict[str, str]:
        """Every column that is read as numbers, with the role that errors call it by."""
        found = dict.fromkeys(self.scores.values(), "score")
        found |= {column: self.posterior for named in self.posteriors.values() for column in named.columns}
        return found if self.weights is None else found | {self.weights: "weight"}

    @property
    def codes(self) -> dict[str, str]:
        """Every column that is coded, with the role that errors call it by."""
        found: dict[str | None, str] = {self.cluster: "cluster", self.fold: "fold"}
        found |= dict.fromkeys(self.by, "group")
        found |= dict.fromkeys([self.label, *self.predicted.values()], "label")
        return {name: role for name, role in found.items() if name is not None}

    def resolve(self, available: Sequence[str], where: str) -> Roles:
        """Roles with the columns of posteriors found among those that there are."""
        if not self.wanted:
            return self
        single = (self.label, self.weights, *self.by, self.fold, self.cluster)
        spoken_for = (*single, *self.scores.values(), *self.predicted.values())
        found = replace(self, posteriors=find_columns(self.wanted, available, spoken_for, where))
        _once(found)
        return found


def roles(
    *,
    label: Any,
    scores: Any,
    predicted: Any,
    probabilities: Any,
    weights: Any,
    by: Any,
    fold: Any,
    cluster: Any,
) -> Roles:
    """Check the column names given for each role."""
    found = Roles(
        label=_one(label, "label") or "",
        scores=several_names(scores, "scores"),
        wanted=wanted_columns(probabilities),
        predicted=several_names(predicted, "predicted"),
        weights=_one(weights, "weights"),
        by=tuple(several_names(by, "by").values()),
        fold=_one(fold, "fold"),
        cluster=_one(cluster, "cluster"),
    )
    if not found.label:
        raise OptionError(keyword("label", "…") + " must name the column of the true labels.")
    if not found.scores and not found.predicted and not found.wanted:
        raise OptionError(
            "name the columns to judge: " + keyword("scores", "…") + " for scores, " + keyword("predicted", "…")
            + " for predicted labels, " + keyword("probabilities", "…") + " for one column for every class."
        )  # fmt: skip
    _once(found)
    return found


def _once(found: Roles) -> None:
    judged = [("label", found.label)]
    judged += [("scores", column) for column in found.scores.values()]
    judged += [("judge" if is_of_judge(model) else "predicted", column) for model, column in found.predicted.items()]
    judged += [("probabilities", column) for named in found.posteriors.values() for column in named.columns]
    judged += [("weights", found.weights)] if found.weights else []
    refuse_double_roles(judged, found)


def refuse_double_roles(judged: Iterable[tuple[str, str]], found: Roles) -> None:
    """A column has one role; only groups, folds and clusters may be the same column."""
    groups = [("by", column) for column in found.by]
    groups += [(role, column) for role, column in (("fold", found.fold), ("cluster", found.cluster)) if column]
    seen: dict[str, str] = {}
    for role, column in [*judged, *groups]:
        if column in seen:
            uses = " and ".join(dict.fromkeys([f"for {seen[column]}", f"for {role}"]))
            raise InputError(f"column {column!r} is named twice: {uses}.")
        if (role, column) not in groups:
            seen[column] = role
    if len(set(found.by)) < len(found.by):
        raise InputError(f"by names a column twice: {', '.join(map(repr, found.by))}.")


def _one(name: Any, option: str) -> str | None:
    if name is None or isinstance(name, str):
        return name
    raise OptionError(keyword(option, quoted(name)) + ": with a dataframe or a file it is the name of a column.")


def several_names(names: Any, option: str) -> dict[str, str]:
    """Column of each model: one name, several, or a dictionary of columns by model name."""
    if names is None:
        return {}
    if isinstance(names, str):
        return {names: names}
    if isinstance(names, Mapping):
        pairs = by_text(names, option)
    else:
        listed = list(names) if isinstance(names, Iterable) else [names]
        pairs = {column if isinstance(column, str) else "": column for column in listed}
        if len(pairs) < len(listed) and "" not in pairs:
            twice = next(column for column in pairs if listed.count(column) > 1)
            raise InputError(f"{option} names column {twice!r} twice.")
    if not pairs or not all(isinstance(column, str) for column in pairs.values()):
        raise OptionError(keyword(option, quoted(names)) + ": with a dataframe or a file these are names of columns.")
    return pairs


def check_names(needed: Iterable[str], available: Sequence[str], where: str) -> None:
    """Check that columns exist, once each; the error lists the nearest names and all columns."""
    for name in needed:
        count = list(available).count(name)
        if count > 1:
            raise InputError(f"{where} has {count} columns named {name!r}: rename or drop all but one.")
        if count:
            continue
        texts = [each for each in available if isinstance(each, str)]
        close = _several_in_one(name, texts) or did_you_mean(name, texts)
        columns = ", ".join(map(quoted, available[:40])) + (", …" if len(available) > 40 else "")
        numbered = " Name its columns by text first." if len(texts) < len(available) else ""
        raise InputError(f"{where} has no column {name!r}.{close} Its columns are {columns or 'none'}.{numbered}")


def _several_in_one(name: str, available: Sequence[str]) -> str:
    """Suggest a fix for a name that matches several columns: commas in the name, or a prefix."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and set(parts) <= set(available):
        listed = " and ".join(map(repr, parts))
        return f" {listed} are named one by one: as a list in Python, by repeating the option in the command."
    begun = [column for column in available if column.startswith(name)]
    if len(begun) > 1 and name.endswith(("_", "-", ".", "(")):
        return f" In a list each name is one column; the pattern '{name}*' selects {begun[0]!r} and others."
    return ""


@dataclass(frozen=True)
class Join:
    """How tables are put together: with the truth in another one, by a key, and one column of models side by side."""

    truth: Any = None
    key: str | None = None
    model_column: str | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether anything is to be put together."""
        return any(value is not None for value in vars(self).values())

    @property
    def columns(self) -> list[str]:
        """Columns that join tables: the truth table, its key, and the column of models."""
        return [name for name in (self.key, self.model_column) if name is not None]

    def check(self, found: Roles) -> None:
        """Check that the options that put tables together go together."""
        if self.truth is not None and self.key is None:
            raise OptionError(
                keyword("truth", "…")
                + " needs "
                + keyword("key", "…")
                + ", the column that says which row of the truth belongs to which."
            )
        if self.key is not None and self.truth is None and self.model_column is None:
            raise OptionError(
                keyword("key", "…")
                + " matches rows to "
                + keyword("truth", "…")
                + " or to each other with "
                + keyword("model_column", "…")
                + "; neither is given."
            )
        for option, name in (("key", self.key), ("model_column", self.model_column)):
            if name is not None and not isinstance(name, str):
                raise OptionError(keyword(option, repr(name)) + ": it is the name of a column.")
            if name is not None and name in (found.label, *found.scores.values(), *found.predicted.values()):
                raise InputError(f"column {name!r} is named twice: for {option} and as a label or score.")
        if self.model_column is not None and found.wanted:
            raise OptionError(
                keyword("model_column", repr(self.model_column))
                + " is for one score a row; posteriors have a column for every class, and every model has columns "
                "of its own."
            )
        if self.model_column is not None and (len(found.scores) > 1 or len(found.predicted) > 1):
            raise OptionError(
                "with "
                + keyword("model_column", repr(self.model_column))
                + " one column holds the scores of all models, but several are named."
            )
