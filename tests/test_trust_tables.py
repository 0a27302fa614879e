"""Whatever the documentation's tables show outside the goal carries a coded warning at run time, or is no choice.

The goal: intervals hold the truth 92 % of the time or more (90 with 5 to 9 positives), tests reject a true null
hypothesis 6.5 % of the time at most at 5 %; what is above 98.5 % is called conservative beside the table. Every table
of numbers is named here, so that a new one, or a worse number, cannot stand in the documentation without a warning.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import Bootstrap, ConfusionMatrix, evaluate
from thresher.counts import ScoreTable
from thresher.counts.loss_sums import LossSums
from thresher.design_warnings import CONDITIONS, DesignWarning
from thresher.inference import (
    bootstrap_interval,
    corrected_resampled_t_test,
    delong_interval,
    delong_test,
    delong_test_unpaired,
    loss_sums_interval,
    paired_t_test,
)

ROOT = Path(__file__).parents[1]
PAGES = ("coverage", "comparing", "assessing")
LEAST, LEAST_OF_FEW, MOST, MOST_REJECTED, LEAST_REJECTED = 92.0, 90.0, 98.5, 6.5, 3.5

NUMBER = r"\d+(?:\.\d+)?"

Warnings = tuple[DesignWarning, ...]
Design = Callable[[dict[str, str], str], Warnings]


@dataclass(frozen=True)
class Table:
    page: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    around: str

    @property
    def key(self) -> str:
        return f"{self.page}: {', '.join(self.head[:3])}"


@dataclass(frozen=True)
class Kind:
    """What a table's columns from `first` on are; how to make its designs, and those of the numbers in brackets."""

    first: int
    is_test: bool = False
    main: Design | None = None
    bracket: Design | None = None
    columns: tuple[str, ...] | None = None


@cache
def tables() -> tuple[Table, ...]:
    found = []
    for page in PAGES:
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        blocks = re.split(r"((?:^\|.*\n)+)", text, flags=re.MULTILINE)
        for i in range(1, len(blocks), 2):
            lines = [tuple(cell.strip() for cell in line.strip("|\n").split("|")) for line in blocks[i].splitlines()]
            found.append(Table(page, lines[0], tuple(lines[2:]), blocks[i - 1] + blocks[i + 1]))
    return tuple(found)


@cache
def drawn(positives: int, negatives: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """Rows of two models that are alike, each of an AUC near .98."""
    rng, y = np.random.default_rng(seed), np.arange(positives + negatives) < positives
    shared = rng.normal(size=y.size)
    return y.astype(int), *(0.8 * shared + 0.6 * rng.normal(size=y.size) + 2.9 * y for _ in range(2))


def of_delong(row: dict[str, str], column: str) -> Warnings:
    p = int(row["positives"])
    y, score, other = drawn(p, 4 * p)
    if column == "one AUC":
        return delong_interval(ScoreTable.from_scores(y, score)).warnings
    if "same rows" in column:
        return delong_test(y, score, other).warnings
    unequal = drawn(5 * p, 5 * p, 1)
    return delong_test_unpaired(y, score, unequal[0], unequal[1]).warnings


def of_rate(row: dict[str, str], column: str) -> Warnings:
    n = int(column.removesuffix(" rows"))
    matrix = ConfusionMatrix.from_counts([[n - 1, 1], [0, n]], labels=(1, 0))
    return matrix.estimate("recall", interval=row["method"].split(" (")[0].lower().replace("–", "-")).warnings


def of_few_positives(row: dict[str, str], _column: str) -> Warnings:
    place = np.arange(int(row["rows"]))
    is_positive = place < float(row["design"].split(" %")[0]) / 100 * place.size
    return evaluate(is_positive.astype(int), place / place.size).warnings


def of_cost(row: dict[str, str], column: str) -> Warnings:
    n, p = int(row["rows"]), int(row["positives"])
    matrix = ConfusionMatrix.from_counts([[p, 0], [1, n - p - 1]], labels=(1, 0))
    assert "at a prevalence" in column
    return matrix.with_prevalence(0.1).estimate("average_cost", cost_fp=1, cost_fn=10).warnings


def of_information(row: dict[str, str], column: str) -> Warnings:
    cells = [[float(share) for share in line.split(",")] for line in row["shares of the cells"].split(";")]
    counts = np.rint(np.array(cells) * int(column.removesuffix(" rows"))).astype(int)
    matrix = ConfusionMatrix.from_counts(counts, labels=range(len(counts)))
    each = [matrix.estimate(name).warnings for name in ("relative_classifier_information", "mutual_information")]
    return tuple(warning for warnings in each for warning in warnings)


def of_bootstrap(row: dict[str, str], column: str) -> Warnings:
    names = {"KS distance": "ks_statistic", "AUC covered": "auc"}
    y, score, _ = drawn(int(row["positives"]), int(row["negatives"]))
    noisy = score + 2 * np.random.default_rng(1).normal(size=y.size)
    config = Bootstrap(n=20, method=row["limits"])
    name = names.get(column, column.replace(" ", "_"))
    return bootstrap_interval(ScoreTable.from_scores(y, noisy), name, config).warnings


def of_clusters(row: dict[str, str], column: str) -> Warnings:
    rng, n, each = np.random.default_rng(0), int(column.removesuffix(" clusters")), 10
    codes = np.repeat(np.arange(n), each)
    own = np.arange(n * each) % 2 if row["clusters hold"] == "both classes" else codes % 2
    effect, noise = rng.normal(size=(2, n * each)) * math.sqrt(0.5)
    score = effect[codes] + noise + math.sqrt(2) * NormalDist().inv_cdf(float(row["AUC"])) * own
    return evaluate(own, score, cluster=codes)["score"].auc.warnings


def of_jackknife(row: dict[str, str], column: str) -> Warnings:
    assert column.endswith("clusters"), f"{row['measure']} falls short in {column}"
    codes = np.repeat(np.arange(int(column.removesuffix(" clusters"))), 8)
    score = np.random.default_rng(0).random(codes.size)
    found = evaluate(np.arange(codes.size) % 2, score, threshold=0.5, cluster=codes)["score"].accuracy
    assert found.method is not None
    assert found.method.startswith("jackknife over ")
    return found.warnings


def of_plain_t(row: dict[str, str], _column: str) -> Warnings:
    assert row["test"].startswith("plain t")
    values = np.random.default_rng(0).normal(size=(2, 30))
    return paired_t_test(*values).warnings


def of_corrected_t(row: dict[str, str], _column: str) -> Warnings:
    (words,) = re.findall(r": (.*)$", row["learners and splits"])
    numbers = [int(number) for number in re.findall(r"\d+", words)]
    k, ratio = (numbers[0], 0.5) if "holdouts" in words else (int(np.prod(numbers)), 1 / (numbers[-1] - 1))
    values = np.random.default_rng(0).normal(size=(2, k))
    return corrected_resampled_t_test(*values, test_size=ratio, train_size=1).warnings


def of_loss(row: dict[str, str], column: str) -> Warnings:
    mean = float(re.findall(r"mean ([\d.]+)", row["logits"])[0])
    logits = np.random.default_rng(0).normal(mean, 2, int(row["rows"]))
    losses = np.logaddexp(0, -logits) if column == "log loss" else 1 / (1 + np.exp(logits)) ** 2
    bounds = (0.0, math.inf) if column == "log loss" else (0.0, 1.0)
    return loss_sums_interval(LossSums.of(losses), column.lower().replace(" ", "_"), bounds=bounds).warnings


def of_drawn(row: dict[str, str], column: str) -> Warnings:
    names = {"ECE covered": "expected_calibration_error", "debiased covered": "debiased_calibration_error"}
    n = int(row["rows"])
    found = th.evaluate(np.arange(n) % 2, np.linspace(0.1, 0.9, n), bootstrap=10)["score"]
    return found.estimate(names.get(column, "h_measure")).warnings


def of_judge(row: dict[str, str], column: str) -> Warnings:
    n, place, how = int(row["gold rows"].replace(",", "")), np.arange(3000), row["gold rows are drawn"]
    truth = np.random.default_rng(0).permutation(n) < (0.05 if "5 % positive" in how else 0.3) * n
    judge, scores = place % 10 < 3, {name: (place * step) % 101 / 100 for name, step in (("a", 37), ("b", 53))}
    options = {"sampling": np.where(judge, 0.9, 0.3)} if "times" in how else {}
    found = th.evaluate([*truth.astype(int), *[None] * (3000 - n)], scores, judge=judge.astype(int), **options)
    name = column.replace(" ", "_").lower().removeprefix("roc_")
    return (*found["a"].estimate(name).warnings, *found.compare("a", "b", measure=name).warnings)


KINDS = {
    "coverage: measure, plain rows, 10 clusters": [Kind(1, main=of_jackknife)],
    "coverage: positives, one AUC, difference, other rows": [Kind(1, bracket=of_delong)],
    "coverage: AUC, clusters hold, 5 clusters": [Kind(2, main=of_clusters)],
    # The text beside the table says that the interval for a future site falls short.
    "coverage: sites, errors, τ = 0": [Kind(2, columns=("τ = 0", "τ = 0.2", "τ = 0.5"))],
    "coverage: method, 10 rows, 20 rows": [Kind(1, main=of_rate)],
    "coverage: design, rows, f1": [Kind(2, main=of_few_positives)],
    "coverage: gold rows are drawn, gold rows, accuracy": [Kind(2, main=of_judge)],
    "coverage: positive, TPR, FPR": [Kind(6, columns=("kappa covered", "MCC covered"))],
    "coverage: positive, shift, value": [Kind(3)],
    "coverage: logits, rows, log loss": [Kind(2, main=of_loss)],
    "coverage: logits times, rows, ECE": [Kind(3, main=of_drawn)],
    "coverage: rows, positives, TPR": [Kind(4, main=of_cost)],
    "coverage: design, rows, balanced accuracy": [Kind(2)],
    "coverage: shares of the cells, value, 60 rows": [Kind(2, main=of_information)],
    "coverage: positives, negatives, AUC": [Kind(5),
        Kind(4, main=of_bootstrap, columns=("KS distance", "equal error rate", "average precision", "AUC covered"))],
    "coverage: rows, macro AUC, .7, macro AUC, .9": [Kind(1)],
    "coverage: positives, negatives, AUC .7": [Kind(2, is_test=True)],
    "coverage: positives, negatives, informedness covered": [Kind(2, columns=("informedness covered", "F1 covered"))],
    "comparing: positives, same rows, other rows": [Kind(1, is_test=True, bracket=of_delong)],
    "comparing: test, AUC 0.7, n 30, AUC 0.7, n 100": [Kind(1, is_test=True)],
    "comparing: measure, 10 clusters, 20 clusters": [Kind(1, is_test=True)],
    "comparing: positives, negatives, AUC": [Kind(3, is_test=True)],
    "comparing: one group, other group, average precision": [Kind(2, is_test=True)],
    "comparing: test, n 50, n 100": [Kind(1, is_test=True, main=of_plain_t)],
    "comparing: learners and splits, n 50, n 100": [Kind(1, is_test=True, bracket=of_corrected_t)],
    "comparing: test, normal, n 6, normal, n 10": [Kind(1, is_test=True)],
    "assessing: , 60 rows, 5 features, AUC .7, 60 rows, 5 features, AUC .9": [Kind(1)],
}  # fmt: skip
"""What each table of numbers is, by its first columns; several tables of the same columns in their order."""

IN_WORDS = ("coverage: code, raised, take instead", "comparing: result, without a bootstrap, with `bootstrap=`",
            "comparing: measure, default test, interval", "assessing: interval, standard error, says",
            "comparing: call, does", "comparing: question, answer", "comparing: plan, assumes",
            "comparing: family, comparisons that share an adjustment", "comparing: given, compared, ",
            "assessing: value, text, method", "assessing: `test=`, is")  # fmt: skip
"""Tables without coverage or error rates."""

KNOWN = [
    pytest.param(table, kind, id=f"{key.partition(': ')[0]}-{i}-{key.partition(': ')[2][:30]}")
    for key, kinds in KINDS.items()
    for i, (table, kind) in enumerate(zip((t for t in tables() if t.key == key), kinds, strict=True))
]


def cells(table: Table, kind: Kind) -> Iterator[tuple[dict[str, str], str, list[float], list[float]]]:
    """Every cell of what is offered: its row, its column, its numbers and those in brackets."""
    for line in table.rows:
        row = dict(zip(table.head, line, strict=True))
        if line[0].startswith(("*", "(")):  # stands there to show what else there is
            continue
        for column, text in zip(table.head[kind.first :], line[kind.first :], strict=True):
            if kind.columns is None or column in kind.columns:
                outside, _, inside = text.replace("*", "").partition("(")
                is_of_intervals_without = table.page == "assessing"
                numbers = re.findall(NUMBER, "" if is_of_intervals_without else inside)
                yield row, column, [float(x) for x in re.findall(NUMBER, outside)], [float(x) for x in numbers]


def is_short(numbers: list[float], kind: Kind, row: dict[str, str]) -> bool:
    """Whether an interval holds the truth too rarely, or a test rejects too often."""
    if not numbers:
        return False
    has_few = row.get("positives", "").split(" ")[0] in map(str, range(5, 10))
    if kind.is_test:
        return max(numbers) > (100 - LEAST_OF_FEW if has_few else MOST_REJECTED)
    return min(numbers) < (LEAST_OF_FEW if has_few else LEAST)


def test_every_table_of_the_pages_is_known() -> None:
    assert {table.key for table in tables()} == {*KINDS, *IN_WORDS}


@pytest.mark.parametrize(("table", "kind"), KNOWN)
def test_what_is_outside_the_goal_carries_a_warning(table: Table, kind: Kind) -> None:
    for row, column, numbers, bracket in cells(table, kind):
        for found, design in ((numbers, kind.main), (bracket, kind.bracket)):
            if is_short(found, kind, row) and (design is not None or found is numbers):
                assert design is not None, f"{found} of {row}, {column}: no warning is known"
                codes = {warning.code for warning in design(row, column)}
                assert codes & CONDITIONS.keys(), f"{found} of {row}, {column}: no warning"


@pytest.mark.parametrize(("table", "kind"), KNOWN)
def test_what_is_too_careful_is_called_conservative(table: Table, kind: Kind) -> None:
    numbers = [number for _, _, found, _ in cells(table, kind) for number in found]
    if min(numbers) < LEAST_REJECTED if kind.is_test else max(numbers) > MOST:
        assert re.search("conservative|too careful|too often", table.around, flags=re.IGNORECASE)


def test_every_code_stands_in_the_documentation_with_its_number() -> None:
    (table,) = (table for table in tables() if table.key == IN_WORDS[0])
    numbers = {line[0].strip("`"): float(re.findall(r"-?\d+(?:\.\d+)?", line[1])[0]) for line in table.rows}
    assert numbers.pop("clipped-probabilities") == 0  # which changes no number, and has no condition
    assert numbers == {code: condition.least for code, condition in CONDITIONS.items()}


@pytest.mark.slow
def test_delongs_own_variance_is_warned_of_in_each_design_of_the_grid_where_it_falls_short() -> None:
    """Half of the samples of such a design, or more, carry the warning."""
    import csv
    import sys

    sys.path.insert(0, str(ROOT / "benchmarks"))
    from coverage_grid import TESTS, one_model, spread

    checked = 0
    cells_of_grid = (ROOT / "benchmarks" / "coverage_grid.csv").read_text(encoding="utf-8").splitlines()
    for row in csv.DictReader(cells_of_grid):
        p, area, is_test = int(row["positives"]), float(row["area"]), row["part"] in TESTS
        if row["held"] == "nan" or float(row["delong"]) >= (100 - MOST_REJECTED if is_test else LEAST):
            continue
        n = round(p / float(row["share"])) - p
        sizes = ((p, n), (5 * p, 5 * p)) if row["part"] == "unequal" else ((p, n),)
        errors = [
            spread(one_model(row["family"], area, *size, 15, np.random.default_rng(k)), *size).seen
            for k, size in enumerate(sizes)
        ]
        assert np.median(np.min(errors, axis=0)) < CONDITIONS["few-errors"].least, row
        checked += 1
    assert checked > 500
