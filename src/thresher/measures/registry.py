"""The registry: a measure is a formula of at most three lines plus a row of data about it.

Catalogue, command line, contract tests, table columns and attributes are generated from the rows; nothing else
about a measure is written anywhere.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from numbers import Real
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from thresher._util.did_you_mean import did_you_mean
from thresher._util.fast_dataclass import dataclass, field
from thresher._util.front_door import guarded
from thresher.conventions import Floats, divide
from thresher.counts import Cells, ConfusionMatrix, ScoreTable, ThresholdTable
from thresher.errors import ArgumentError, Note, OptionError, RowsNeededError, UnknownMeasureError, keyword, quoted
from thresher.measures.conditions import CONDITIONS, DOMAINS, OTHER_WORDS, TABLE_CONDITIONS
from thresher.predictions.labels import check_order

F = TypeVar("F", bound=Callable[..., Any])
Needs = Literal["cells", "matrix", "table", "posteriors", "label sets", "ranked lists"]
Group = Literal["decisions", "ranking", "probabilities", "calibration", "guesses"]
Better = Literal["higher", "lower", "neither"]
Ratio = tuple[Floats, Floats]
OfRows = Callable[[Floats, NDArray[np.bool_]], Floats]
"""Function of the scores and of whether each row is positive that gives each row's term of a mean."""

REQUIRED = inspect.Parameter.empty
"""Default of a parameter without one."""

BLOCK = 1 << 14
"""Thresholds in one batch of a measure, so that intermediate values stay in the processor's cache."""


@guarded
@dataclass(frozen=True, kw_only=True, eq=False)
class Measure:
    """One measure: its formula and its facts.

    `needs` names the formula's input: the four cells, the K×K matrix, the score table, the posteriors of several
    classes, the labels that rows have and are decided to have, or ranked lists. `title` is its name in every view,
    `group` its subject. A `proportion` returns (successes, trials) and is divided here, so that intervals for
    proportions can use both. A `fitted` measure first fits a model to the scores: it is computed on request, not with
    all others. A `monotone` one never falls when a true negative or a true positive takes the place of an error. A
    `doubled` one is 2J/(1 + J), J being the proportion of that name. A `by_order` one needs ordered classes. `cut`
    names the parameter that is a threshold, too. `how` averages over classes the measure `of`. `remake` rebuilds a
    measure that is not registered. `undefined` names the conditions (`conditions.py`) of NaN. `neutral` is the value of
    an uninformed two-class rule, if it is the same at every prevalence. One that `grows` with the number of rows
    compares only on the same rows. `rows` gives, from scores and truth, each row's term where the value is their mean;
    interval and tests follow. `parameters` are the defaults by name (`REQUIRED` where there is none), `domains` the
    values they take.
    """

    name: str
    formula: Any
    text: str
    title: str = ""
    group: Group = "decisions"
    aliases: tuple[str, ...] = ()
    needs: Needs = "cells"
    bounds: tuple[float, float] = (0.0, 1.0)
    better: Better = "higher"
    proportion: bool = False
    undefined: tuple[str, ...] = ()
    neutral: float | None = None
    source: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    domains: Mapping[str, str] = field(default_factory=dict)
    fitted: bool = False
    monotone: bool = False
    grows: bool = False
    doubled: str | None = None
    cut: str | None = None
    by_order: bool = False
    how: str = ""
    of: Measure | None = None
    rows: OfRows | None = field(default=None, repr=False)
    remake: tuple[Callable[..., Any], tuple[Any, ...]] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name.replace("_", " "))
        # What `help`, editors and doctest read; __wrapped__ is how doctest finds an example in a formula.
        function = {"__name__": self.name, "__module__": self.formula.__module__, "__wrapped__": self.formula}
        kinds = inspect.Parameter
        options = [kinds(n, kinds.KEYWORD_ONLY, default=d) for n, d in self.parameters.items() if n.isidentifier()]
        signature = inspect.Signature([kinds("counts", kinds.POSITIONAL_OR_KEYWORD), *options])
        self.__dict__.update(function, __doc__=self._documentation(), __signature__=signature)

    @property
    def summary(self) -> str:
        """First sentence of the documentation."""
        return self._said().split("\n\n")[0].replace("\n", " ")

    def _said(self) -> str:
        return str(getattr(self.formula, "summary", None) or inspect.getdoc(self.formula) or "")

    def title_as(self, written: str) -> str:
        """Return the title, or the alias that was written if the title contains it.

        >>> find("recall").title_as("sensitivity"), find("recall").title_as("tpr")
        ('sensitivity', 'recall (sensitivity)')
        """
        return written if written in re.findall(r"\w+", self.title) else self.title

    @property
    def of_classes(self) -> bool:
        """Whether it is of several classes: a measure of their posteriors, or an average over them."""
        return bool(self.how) or self.needs == "posteriors"

    @property
    def needs_parameters(self) -> bool:
        """Whether some parameter lacks a default, so that the value is shown on request only."""
        return REQUIRED in self.parameters.values()

    @property
    def shown_by_default(self) -> bool:
        """Whether its value is shown by default: it needs no parameters and compares with others."""
        return not (self.needs_parameters or self.grows)

    def ratio(self, statistic: Any, **parameters: Any) -> Ratio:
        """Return the successes and trials of a proportion."""
        parts = self.formula(statistic, **(self.checked(parameters) if parameters or self.parameters else {}))
        return np.asarray(parts[0], dtype=np.float64), np.asarray(parts[1], dtype=np.float64)

    def on(self, statistic: Any, **parameters: Any) -> Floats:
        """Compute the value on the statistic that the formula needs (cells, K×K counts, or a score table)."""
        if self.proportion:
            return divide(*self.ratio(statistic, **parameters))
        taken = self.checked(parameters) if parameters or self.parameters else parameters
        return np.asarray(self.formula(statistic, **taken), dtype=np.float64)

    def __call__(self, counts: Any = None, *values: Any, **parameters: Any) -> Any:
        """Return the value on counts: a float, or an array over their batch axes; NaN where undefined.

        Raises:
            ArgumentError: the argument is not counts, or a parameter is given without its name.
        """
        if len(values) > len(self.parameters) or (values and not set(self.parameters).isdisjoint(parameters)):
            named = ", ".join(f"{name}=…" for name in self.parameters) or "none"
            raise ArgumentError(f"{self.title} takes its parameters by name: {named}; name {values[-1]!r}.")
        parameters |= dict(zip(self.parameters, values, strict=False))
        long = isinstance(counts, ThresholdTable) and len(counts) > BLOCK and counts.tp.ndim == 1
        if long and self.needs != "table" and all(np.ndim(value) == 0 for value in parameters.values()):
            found = np.empty(len(counts))
            for start in range(0, len(counts), BLOCK):
                rows = slice(start, start + BLOCK)
                found[rows] = self.on(statistic_of(self, counts.cells_of(rows)), **parameters)
            return found
        value = self.on(statistic_of(self, counts), **parameters)
        return float(value) if np.ndim(value) == 0 else value

    def takes(self, name: str) -> bool:
        """Return whether it has a parameter of this name or alias."""
        return name in self.parameters or OTHER_WORDS.get(name, ("",))[0] in self.parameters

    def checked(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check the names and values of parameters, and return them; an error lists the valid ones."""
        for word in [word for word in given if word in OTHER_WORDS and word not in self.parameters]:
            name, function = OTHER_WORDS[word]
            if name in self.parameters and name not in given and isinstance(given[word], Real):
                given = {key: value for key, value in given.items() if key != word} | {name: function(given[word])}
        missing = [n for n, default in self.parameters.items() if default is REQUIRED and n not in given]
        for name in (*(name for name in given if name not in self.parameters), *missing):
            problem = "needs" if name in missing else "does not take"
            raise OptionError(f"{self.title} {problem} " + keyword(name, "…") + f"; it takes {self._taken()}.")
        for name, value in given.items():
            if not DOMAINS[self.domains[name]](value):
                raise OptionError(keyword(name, repr(value)) + f": {self.title} takes {self._taken()}.")
        return given

    def _taken(self) -> str:
        return ", ".join(f"{name} ({self.domains[name]})" for name in self.parameters) or "no parameters"

    def __reduce__(self) -> tuple[Any, ...]:
        return self.remake or (_found_again, (self.name, self.needs))

    def __repr__(self) -> str:
        return f"<measure {self.name}: {self.text}>"

    def _documentation(self) -> str:
        """Join the docstring of the formula and its row of data."""
        low, high = (f"{bound:g}".replace("inf", "∞") for bound in self.bounds)
        better = "" if self.better == "neither" else f"; {self.better} is better"
        lines = [f"Formula: {self.text}", f"Range: {low} to {high}{better}"]
        if self.aliases:
            lines.insert(0, f"Also called: {', '.join(self.aliases)}")
        lines += [f"{name}: {words}" for name, words in self.domains.items()]
        if self.undefined:
            lines.append(f"Undefined (NaN) when {', or '.join(self.undefined)}")
        return "\n\n".join([self._said(), "\n".join(lines), f"Source: {self.source}"])


NEEDS: tuple[Needs, ...] = ("matrix", "cells", "table", "posteriors", "label sets", "ranked lists")
"""Inputs of measures, in the order of the catalogue."""

COUNTED: tuple[Needs, ...] = ("cells", "matrix", "table")
"""Inputs of measures of counts and scores; measures of other kinds may share their names."""

REGISTRY: dict[str, Measure] = {}
"""Every measure of counts and scores by its name, in order of registration."""

_BY_ALIAS: dict[str, Measure] = {}
_ROWS: dict[Needs, dict[str, Measure]] = {kind: REGISTRY if kind in COUNTED else {} for kind in NEEDS}
_NAMES: dict[Needs, dict[str, Measure]] = {kind: _BY_ALIAS if kind in COUNTED else {} for kind in NEEDS}


_FROM_ROWS: list[Callable[[], None]] = []


def cached_until_changed(function: F) -> F:
    """Cache the results of a function until a measure is entered or forgotten."""
    kept = cache(function)
    _FROM_ROWS.append(kept.cache_clear)
    return cast("F", kept)


def _changed() -> None:
    for clear in _FROM_ROWS:
        clear()


def enter(entry: Measure) -> Measure:
    """Put a measure into the registry, unless one of its kind has one of its names."""
    known = _NAMES[entry.needs]
    names = dict.fromkeys(spelling(name) for name in (entry.name, *entry.aliases))
    if entry.needs != "ranked lists" and (taken := [name for name in names if name in known]):
        raise OptionError(f"two measures are called {taken[0]}: take another name.")
    for name in (*names, spelling(entry.title)):
        known.setdefault(name, entry)
    _ROWS[entry.needs][entry.name] = entry
    _changed()
    return entry


def forget(entry: Measure) -> None:
    """Take a measure out of the registry."""
    _ROWS[entry.needs].pop(entry.name, None)
    for name in [name for name, owner in _NAMES[entry.needs].items() if owner is entry]:
        del _NAMES[entry.needs][name]
    _changed()


def measure(
    *aliases: str, text: str, source: str, where: Mapping[str, str] | None = None, **facts: Any
) -> Callable[[Callable[..., Any]], Measure]:
    """Register the decorated formula; one annotated `Ratio` is a proportion. `where` gives domains of parameters.

    The `facts` are fields of `Measure`.
    """
    facts = {"group": "ranking" if facts.get("needs") == "table" else "decisions"} | facts

    def register(formula: Callable[..., Any]) -> Measure:
        signature = inspect.signature(formula)
        options = list(signature.parameters.values())[1:]
        entry = Measure(
            name=formula.__name__,
            formula=formula,
            text=text,
            source=source,
            aliases=tuple(alias.replace(" ", "_") for alias in aliases),
            proportion=signature.return_annotation in (Ratio, "Ratio"),
            parameters={option.name: option.default for option in options},
            domains={option.name: (where or {}).get(option.name, "a finite number") for option in options},
            **facts,
        )
        return enter(entry)

    return register


def find(name: str) -> Measure:
    """Find a measure of counts or scores by name or alias; case, spaces, hyphens and apostrophes do not matter.

    Raises:
        UnknownMeasureError: there is none; the message offers the nearest names.

    >>> find("Hit rate") is find("true_positive_rate"), find("LR+").name
    (True, 'positive_likelihood_ratio')
    """
    found = known(name)
    if found is None:
        hint = did_you_mean(spelling(name), _BY_ALIAS)
        raise UnknownMeasureError(f"no measure is called {name!r}.{hint} `thresher measures` lists all.")
    return found


def known(name: str, needs: Needs = "cells") -> Measure | None:
    """Find a measure by name or alias, for one kind of input; None without one.

    >>> known("log_loss").text, known("log_loss", "posteriors").text, known("log_loss", "label sets")
    ('−mean of ln Pr(y)', 'mean of −ln p(true class)', None)
    """
    return _NAMES[needs].get(spelling(name))


def measures(*needs: Needs) -> Iterator[Measure]:
    """Return registered measures in order: of counts and scores, or of the named inputs."""
    kinds = dict.fromkeys(("counts" if kind in COUNTED else kind) for kind in needs or COUNTED)
    rows = (_ROWS["cells" if kind == "counts" else kind] for kind in kinds)  # type: ignore[index]
    return (entry for part in rows for entry in part.values() if not needs or entry.needs in needs)


def _found_again(name: str, needs: Needs) -> Measure:
    """Find the measure of a pickle."""
    return _ROWS[needs][name]


def attribute_names() -> list[str]:
    """Return the names and aliases of the measures that a confusion matrix has as attributes."""
    return [name for entry in measures("cells", "matrix") for name in (entry.name, *entry.aliases)]


def attribute(counts: Any, name: str) -> Any:
    """Return the value of a measure on counts; for a measure with parameters, a function of them."""
    entry = _BY_ALIAS.get(name)
    if entry is None or entry.needs == "table":
        hint = did_you_mean(name, attribute_names())
        raise AttributeError(f"{type(counts).__name__} has no attribute or measure {name!r}.{hint}")
    return partial(entry, counts) if entry.parameters else entry(counts)


def statistic_of(entry: Measure, counts: Any) -> Any:
    """Return the input of a measure's formula from a counted value."""
    if entry.needs not in COUNTED:
        return counts
    if entry.needs == "table":
        if isinstance(counts, ScoreTable):
            return counts
        if isinstance(counts, ThresholdTable):
            return counts.scores
        raise RowsNeededError(f"{entry.title} needs scores, and a {type(counts).__name__} has decisions only.")
    if not isinstance(counts, Cells) and not hasattr(type(counts), "cells"):
        shown = "nothing" if counts is None else quoted(counts, most=30)
        needed = f"{entry.title} needs a ConfusionMatrix or a ThresholdTable, not {shown}"
        raise ArgumentError(f"{needed}. Read it as matrix.{entry.name}.")
    if entry.needs == "matrix" and isinstance(counts, ConfusionMatrix):
        if entry.by_order and not counts.ordered:
            check_order(entry.title, counts.labels)
        return counts.scaled
    cells = counts if isinstance(counts, Cells) else counts.cells
    return cells.matrix() if entry.needs == "matrix" else cells


NO_RATES = Note("set-prevalence", "a prevalence was set, and one class is empty")


def reason_undefined(entry: Measure, counts: Any) -> Note | None:
    """Return why a measure is undefined on these counts (of one decision, or scores); None where it is defined."""
    statistic = statistic_of(entry, counts)
    if entry.needs == "table":
        return undefined_by([words for words in entry.undefined if TABLE_CONDITIONS[words](statistic)])
    holding = [words for words in entry.undefined if bool(np.all(CONDITIONS[words](statistic)))]
    if not holding and getattr(counts, "prior", None) is not None and 0 in counts.row_totals:
        holding = [NO_RATES]
    return undefined_by(holding)


def undefined_by(conditions: Sequence[str]) -> Note | None:
    """Return the conditions that make a measure undefined as one reason, with the code of the first; None without."""
    return Note(getattr(conditions[0], "code", "undefined"), " and ".join(conditions)) if conditions else None


_SIGNED = {"lr+": "lr plus", "lr-": "lr minus", "lr−": "lr minus"}
"""Names that end in a sign, which no attribute can."""

_LETTERS = str.maketrans({" ": "_", "-": "_", "–": "_", "'": "", "’": ""})


@lru_cache(maxsize=1 << 12)
def spelling(name: str) -> str:
    """Normalize a name as in the registry: small letters, underscores in place of blanks and hyphens.

    >>> spelling("Youden's J"), spelling("F1-score"), spelling("LR+")
    ('youdens_j', 'f1_score', 'lr_plus')
    """
    plain = name.strip().lower()
    return _SIGNED.get(plain, plain).translate(_LETTERS)
