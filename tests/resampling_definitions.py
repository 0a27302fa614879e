"""Estimators in a few lines of NumPy, for tests of resampling without other packages."""
# ruff: noqa: ARG002  estimators take what their interface says

import numpy as np


class NearestNeighbour:
    """1-nearest-neighbour; gives labels only."""

    def fit(self, X, y):
        self.X, self.y = np.asarray(X, dtype=float), np.asarray(y)

    def predict(self, X):
        distance = ((np.asarray(X, dtype=float)[:, None, :] - self.X[None]) ** 2).sum(axis=2)
        return self.y[distance.argmin(axis=1)]


class NearestMean:
    """Class whose mean is nearest, with probabilities from the distances; takes weights and any labels."""

    def fit(self, X, y, sample_weight=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        self.classes_ = np.unique(y)
        self.means = np.array([np.average(X[y == c], axis=0, weights=w[y == c]) for c in self.classes_])
        return self

    def predict_proba(self, X):
        squares = ((np.asarray(X, dtype=float)[:, None, :] - self.means[None]) ** 2).sum(axis=2)
        near = np.exp(-(squares - squares.min(axis=1, keepdims=True)))
        return near / near.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Decision(NearestMean):
    """Same with a decision value in place of probabilities, of two classes."""

    predict_proba = property()

    def decision_function(self, X):
        squares = ((np.asarray(X, dtype=float)[:, None, :] - self.means[None]) ** 2).sum(axis=2)
        return squares[:, 0] - squares[:, 1]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class Always:
    """One label, whatever the rows; or the most frequent one of those learned from."""

    def __init__(self, label=None):
        self.label = label

    def fit(self, X, y):
        values, counts = np.unique(y, return_counts=True)
        self.said = values[counts.argmax()] if self.label is None else self.label

    def predict(self, X):
        return np.array([self.said] * len(X))


class Remembering:
    """Says of each row (known by its first feature) how often it was learned from: 1 if at all."""

    def fit(self, X, y):
        self.known = set(np.asarray(X)[:, 0].tolist())

    def predict(self, X):
        return np.array([int(row in self.known) for row in np.asarray(X)[:, 0].tolist()])


class Drawing:
    """Predicts at random, from its seed."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.random = np.random.default_rng(self.random_state)

    def predict(self, X):
        return self.random.integers(0, 2, len(X))


class Failing:
    """Raises in the fits that are named, counted over all copies."""

    def __init__(self, fails, error=None):
        self.fails, self.error, self.count = fails, error or ValueError("no luck"), [0]

    def __deepcopy__(self, memo):
        return self

    def fit(self, X, y):
        self.count[0] += 1
        if self.count[0] in self.fails:
            raise self.error

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def two_classes(n=60, seed=0, shift=1.0):
    """Rows of two overlapping classes, and their labels 0 and 1."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % 2)
    return random.normal(size=(n, 2)) + shift * y[:, None], y


def three_classes(n=90, seed=1):
    """Rows of three classes named by text."""
    random = np.random.default_rng(seed)
    codes = random.permutation(np.arange(n) % 3)
    return random.normal(size=(n, 2)) + 1.5 * codes[:, None], np.array(["ant", "bee", "cat"])[codes]


def fitted_on(model, X, y, train, test):
    """Predictions of the rows `test` by a copy that learned from the rows `train`."""
    import copy

    made = copy.deepcopy(model)
    made.fit(X[train], y[train])
    return made.predict(X[test])


def scored(value, error, quantile):
    """Where (x − v)² = q²·e²·x(1 − x)/(v(1 − v)): the two roots, the lower first."""
    c = (quantile * error) ** 2 / (value * (1 - value))
    return tuple(sorted(np.roots([1 + c, -2 * value - c, value**2]).tolist()))
