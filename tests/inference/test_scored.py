"""Intervals of measures of scores: variances against differences by every row, edges, coverage."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from contracts.strategies import tables
from golden_values import load
from thresher.counts import ScoreTable
from thresher.curves.partial_areas import area_over_fpr, area_over_tpr
from thresher.inference.auc.delong import delong_interval, hanley_mcneil_interval, hanley_mcneil_variance
from thresher.inference.curves.partial_areas import partial_auc_interval
from thresher.inference.estimates.methods import estimate_of_scores, methods_of, summary_of_scores
from thresher.inference.estimates.ranking import average_precision_interval
from thresher.inference.limits import student_quantile
from thresher.measures import find

H = 1e-6
LOSSES = ("brier_score", "root_brier_score", "brier_skill_score", "log_loss", "mean_score")


def rows(seed: int, digits: int = 1, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    s = np.clip(np.round(rng.beta(2 + y, 3, n), digits), 0.05, 0.95)
    return y, s, rng.exponential(size=n)


def slopes(value, w: np.ndarray) -> np.ndarray:
    """Derivative of a value by the weight of each row."""
    return np.array([(value(w + h) - value(w - h)) / (2 * H) for h in np.eye(w.size) * H])


def size(w: np.ndarray) -> float:
    return w.sum() ** 2 / (w**2).sum()


@pytest.mark.parametrize("prior", [None, 0.05, 0.6])
@pytest.mark.parametrize("name", ["average_precision", *LOSSES])
def test_the_error_is_that_of_the_linear_part(name: str, prior: float | None) -> None:
    """Root of Σ(w·∂f/∂w)² with n/(n − 1), by differences; n is that of the class for the AP and at a prior."""
    for seed, digits in ((0, 1), (1, 6)):
        y, s, w = rows(seed, digits)

        def value(weights: np.ndarray, y=y, s=s) -> float:
            return find(name)(replace(ScoreTable.from_scores(y, s, weights=weights), prior=prior))

        table = replace(ScoreTable.from_scores(y, s, weights=w), prior=prior)
        by_class = prior or name == "average_precision"
        sizes = np.where(y == 1, size(w[y == 1]), size(w[y == 0])) if by_class else np.full(y.size, size(w))
        expected = math.sqrt((sizes / (sizes - 1) * (slopes(value, w) * w) ** 2).sum())
        estimate = estimate_of_scores(table, name)
        assert estimate.value == pytest.approx(value(w))
        assert estimate.standard_error == pytest.approx(expected, rel=1e-6)
        assert "effective size" in estimate.method


@pytest.mark.parametrize("kind", ["fpr_range", "tpr_range"])
@pytest.mark.parametrize("ends", [(0.0, 0.13), (0.12, 0.47), (0.4, 1.0)])
def test_the_error_of_a_partial_area_is_that_of_its_linear_part(kind: str, ends: tuple[float, float]) -> None:
    for digits in (1, 6):
        y, s, w = rows(5, digits)
        of = {"fpr_range": area_over_fpr, "tpr_range": area_over_tpr}[kind]

        def area(weights: np.ndarray, y=y, s=s, of=of) -> float:
            t = ScoreTable.from_scores(y, s, weights=weights)
            points = [np.append(0, np.cumsum(c) / c.sum()) for c in (t.negative, t.positive)]
            return of(*points, *ends).raw

        sizes = np.where(y == 1, size(w[y == 1]), size(w[y == 0]))
        expected = math.sqrt((sizes / (sizes - 1) * (slopes(area, w) * w) ** 2).sum())
        estimate = partial_auc_interval(ScoreTable.from_scores(y, s, weights=w), **{kind: ends})
        assert estimate.value == pytest.approx(area(w), rel=1e-12)
        if expected < 1e-9:
            assert estimate.reason_code == "no-spread"
            continue
        assert estimate.standard_error == pytest.approx(expected, rel=1e-5)
        assert 0 < estimate.low < estimate.value < estimate.high < ends[1] - ends[0]


@given(tables())
def test_the_whole_range_is_delong_s(table: ScoreTable) -> None:
    whole = delong_interval(table, scale="logit")
    for options in ({"fpr_range": (0, 1)}, {"tpr_range": (0, 1)}):
        partial = partial_auc_interval(table, **options)
        assert partial.value == pytest.approx(whole.value, nan_ok=True)
        if partial.standard_error is not None:
            assert partial.standard_error == pytest.approx(whole.standard_error)
            assert (partial.low, partial.high) == pytest.approx((whole.low, whole.high))
        else:
            assert partial.reason


def test_corrected_partial_areas_are_mapped() -> None:
    y, s, _ = rows(2)
    table = ScoreTable.from_scores(y, s)
    for options, least in (({"fpr_range": (0.1, 0.4)}, 0.075), ({"tpr_range": (0.5, 1.0)}, 0.125)):
        raw, corrected = partial_auc_interval(table, **options), partial_auc_interval(table, **options, corrected=True)
        width = next(iter(options.values()))[1] - next(iter(options.values()))[0]
        for field in ("value", "low", "high"):
            expected = (1 + (getattr(raw, field) - least) / (width - least)) / 2
            assert getattr(corrected, field) == pytest.approx(expected, rel=1e-12)


@given(tables())
def test_every_interval_holds_its_value_inside_the_range(table: ScoreTable) -> None:
    for name, estimate in summary_of_scores(table).items():
        low, high = find(name).bounds
        if estimate.low is None:
            assert estimate.reason
            continue
        assert low <= estimate.low <= estimate.value <= estimate.high <= high, name
        assert estimate.low < estimate.high, name


@pytest.mark.parametrize("weighted", [False, True])
def test_few_positives_have_student_s_quantile(weighted: bool) -> None:
    """Limits on the logit scale with the degrees of freedom of the sum of both classes' variances, row by row."""
    y, s, w = rows(6, digits=6, n=25)
    w = w if weighted else np.ones(25)

    def value(weights: np.ndarray) -> float:
        return find("average_precision")(ScoreTable.from_scores(y, s, weights=weights))

    parts = (slopes(value, w) * w) ** 2
    sizes = [size(w[y == k]) for k in (1, 0)]
    variances = [parts[y == k].sum() * n / (n - 1) for k, n in zip((1, 0), sizes, strict=True)]
    df = sum(variances) ** 2 / sum(v**2 / (n - 1) for v, n in zip(variances, sizes, strict=True))
    df = min(df, sizes[0] - 1)
    ap, level = value(w), 0.9
    half = stats.t.ppf(0.95, df) * math.sqrt(sum(variances)) / (ap * (1 - ap))
    estimate = average_precision_interval(ScoreTable.from_scores(y, s, weights=w), level=level)
    ends = [1 / (1 + math.exp(-(math.log(ap / (1 - ap)) + side * half))) for side in (-1, 1)]
    assert [estimate.low, estimate.high] == pytest.approx(ends, rel=1e-6)
    assert "Student's t" in estimate.method


@pytest.mark.parametrize("share", [0.5, 0.6, 0.9, 0.975, 0.9995, 0.99995, 1 - 1e-9])
def test_student_s_quantile_is_scipy_s(share: float) -> None:
    for df in (1.0, 1.01, 1.1, 1.5, 2.0, 2.2, 3.7, 10.0, 99.0, 12345.6, 9e5, 1e7, math.inf):
        assert student_quantile(share, df) == pytest.approx(stats.t.ppf(share, df), rel=2e-6, abs=1e-12)


def test_perfect_order_has_width() -> None:
    for direction, sign in (("higher", 1), ("lower", -1)):
        table = ScoreTable.from_scores([1] * 12 + [0] * 30, sign * np.repeat([2.0, 1.0], [12, 30]), direction=direction)
        estimate = average_precision_interval(table)
        assert (estimate.value, estimate.high, estimate.standard_error) == (1, 1, None)
        assert 0.5 < estimate.low < 0.95
        assert "½ a row of each class put at the wrong end" in estimate.method


def test_certain_scores() -> None:
    right = summary_of_scores(ScoreTable.from_scores([1, 1, 0, 0], [1.0, 1.0, 0.0, 0.0]))
    assert (right["brier_score"].low, right["brier_score"].value) == (0, 0)
    assert 0 < right["brier_score"].high < 1
    assert right["root_brier_score"].high == pytest.approx(math.sqrt(right["brier_score"].high))
    assert right["brier_skill_score"].low == pytest.approx(1 - right["brier_score"].high / 0.25)
    assert right["brier_skill_score"].high == 1
    assert right["log_loss"].reason_code == "no-spread"
    wrong = summary_of_scores(ScoreTable.from_scores([1, 0, 0], [0.0, 0.5, 0.2]))
    assert wrong["log_loss"].value == math.inf
    assert "a probability of 0 or 1 was wrong" in wrong["log_loss"].reason


def test_measures_without_an_analytic_interval_say_so() -> None:
    y, s, _ = rows(0)
    summary = summary_of_scores(ScoreTable.from_scores(y, s))
    for name, estimate in summary.items():
        assert (estimate.low is not None) == (methods_of(name).interval is not None), name
        if estimate.low is None:
            assert estimate.reason_code == "no-formula"
    half = summary["signed_area"]
    assert (half.low, half.high) == (summary["auc"].low - 0.5, summary["auc"].high - 0.5)


def test_few_rows_have_a_reason() -> None:
    one = average_precision_interval(ScoreTable.from_scores([1, 0, 0], [3, 2, 1]))
    assert one.reason == "no interval, as its variance needs two rows of each class, not 1 positive"
    single = estimate_of_scores(ScoreTable.from_scores([1], [0.4]), "brier_score")
    assert (single.value, single.reason) == (
        pytest.approx(0.36),
        "no interval, as the spread of the losses needs two rows",
    )


@pytest.mark.parametrize("name", ["breast_cancer", "digit_eight"])
def test_hanley_mcneil_s_error_as_r_computes_it(name: str) -> None:
    results, compared = load(name)["results"], 0
    for key, entry in results.items():
        if key.endswith("/hanley_mcneil_se"):
            model = key.split("/")[1]
            area = results[f"proc/{model}/auc"]["value"]
            power = results[f"proc/{model}/power"]["value"]
            p, n = power["ncases"], power["ncontrols"]
            assert math.sqrt(hanley_mcneil_variance(area, p, n)) == pytest.approx(entry["value"], rel=1e-10)
            estimate = hanley_mcneil_interval(area, p, n)
            assert estimate.high == pytest.approx(min(1, area + 1.959963984540054 * entry["value"]))
            compared += 1
    assert compared >= 3


def test_hanley_mcneil_at_the_ends() -> None:
    perfect = hanley_mcneil_interval(1.0, 10, 10)
    assert (round(perfect.low, 4), perfect.high, perfect.standard_error) == (0.8002, 1.0, None)
    assert "Newcombe" in perfect.method
    assert hanley_mcneil_interval(0.0, 10, 10).high == pytest.approx(1 - perfect.low)


def test_many_pieces_are_one_table() -> None:
    """More scores than one piece of the sweep holds, against sums over the whole table."""
    rng = np.random.default_rng(0)
    n = 150_000
    y = rng.integers(0, 2, n)
    table = ScoreTable.from_scores(y, rng.random(n) * 0.8 + 0.2 * y)
    pos, neg = table.positive, table.negative
    tp, fp = np.cumsum(pos), np.cumsum(neg)
    size_ = tp + fp
    value = (pos * tp / size_).sum() / pos.sum()
    u = tp / size_ - value + np.cumsum((pos * fp / size_**2)[::-1])[::-1]
    v = np.cumsum((pos * tp / size_**2)[::-1])[::-1]
    p, q = pos.sum(), neg.sum()
    error = math.sqrt((pos * u**2).sum() * p / (p - 1) + (neg * v**2).sum() * q / (q - 1)) / p
    assert average_precision_interval(table).standard_error == pytest.approx(error, rel=1e-10)
    s = table.scores
    loss = np.concatenate([np.repeat((1 - s) ** 2, pos), np.repeat(s**2, neg)])
    expected = loss.std(ddof=1) / math.sqrt(n)
    assert estimate_of_scores(table, "brier_score").standard_error == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("undefined", [0, "raise"])
def test_no_number_stands_for_a_measure_that_scores_do_not_have(undefined: object) -> None:
    """A Brier score of 0 is a perfect one, and scores that rank have none; what 0/0 becomes is another matter."""
    table = ScoreTable.from_scores([1, 0, 1, 0], [3.0, 1.0, 2.0, 0.5])
    found = summary_of_scores(table, undefined=undefined)
    for name in ("brier_score", "log_loss", "expected_calibration_error"):
        assert math.isnan(found[name].value)
        assert "not probabilities" in str(found[name].reason)
    assert estimate_of_scores(ScoreTable.from_scores([1, 1], [0.9, 0.6]), "auc", undefined=0.5).value == 0.5
