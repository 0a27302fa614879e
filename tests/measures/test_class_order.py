"""What needs the classes in order: numbers have one, text has that of labels or of an ordered categorical, or none."""

import itertools

import numpy as np
import pytest

import thresher as th
from shares import few
from thresher import gate, metrics, multiclass
from thresher.errors import InputError

SCALE = ("low", "mid", "high")
TRUTH = ["low"] * 6 + ["mid"] * 5 + ["high"] * 4
DECIDED = ["low", "low", "low", "mid", "mid", "high", "mid", "mid", "low", "high", "mid", "high", "high", "mid", "low"]
LINEAR, ASKS = "weighted_kappa:weights=linear", "needs ordered classes, and text is unordered: 'high', 'low', 'mid'"


def definition(weights: str, scale: tuple = SCALE) -> float:
    """Weighted kappa by its definition: mean distance of the pairs over that of all pairs of a truth and a decision."""
    power = {"linear": 1, "quadratic": 2}[weights]
    far = {(a, b): abs(scale.index(a) - scale.index(b)) ** power for a in scale for b in scale}
    observed = np.mean([far[pair] for pair in zip(TRUTH, DECIDED, strict=True)])
    return float(1 - observed / np.mean([far[pair] for pair in itertools.product(TRUTH, DECIDED)]))


def evaluated(truth, decided, **options):
    return th.evaluate(truth, predicted={"a": decided, "b": truth}, **options)


@pytest.mark.parametrize("weights", few(["linear", "quadratic"], 1))
def test_labels_give_the_order(weights):
    written = f"weighted_kappa:weights={weights}"
    found = evaluated(TRUTH, DECIDED, labels=SCALE)
    matrix = th.ConfusionMatrix.from_predictions(TRUTH, DECIDED, labels=SCALE)
    assert found["a"].estimate(written).value == pytest.approx(definition(weights), abs=1e-14)
    assert matrix.weighted_kappa(weights=weights) == pytest.approx(definition(weights), abs=1e-14)
    assert th.ConfusionMatrix.from_json(matrix.to_json()).weighted_kappa(weights=weights) == matrix.weighted_kappa(
        weights=weights
    )
    assert metrics.cohen_kappa_score(TRUTH, DECIDED, labels=SCALE, weights=weights) == pytest.approx(
        definition(weights), abs=1e-14
    )
    assert found.compare("b", "a", measure=written).difference == pytest.approx(1 - definition(weights), abs=1e-14)


WAYS = {
    "estimate": lambda: evaluated(TRUTH, DECIDED)["a"].estimate(LINEAR),
    "compare": lambda: evaluated(TRUTH, DECIDED).compare("a", "b", measure=LINEAR),
    "gate": lambda: gate.at_least(evaluated(TRUTH, DECIDED)["a"], gate.limit(f"{LINEAR}=0.1"), level=0.95),
    "bootstrap": lambda: evaluated(TRUTH, DECIDED, bootstrap=20)["a"].estimate(LINEAR),
    "groups": lambda: evaluated(TRUTH, DECIDED, by=[1, 2, 3] * 5).groups[1]["a"].estimate(LINEAR),
    "matrix": lambda: th.ConfusionMatrix.from_predictions(TRUTH, DECIDED).weighted_kappa(weights="linear"),
    "matrix, estimate": lambda: th.ConfusionMatrix.from_predictions(TRUTH, DECIDED).estimate(LINEAR),
    "matrix, saved": lambda: th.ConfusionMatrix.from_json(
        th.ConfusionMatrix.from_predictions(TRUTH, DECIDED).to_json()
    ).estimate(LINEAR),
    "matrix, sum": lambda: sum(
        [th.ConfusionMatrix.from_predictions(TRUTH, DECIDED)] * 2, th.ConfusionMatrix.empty(("high", "low", "mid"))
    ).estimate(LINEAR),
    "matrix, by name": lambda: th.ConfusionMatrix.from_counts(
        {a: dict.fromkeys(sorted(SCALE), 1) for a in sorted(SCALE)}
    ).weighted_kappa(weights="linear"),
    "posteriors": lambda: (
        multiclass.Posteriors.of(TRUTH, np.full((15, 3), 1 / 3)).confusion().weighted_kappa(weights="linear")
    ),
    "decision": lambda: (
        th.evaluate(TRUTH, probabilities=np.full((15, 3), 1 / 3))["model"]
        .decide(weights=[1, 1, 1])
        .matrix.weighted_kappa(weights="linear")
    ),
    "metrics": lambda: metrics.cohen_kappa_score(TRUTH, DECIDED, weights="linear"),
    "metrics, arrays": lambda: metrics.cohen_kappa_score(
        np.array(TRUTH), np.array(DECIDED, dtype=object), weights="linear"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_text_without_an_order_asks_for_one(way):
    with pytest.raises(InputError, match=ASKS):
        WAYS[way]()


def test_numbers_and_two_classes_need_none():
    place = {"low": 1, "mid": 2, "high": 10}
    numbers = [[place[a] for a in column] for column in (TRUTH, DECIDED)]
    assert evaluated(*numbers)["a"].estimate(LINEAR).value == pytest.approx(definition("linear"), abs=1e-14)
    assert metrics.cohen_kappa_score(*numbers, weights="linear") == pytest.approx(definition("linear"), abs=1e-14)
    two = [["yes" if a == "low" else "no" for a in column] for column in (TRUTH, DECIDED)]
    matrix = th.ConfusionMatrix.from_predictions(*two, positive="yes")
    assert matrix.weighted_kappa(weights="linear") == matrix.kappa
    assert metrics.cohen_kappa_score(*two, weights="linear") == pytest.approx(matrix.kappa)


def test_a_weighted_average_is_not_the_weighted_kappa():
    model = evaluated(TRUTH, DECIDED, labels=SCALE)["a"]
    assert model.weighted_f1.value == model.confusion_matrix.average("f1", how="weighted").value


def test_an_order_survives_saving_and_adding(tmp_path):
    rows = evaluated(TRUTH, DECIDED, labels=SCALE).predictions
    plain = evaluated(TRUTH, DECIDED, labels=sorted(SCALE)).predictions
    unordered = evaluated(TRUTH, DECIDED).predictions
    for each in (rows, unordered):
        each.save(tmp_path / "rows.parquet")
        assert type(each).load(tmp_path / "rows.parquet") == each
    assert (rows.ordered, unordered.ordered, (plain + unordered).ordered) == (True, False, True)


@pytest.mark.peer
class TestCategoricals:
    """Ordered categoricals of the dataframe libraries."""

    def columns(self):
        pd, pl, pa = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
        makers = {
            "pandas": lambda v: pd.Series(pd.Categorical(v, SCALE, ordered=True)),
            "index": lambda v: pd.Categorical(v, SCALE, ordered=True),
            "polars": lambda v: pl.Series(v, dtype=pl.Enum(SCALE)),
            "pyarrow": lambda v: pa.array(pd.Categorical(v, SCALE, ordered=True)),
            "pyarrow in chunks": lambda v: pa.chunked_array(
                [pa.array(pd.Categorical(part, SCALE, ordered=True)) for part in (v[:7], v[7:])]
            ),
        }
        unordered = {
            "pandas": lambda v: pd.Series(pd.Categorical(v, SCALE)),
            "polars": lambda v: pl.Series(v, dtype=pl.Categorical),
            "pyarrow": lambda v: pa.array(v).dictionary_encode(),
        }
        return makers, unordered

    def test_an_ordered_categorical_gives_the_order_of_plain_decisions_too(self):
        for make in self.columns()[0].values():
            for truth, decided in ((make(TRUTH), make(DECIDED)), (make(TRUTH), DECIDED), (TRUTH, make(DECIDED))):
                found = th.evaluate(truth, predicted=decided)["predicted"]
                assert found.labels == SCALE
                assert found.estimate(LINEAR).value == pytest.approx(definition("linear"), abs=1e-14)
                got = metrics.cohen_kappa_score(truth, decided, weights="linear")
                assert got == pytest.approx(definition("linear"), abs=1e-14)
            scores = [SCALE.index(a) + 0.1 * i for i, a in enumerate(DECIDED)]
            expected = multiclass.ordinal_volume(TRUTH, scores, order=SCALE)
            assert multiclass.ordinal_volume(make(TRUTH), scores).value == expected.value

    def test_a_categorical_without_an_order_asks_for_one(self):
        for make in self.columns()[1].values():
            with pytest.raises(InputError, match=ASKS):
                th.evaluate(make(TRUTH), predicted=make(DECIDED))["predicted"].estimate(LINEAR)
            with pytest.raises(ValueError, match=ASKS):
                metrics.cohen_kappa_score(make(TRUTH), make(DECIDED), weights="linear")
            with pytest.raises(InputError, match="text labels are unordered"):
                multiclass.ordinal_volume(make(TRUTH), range(15))

    def test_two_orders_that_disagree_are_none(self):
        pd = pytest.importorskip("pandas")
        truth = pd.Categorical(TRUTH, SCALE, ordered=True)
        decided = pd.Categorical(DECIDED, SCALE[::-1], ordered=True)
        with pytest.raises(InputError, match=ASKS):
            th.evaluate(truth, predicted=decided)["predicted"].estimate(LINEAR)

    def test_a_crosstab_of_categoricals_is_in_order(self):
        pd = pytest.importorskip("pandas")
        table = pd.crosstab(pd.Categorical(TRUTH, SCALE, ordered=True), pd.Categorical(DECIDED, SCALE, ordered=True))
        found = th.ConfusionMatrix.from_counts(table).weighted_kappa(weights="linear")
        assert found == pytest.approx(definition("linear"), abs=1e-14)

    @pytest.mark.parametrize("weights", ["linear", "quadratic"])
    def test_scikit_learn_with_labels(self, weights):
        peer = pytest.importorskip("sklearn.metrics").cohen_kappa_score(TRUTH, DECIDED, labels=SCALE, weights=weights)
        assert definition(weights) == pytest.approx(peer, abs=1e-14)
