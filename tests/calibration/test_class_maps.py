"""Maps of K classes: one class against the rest, divided by the sums; saved forms; and scikit-learn's own."""

import numpy as np
import pytest

from thresher.calibration import fit_classwise, fit_map, fit_temperature, map_from_json
from thresher.calibration.fitting import class_digest


def rows(n=300, k=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)
    p = np.exp(np.eye(k)[codes] + rng.normal(size=(n, k)))
    return codes, p / p.sum(1, keepdims=True), rng.choice([0.5, 1.0, 2.0], n)


@pytest.mark.parametrize("method", ["isotonic", "interpolation", "platt", "logistic", "beta"])
@pytest.mark.parametrize("weighted", [False, True])
def test_each_class_has_its_map_and_a_row_adds_up_to_1(method, weighted):
    codes, p, w = rows()
    w = w if weighted else None
    found = fit_classwise(codes, p, method=method, weights=w)
    test = rows(seed=1)[1]
    maps = [fit_map(codes == k, p[:, k], method=method, weights=w) for k in range(3)]
    for row, got in zip(test, found.transform(test), strict=True):
        each = [float(m.transform([x])[0]) for m, x in zip(maps, row, strict=True)]
        want = [x / sum(each) for x in each] if sum(each) else [1 / 3] * 3
        assert got == pytest.approx(want, abs=1e-12)


def test_a_saved_map_is_the_same_and_keeps_its_labels():
    codes, p, _ = rows()
    found = fit_classwise(codes, p, method="isotonic", labels=["a", "b", 7])
    again = map_from_json(found.to_json())
    assert again == found
    assert again.labels == ("a", "b", "7")
    assert repr(found) == "ClasswiseMap(3 classes, isotonic)"
    assert again.transform(p).tolist() == found.transform(p).tolist()


def test_the_digest_tells_rows_apart():
    codes, p, w = rows()
    assert fit_temperature(codes, p).fitted_on == fit_classwise(codes, p).fitted_on == class_digest(codes, p)
    assert class_digest(codes, p, 2 * w) == class_digest(codes, p, w)
    others = {
        class_digest(codes, p),
        class_digest(codes, p, w),
        class_digest(codes[::-1], p),
        class_digest(codes, p[::-1]),
    }
    assert len(others) == 4


@pytest.mark.peer
@pytest.mark.parametrize(("method", "theirs"), [("isotonic", "isotonic"), ("platt", "sigmoid")])
def test_scikit_learn_agrees(method, theirs):
    calibration = pytest.importorskip("sklearn.calibration")
    from sklearn.datasets import load_wine
    from sklearn.frozen import FrozenEstimator
    from sklearn.naive_bayes import GaussianNB

    X, y = load_wine(return_X_y=True)
    X = X[:, :3]  # so that no class is separated
    model = GaussianNB().fit(X[::3], y[::3])
    fit, test = np.arange(len(y)) % 3 == 1, np.arange(len(y)) % 3 == 2
    peer = calibration.CalibratedClassifierCV(FrozenEstimator(model), method=theirs, ensemble=False, cv=3)
    peer.fit(X[fit], y[fit])
    found = fit_classwise(y[fit], model.predict_proba(X[fit]), method=method)
    want = peer.predict_proba(X[test])
    np.testing.assert_allclose(found.transform(model.predict_proba(X[test])), want, atol=1e-5)
