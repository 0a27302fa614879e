"""What other packages get wrong with several classes, several labels and calibration, through the front door."""

import math

import numpy as np
import pytest

import thresher as th
from thresher.calibration import fit_map
from thresher.errors import InputError, OptionError

RNG = np.random.default_rng(0)
CODES = np.repeat([0, 1], 20)
P = RNG.dirichlet([2, 2, 2], 40)


def test_a_group_that_lacks_a_class_is_shown_and_has_no_difference():
    codes = np.r_[CODES, np.repeat(2, 10)]
    p = np.vstack([P, RNG.dirichlet([2, 2, 2], 10)])
    site = np.where(np.arange(50) < 20, "a", "b")  # the first has class 0 only
    ev = th.evaluate(codes, {"m": p}, labels=[0, 1, 2], by={"site": site})
    assert math.isnan(ev.groups["a"]["m"].hand_till.value)
    assert "fewer than two classes have rows" in ev.groups["a"]["m"].hand_till.reason
    found = ev.compare("m", measure="hand_till", by="site")[0]
    assert not found.is_defined
    assert math.isnan(found.p_value)


def test_posteriors_are_never_renormalized_in_silence():
    with pytest.raises(InputError, match="add up to 2 in row 1"):
        th.evaluate([0, 1, 2], 2 * P[:3])
    found = th.evaluate([0, 1, 2], 2 * P[:3], normalize=True)
    assert any("were divided by their sum" in note for note in found.notes)


def test_a_class_that_is_never_predicted_stays_in_the_mean_as_what_was_stated():
    model = th.evaluate(["a", "b", "c", "a"], predicted=["a", "b", "a", "b"])["predicted"]
    assert model.macro_f1.value == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)
    assert math.isnan(model.macro_precision.value)
    assert "c" in model.macro_precision.reason
    at_zero = th.evaluate(["a", "b", "c", "a"], predicted=["a", "b", "a", "b"], undefined=0.0)["predicted"]
    assert at_zero.macro_precision.value == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)


def test_a_class_named_twice_and_an_identifier_as_label_are_refused():
    with pytest.raises(OptionError, match="twice"):
        th.evaluate([0, 1, 1], P[:3], labels=[0, 1, 1])
    with pytest.raises(InputError, match="looks like an identifier or a score"):
        th.evaluate({"y": np.arange(50_000), "said": np.arange(50_000)}, label="y", predicted="said")


def test_a_label_column_whose_late_values_are_no_0_or_1_is_not_cast(tmp_path):
    """A type guessed from the first rows would read 0.35 as 0."""
    rows = "".join(f"{i % 2},{(i + 1) % 2},0,1\n" for i in range(30_000))
    path = tmp_path / "late.csv"
    path.write_text("tag_a,tag_b,net_a,net_b\n" + rows + "1,0,0.35,0.6\n")
    found = th.evaluate(path, label=["tag_*"], scores="net_")
    assert found.predictions.posteriors["net"][-1].tolist() == [0.35, 0.6]
    path.write_text("tag_a,tag_b,net_a,net_b\n" + rows + "0.35,0,0.35,0.6\n")
    with pytest.raises(InputError, match=r"0\.35 in row 30,001"):
        th.evaluate(path, label=["tag_*"], scores="net_")


def test_scores_that_rank_are_not_clipped_into_probabilities():
    model = th.evaluate([0, 1, 0, 1], {"m": [-2.0, 0.5, -0.3, 1.7]})["m"]
    for name in ("calibration_slope", "ece", "smooth_calibration_error", "brier_score"):
        assert math.isnan(getattr(model, name).value), name


def test_weights_of_ten_and_of_one_give_the_same_calibration():
    y, s = CODES, P[:, 1]
    plain, tenfold = (th.evaluate(y, {"m": s}, weights=w)["m"] for w in (None, np.full(40, 10)))
    for name in ("calibration_slope", "calibration_intercept", "ece", "adaptive_calibration_error"):
        assert getattr(tenfold, name).value == pytest.approx(getattr(plain, name).value), name
    assert fit_map(y, s, weights=np.full(40, 10)).transform(s).tolist() == pytest.approx(fit_map(y, s).transform(s))
