"""Warnings with a code, about designs for which intervals and tests are known to fall short.

A warning is a value (code, text, where), so that a program can act on its code and every view says the same words. The
numbers below which each is raised come from simulations (docs/coverage.md and docs/comparing.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import partial
from typing import Any

from thresher._util.fast_dataclass import asdict, dataclass
from thresher.errors import Note, choice

DEPENDENT = "rows of one cluster are not independent"
"""Reason to leave out results for independent rows where rows are in clusters."""


@dataclass(frozen=True, slots=True)
class DesignWarning:
    """Warning about a design: `code` for programs, `text` for people, `where` it applies (a measure of a model).

    >>> few_of_class(8, "positives", where="score")[0]
    DesignWarning(code='few-positives', text="8 positives, fewer than 10: intervals that rest on them may undercover,
    and p values may be too small; rate_interval='clopper-pearson' keeps its level for rates", where='score')
    """

    code: str
    text: str
    where: str = ""

    @property
    def said(self) -> str:
        """Text with its place."""
        return f"{self.where}: {self.text}" if self.where else self.text

    @property
    def note(self) -> Note:
        """Warning as a note with its code."""
        return Note(self.code, f"{self.where}: " + self.text if self.where else self.text)

    def to_dict(self) -> dict[str, str]:
        """Fields as a plain dictionary."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Condition:
    """Design with a warning below `least`: the scarce rows, the consequence, and the method to use `instead`.

    >>> few_folds(3)[0].text.partition(":")[0], few_folds(5), few_folds(0)
    ('3 folds, fewer than 5', (), ())
    """

    code: str
    least: float
    what: str
    wrong: str
    instead: str

    def __call__(
        self, found: float, *, what: str = "", where: str = "", least: float | None = None, instead: str | None = None
    ) -> tuple[DesignWarning, ...]:
        """Return the warning of a small count; with 0, measures are undefined with a reason."""
        least = self.least if least is None else least
        return self.warning(_fewer(found, what or self.what, least), where, instead) if 0 < found < least else ()

    def warning(self, found: str, where: str = "", instead: str | None = None) -> tuple[DesignWarning, ...]:
        """Return the warning of a count."""
        return (DesignWarning(self.code, f"{found}: {self.wrong}; " + (instead or self.instead), where),)


_RARE = "intervals that rest on them may undercover, and p values may be too small"
_CAREFUL = choice("rate_interval", "clopper-pearson") + " keeps its level for rates"

few_clusters = Condition(
    "few-clusters", 30, "clusters",
    "their variance is poorly estimated, so intervals are wide or undercover",
    "more clusters help, more rows in each do not",
)  # fmt: skip
few_folds = Condition(
    "few-folds", 5, "folds",
    "their variance is poorly estimated, so intervals are very wide or undercover",
    "repeat the folds, or use more of them",
)  # fmt: skip
moved_by_resampling = Condition(
    "moved-by-resampling", 1000, "rows of the smaller class",
    "resampling biases maxima, crossings of rates and average precision, so a bootstrap interval undercovers",
    "use the interval without a bootstrap",
)  # fmt: skip
few_for_bootstrap = Condition(
    "few-for-bootstrap", 100, "rows of the smaller class",
    "their resamples vary too little, so a bootstrap interval may undercover and its test reject too often",
    "use the measure's own interval, or the default test",
)  # fmt: skip
few_gold = Condition(
    "few-gold", 50, "gold rows",
    "intervals may cover less than 95 %, and p values may be too small",
    "label more rows, drawn at random",
)  # fmt: skip

CONDITIONS = {
    condition.code: condition
    for condition in (
        Condition("few-positives", 10, "positives", _RARE, _CAREFUL),
        Condition("few-negatives", 10, "negatives", _RARE, _CAREFUL),
        Condition("few-rows-of-class", 5, "rows of a class", _RARE, _CAREFUL),
        few_clusters, few_folds, moved_by_resampling, few_for_bootstrap, few_gold,
        Condition(
            "few-rows-per-cell", 20, "rows per degree of freedom of the matrix",
            "the mutual information is mostly chance, and its interval undercovers",
            "use balanced_accuracy, or merge classes",
        ),
        Condition(
            "unequal-groups", 0.25, "rows of the smaller group for each of the larger",
            "the test may reject too often if the smaller group has few rows of a class",
            choice("test", "permutation") + " keeps its level",
        ),
        Condition(
            "few-errors", 30, "rows that the errors are spread over",
            "DeLong's variance is too small, so its interval undercovers and its test rejects too often",
            "use auc_interval and auc_test, the defaults",
        ),
        Condition(
            "small-loss", 3, "the summed loss",
            "few rows are wrong, so the interval of the mean loss may undercover severely",
            "more rows show how large rare losses are",
        ),
        Condition(
            "few-outcomes", 2, "rows of one outcome",
            "an interval of a rate may then undercover, Wilson's down to 84 %",
            "for rates, " + choice("rate_interval", "agresti-coull") + " or clopper-pearson keeps 92 %",
        ),
        Condition(
            "few-beyond-cut", 3, "rows beyond the cut",
            "too few to test two models there, as either cut may be beyond all of them",
            "use more rows of that class, or a rate further from 0 and 1",
        ),
        Condition(
            "verified-by-score", 0.6, "verified rows",
            "estimates are biased, and their intervals undercover",
            "verify more rows with the scores that were verified rarely",
        ),
        Condition(
            "below-chance", -0.6, "an agreement",
            "the interval of an agreement near its minimum undercovers",
            "reverse the decisions, and its sign",
        ),
        Condition(
            "dependent-splits", 1, "splits that judge a row",
            "splits that share rows are not independent, and the test may reject far too often",
            "use corrected_resampled_t_test, or compare of an assessment, unless each value has its own data set",
        ),
        Condition(
            "pooled-folds", 1, "fits",
            "the fitted models are taken as fixed, so an interval for the learner covers 83 to 94 %, and a test of two "
            "learners rejects a true null hypothesis 5 to 16 % of the time",
            "use folds with several rows and compare of the assessment",
        ),
    )
}  # fmt: skip
"""Conditions by code: `least` is the number below which each is raised (of "unequal-groups" the smaller share, of
"dependent-splits" the share of the rows that is judged by one split alone; "pooled-folds" is raised above it)."""

LEAST_OF_ERRORS = 10
"""Least effective clusters of an AUC's errors for a wide enough formula interval."""

few_clusters_of_errors = partial(
    few_clusters, what="clusters that the errors are spread over", least=LEAST_OF_ERRORS
)  # fmt: skip


def few_of_class(rows: float, name: str, *, kind: str = "", **more: Any) -> tuple[DesignWarning, ...]:
    """Warning of a class with some rows but few, of a `kind` such as "effective ", with options of `Condition`.

    `name` is "positives", "negatives", or another name of the rows.

    >>> [warning.code for warning in few_of_class(4, "rows of class 'b'")], few_of_class(10, "positives")
    (['few-rows-of-class'], ())
    """
    condition = CONDITIONS.get(f"few-{name}", CONDITIONS["few-rows-of-class"])
    return condition(rows, what=kind + name, **more)


def small_loss(total: float, of: str, least: float | None = None) -> tuple[DesignWarning, ...]:
    """Warning of a small summed loss, a Brier score or another measure.

    >>> small_loss(2.97, "Brier score")[0].text.partition(":")[0], small_loss(3, "Brier score")
    ('a summed Brier score of 2.9, below 3', ())
    """
    condition = CONDITIONS["small-loss"]
    least = condition.least if least is None else least
    shown = math.floor(total * 10) / 10 or total  # as 2.99 would round to the number that it is below
    return condition.warning(f"a summed {of} of {shown:.2g}, below {least:g}") if 0 < total < least else ()


def unequal_groups(one: float, two: float, *, where: str = "", instead: str | None = None) -> tuple[DesignWarning, ...]:
    """Warning of a test between groups of very different size; `instead` is advice for rows that take no other test."""
    condition = CONDITIONS["unequal-groups"]
    is_unequal = 0 < min(one, two) < condition.least * max(one, two)
    return condition.warning(f"groups of {one:,.0f} and {two:,.0f} rows", where, instead) if is_unequal else ()


def few_rows_per_cell(rows: float, cells: int) -> tuple[DesignWarning, ...]:
    """Warning of few rows per degree of freedom of a matrix of several classes."""
    condition = CONDITIONS["few-rows-per-cell"]
    if not 0 < rows < condition.least * cells:
        return ()
    return condition.warning(f"{rows / cells:.2g} {condition.what}, fewer than {condition.least:g}")


def few_errors(errors: float) -> tuple[DesignWarning, ...]:
    """Warning of DeLong's variance, by the number of rows with ranking errors; 0 is few too.

    >>> few_errors(12.4)[0].text.partition(":")[0], few_errors(30)
    ('errors spread over 12 rows, fewer than 30', ())
    """
    condition = CONDITIONS["few-errors"]
    found = f"errors spread over {errors:.2g} rows, fewer than {condition.least:g}"
    return condition.warning(found) if errors < condition.least else ()


def few_outcomes(rows: float, *, of: str = "", least: float = 0.0) -> tuple[DesignWarning, ...]:
    """Warning of the interval of a rate: the rarer outcome, named by `of`, has fewer than `least` rows (0 too)."""
    condition = CONDITIONS["few-outcomes"]
    least = least or condition.least
    # Shares of whole rows are whole only up to rounding.
    return condition.warning(_fewer(rows, of or condition.what, least)) if rows < least - 1e-9 else ()


def few_beyond_cut(rows: float, of: str, *, least: float = 0.0) -> tuple[DesignWarning, ...]:
    """Warning of too few rows beyond the cut for a test at an operating point.

    >>> few_beyond_cut(2.99, "negatives")[0].text.partition(":")[0], few_beyond_cut(3, "negatives")
    ('2.9 negatives beyond the cut, fewer than 3', ())
    """
    condition = CONDITIONS["few-beyond-cut"]
    least = least or condition.least
    if rows >= least - 1e-9:  # a share times a number of rows is rounded
        return ()
    # Cut off to tenths, as 2.99 would round to the number that it is below.
    shown = math.floor(rows * 10 + 1e-9) / 10
    found = f"{shown:g} {_one(of) if shown == 1 else of} beyond the cut"
    return condition.warning(f"{found}, fewer than {least:g}")


def below_chance(value: float) -> tuple[DesignWarning, ...]:
    """Warning of a kappa or a correlation near its minimum."""
    condition = CONDITIONS["below-chance"]
    found = f"{condition.what} of {value:.2g}, below {condition.least:g}"
    return condition.warning(found) if value < condition.least else ()


def verified_by_score(share: float, deviations: float) -> tuple[DesignWarning, ...]:
    """Warning of verified rows that differ in score from the others of their stratum, beyond two standard errors.

    >>> verified_by_score(0.25, -3.0)[0].text.partition(":")[0], verified_by_score(0.59, 9.0)
    ('within a stratum, verified rows have the lower score in 75 % of pairs', ())
    """
    condition, more = CONDITIONS["verified-by-score"], max(share, 1 - share)
    found = (
        f"within a stratum, verified rows have the {'higher' if share > 0.5 else 'lower'} score in {more:.0%} of pairs"
    )
    return condition.warning(found.replace("%", " %")) if more >= condition.least and abs(deviations) > 2 else ()


def dependent_splits(found: str, *, instead: str | None = None) -> tuple[DesignWarning, ...]:
    """Warning of a test that treats dependent splits as independent."""
    return CONDITIONS["dependent-splits"].warning(found, instead=instead)


def pooled_folds(fits: int) -> tuple[DesignWarning, ...]:
    """Warning of intervals and tests on pooled predictions of several fits."""
    condition = CONDITIONS["pooled-folds"]
    return condition.warning(f"pooled predictions of {fits:,} fits") if fits > condition.least else ()


def extreme_of_clusters(*, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of a cluster jackknife for an extreme."""
    text = "the cluster jackknife of a maximum over thresholds undercovers; use a bootstrap"
    return (DesignWarning("extreme-of-clusters", text, where),)


def noise_adds(*, where: str = "") -> tuple[DesignWarning, ...]:
    """Warning of the interval of a calibration error, which noise alone inflates."""
    text = (
        "noise inflates a calibration error, so the interval of nearly calibrated scores undercovers; "
        "debiased_calibration_error has better coverage"
    )
    return (DesignWarning("moved-by-resampling", text, where),)


PLACES = 3
"""Places named in a merged warning."""


def distinct(warnings: Iterable[DesignWarning]) -> tuple[DesignWarning, ...]:
    """Merge equal warnings and list their places; a warning without a place applies everywhere.

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


def _fewer(found: float, name: str, least: float) -> str:
    return f"{found:,.0f} {_one(name) if round(found) == 1 else name}, fewer than {least:g}"


def _one(name: str) -> str:
    return re.sub(r"s\b", "", name, count=1)
