"""Warnings with a code, about designs for which intervals and tests are known to fall short.

A warning is a value (code, text, where), so that a program can act on its code and every view says the same words. The
numbers below which each is raised come from simulations (docs/coverage.md and docs/comparing.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict

from thresher.dataclass import dataclass
from thresher.sentences import choice


@dataclass(frozen=True, slots=True)
class DesignWarning:
    """What to mind about a design: `code` for programs, `text` for people, `where` it holds (a measure of a model).

    >>> few_of_class(8, "positives", where="score")[0]
    DesignWarning(code='few-positives', text="8 positives, fewer than 10: intervals of what rests on them may hold the
    truth less often than they say, and p values be too small; rate_interval='clopper-pearson' keeps its level for
    rates", where='score')
    """

    code: str
    text: str
    where: str = ""

    @property
    def said(self) -> str:
        """Text after where it holds."""
        return f"{self.where}: {self.text}" if self.where else self.text

    def to_dict(self) -> dict[str, str]:
        """Fields as a plain dictionary."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Condition:
    """A design that is warned of: below `least`, with what is wrong then and what to use `instead`."""

    code: str
    least: float
    wrong: str
    instead: str

    def warning(self, found: str, where: str, instead: str | None) -> DesignWarning:
        """Warning of what was found."""
        return DesignWarning(self.code, f"{found}: {self.wrong}; " + (instead or self.instead), where)


_RARE = "intervals of what rests on them may hold the truth less often than they say, and p values be too small"
_CAREFUL = choice("rate_interval", "clopper-pearson") + " keeps its level for rates"

CONDITIONS = {
    condition.code: condition
    for condition in (
        Condition("few-positives", 10, _RARE, _CAREFUL),
        Condition("few-negatives", 10, _RARE, _CAREFUL),
        Condition("few-rows-of-class", 5, _RARE, _CAREFUL),
        Condition(
            "few-clusters", 30,
            "so few clusters hardly show how much they vary, so that intervals are wide, or hold the truth too rarely",
            "more clusters help, more rows in each do not",
        ),
        Condition(
            "few-folds", 5,
            "the spread of so few values is hardly known, so that intervals are very wide or do not hold",
            "repeat the folds, or take more of them",
        ),
        Condition(
            "few-rows-per-cell", 20,
            "the information of labels and decisions is mostly chance, and its interval holds the truth too rarely",
            "take balanced_accuracy, or merge classes",
        ),
        Condition(
            "unequal-groups", 0.25,
            "the test may find differences too often where the smaller group has few rows of a class",
            "compare with " + choice("test", "permutation") + " keeps its level",
        ),
        Condition(
            "moved-by-resampling", 1000,
            "resampling moves a largest distance, the place where two rates cross, and an average precision, so that "
            "the interval of a bootstrap holds the truth too rarely",
            "take the interval without a bootstrap",
        ),
        Condition(
            "few-for-bootstrap", 100,
            "resamples of so few rows vary too little, so that the interval of a bootstrap may hold the truth too "
            "rarely, and its test find differences too often",
            "take the measure's own interval, or the default test",
        ),
        Condition(
            "few-errors", 30,
            "DeLong's variance is too small, so that its interval holds the truth too rarely, and its test finds "
            "differences too often",
            "take auc_interval and auc_test, the defaults",
        ),
        Condition(
            "few-outcomes", 2,
            "an interval of a rate may then hold the truth too rarely, Wilson's 84 % of the time at worst",
            choice("rate_interval", "agresti-coull") + " or 'clopper-pearson' keeps 92 %",
        ),
        Condition(
            "below-chance", -0.6,
            "the interval of an agreement that is nearly the least of all holds the truth too rarely",
            "turn the decisions around, and its sign",
        ),
        Condition(
            "dependent-splits", 1,
            "values of splits that share rows are not independent, and the test may find differences far too often",
            "take corrected_resampled_t_test, or compare of an assessment; values of independent data sets are none",
        ),
        Condition(
            "pooled-folds", 1,
            "the interval takes the fitted models as given, so that it may hold the learner's value 83 to 94 % of the "
            "time, and a test of two learners on these predictions may find differences 5 to 16 % of the time",
            "use folds with several rows and compare of the assessment",
        ),
    )
}  # fmt: skip
"""Conditions by code: `least` is the number below which each is raised (of "unequal-groups" the smaller share, of
"dependent-splits" the share of the rows that is judged by one split alone; "pooled-folds" is raised above it)."""


def few_of_class(
    rows: float,
    name: str,
    *,
    where: str = "",
    least: float | None = None,
    instead: str | None = None,
    kind: str = "",
) -> tuple[DesignWarning, ...]:
    """Warning of a class with some rows but few, of a `kind` such as "effective ".

    `name` is "positives", "negatives", or what else the rows are called.

    None for an empty class, of which everything is undefined with a reason.

    >>> [warning.code for warning in few_of_class(4, "rows of class 'b'")], few_of_class(10, "positives")
    (['few-rows-of-class'], ())
    """
    condition = CONDITIONS.get(f"few-{name}", CONDITIONS["few-rows-of-class"])
    return _below(rows, kind + name, condition, least, where, instead)


LEAST_OF_ERRORS = 10
"""Clusters over which the errors of an AUC are spread, from which its interval by a formula is wide enough."""


def few_clusters(
    clusters: int, *, what: str = "clusters", where: str = "", instead: str | None = None
) -> tuple[DesignWarning, ...]:
    """Warning of few clusters; `what` names those that are not all.

    >>> [warning.text.partition(":")[0] for warning in few_clusters(20)], few_clusters(30)
    (['20 clusters, fewer than 30'], ())
    """
    return _below(clusters, what, CONDITIONS["few-clusters"], None, where, instead)


def few_folds(
    folds: int, *, where: str = "", least: float | None = None, instead: str | None = None
) -> tuple[DesignWarning, ...]:
    """Warning of an interval or a test from the values of few folds.

    >>> [warning.code for warning in few_folds(3)], few_folds(5)
    (['few-folds'], ())
    """
    return _below(folds, "folds", CONDITIONS["few-folds"], least, where, instead)


def unequal_groups(one: float, two: float, *, where: str = "", instead: str | None = None) -> tuple[DesignWarning, ...]:
    """Warning of a test between two groups of which one is several times as large as the other.

    >>> [warning.code for warning in unequal_groups(30, 200)], unequal_groups(60, 200)
    (['unequal-groups'], ())
    """
    condition = CONDITIONS["unequal-groups"]
    if min(one, two) >= condition.least * max(one, two) or not min(one, two):
        return ()
    return (condition.warning(f"groups of {one:,.0f} and {two:,.0f} rows", where, instead),)


def few_rows_per_cell(rows: float, cells: int, *, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of fewer than twenty rows for each free cell of a matrix of several classes.

    >>> few_rows_per_cell(100, 81)[0].text.partition(":")[0], few_rows_per_cell(180, 9)
    ('1.2 rows for each free cell of the matrix, fewer than 20', ())
    """
    condition = CONDITIONS["few-rows-per-cell"]
    if not 0 < rows < condition.least * cells:
        return ()
    found = f"{rows / cells:.2g} rows for each free cell of the matrix, fewer than {condition.least:g}"
    return (condition.warning(found, where, None),)


def moved_by_resampling(rows: float, *, where: str = "", least: float | None = None) -> tuple[DesignWarning, ...]:
    """Warning of a bootstrap interval of a measure that resampling moves, by the rows of the smaller class.

    >>> [warning.code for warning in moved_by_resampling(200)], moved_by_resampling(1000)
    (['moved-by-resampling'], ())
    """
    return _below(rows, "rows of the smaller class", CONDITIONS["moved-by-resampling"], least, where, None)


def extreme_of_clusters(*, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of an interval or a test by the jackknife over clusters of a measure that is an extreme.

    >>> extreme_of_clusters(where="KS statistic")[0].code
    'extreme-of-clusters'
    """
    text = "the jackknife over clusters covers a maximum over thresholds too rarely; use a bootstrap"
    return (DesignWarning("extreme-of-clusters", text, where),)


def noise_adds(*, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of an interval of a distance from calibration, which noise alone makes larger than 0.

    >>> noise_adds()[0].code
    'moved-by-resampling'
    """
    text = (
        "noise adds to a calibration error, so that the interval of nearly calibrated scores holds the truth too "
        "rarely; take debiased_calibration_error"
    )
    return (DesignWarning("moved-by-resampling", text, where),)


def few_for_bootstrap(rows: float, *, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of a bootstrap of rows, by those of the smaller class.

    >>> [warning.code for warning in few_for_bootstrap(12)], few_for_bootstrap(100)
    (['few-for-bootstrap'], ())
    """
    return _below(rows, "rows of the smaller class", CONDITIONS["few-for-bootstrap"], None, where, None)


def few_clusters_of_errors(clusters: float, *, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of an AUC whose errors are spread over few clusters, whose interval by a formula is too narrow.

    >>> [warning.text.partition(":")[0] for warning in few_clusters_of_errors(7.6)], few_clusters_of_errors(12)
    (['8 clusters that the errors are spread over, fewer than 10'], ())
    """
    name = "clusters that the errors are spread over"
    return _below(clusters, name, CONDITIONS["few-clusters"], LEAST_OF_ERRORS, where, None)


def few_errors(errors: float, *, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of DeLong's own variance, by the number of rows that the errors of an AUC are spread over; 0 is few too.

    >>> few_errors(12.4)[0].text.partition(":")[0], few_errors(30)
    ('errors spread over 12 rows, fewer than 30', ())
    """
    condition = CONDITIONS["few-errors"]
    if not errors < condition.least:
        return ()
    return (condition.warning(f"errors spread over {errors:.2g} rows, fewer than {condition.least:g}", where, None),)


def few_outcomes(
    rows: float, *, of: str = "rows of one outcome", where: str = "", least: float | None = None
) -> tuple[DesignWarning, ...]:
    """Warning of an interval of a rate whose rarer outcome has fewer than `least` rows: `of` names these.

    >>> [warning.text.partition(":")[0] for warning in few_outcomes(1, of="errors")], few_outcomes(2)
    (['1 error, fewer than 2'], ())
    """
    condition = CONDITIONS["few-outcomes"]
    least = condition.least if least is None else least
    # Shares of whole rows are whole only up to rounding.
    if not rows < least - 1e-9:
        return ()
    return (condition.warning(_fewer(rows, of, least), where, None),)


def below_chance(value: float, *, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of a kappa or a correlation of labels and decisions that are nearly turned around.

    >>> [warning.code for warning in below_chance(-0.75)], below_chance(-0.3)
    (['below-chance'], ())
    """
    condition = CONDITIONS["below-chance"]
    if not value < condition.least:
        return ()
    return (condition.warning(f"an agreement of {value:.2g}, below {condition.least:g}", where, None),)


def dependent_splits(found: str, *, where: str = "", instead: str | None = None) -> tuple[DesignWarning, ...]:
    """Warning of a test that takes the values of splits for more independent than they are.

    >>> dependent_splits("30 splits of the same rows")[0].code
    'dependent-splits'
    """
    return (CONDITIONS["dependent-splits"].warning(found, where, instead),)


def pooled_folds(fits: int, *, where: str = "") -> tuple[DesignWarning, ...]:
    """Warn of intervals and tests from the predictions of several fits, taken together.

    >>> pooled_folds(150)[0].text.partition(":")[0], pooled_folds(1)
    ('pooled predictions of 150 fits', ())
    """
    condition = CONDITIONS["pooled-folds"]
    if fits <= condition.least:
        return ()
    return (condition.warning(f"pooled predictions of {fits:,} fits", where, None),)


PLACES = 3
"""Places that a warning which holds in several of them names."""


def distinct(warnings: Iterable[DesignWarning]) -> tuple[DesignWarning, ...]:
    """Warnings that say the same as one, with where each of them holds; one that holds of all is said of no place.

    >>> one, = few_clusters(20)
    >>> distinct([one, *few_clusters(20, where="recall"), *few_folds(3)]) == (one, *few_folds(3))
    True
    >>> distinct(each for name in "abcde" for each in few_folds(3, where=name))[0].where
    'a, b, c and 2 more'
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for warning in warnings:
        found.setdefault((warning.code, warning.text), {})[warning.where] = None
    return tuple(DesignWarning(*key, where="" if "" in places else _listed([*places])) for key, places in found.items())


def _listed(places: list[str]) -> str:
    more = f" and {len(places) - PLACES} more" if len(places) > PLACES else ""
    return ", ".join(places[:PLACES]) + more


def _below(
    found: float, name: str, condition: Condition, least: float | None, where: str, instead: str | None
) -> tuple[DesignWarning, ...]:
    least = condition.least if least is None else least
    if not 0 < found < least:
        return ()
    return (condition.warning(_fewer(found, name, least), where, instead),)


def _fewer(found: float, name: str, least: float) -> str:
    one = re.sub(r"s\b", "", name, count=1)
    return f"{found:,.0f} {one if round(found) == 1 else name}, fewer than {least:g}"
