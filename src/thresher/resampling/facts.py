"""Size and shape of a fitted estimator: leaves, depth, coefficients, support vectors, trees.

Facts for judging how well a model can be read. Each is counted from a documented attribute of the estimator, found
by its name, so that no library needs to be installed; hidden facts are not estimated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher.errors import InputError
from thresher.results import Shown

INNER = ("best_estimator_", "estimator_", "regressor_")
"""Attributes with the wrapped estimator of a fitted estimator."""

MEMBERS = ("estimators_", "calibrated_classifiers_")
"""Attributes with several estimators."""


Read = Callable[[Any], Any]


class Fact(NamedTuple):
    """One fact: its name in words, a number or a short text, and the counted unit."""

    name: str
    value: int | float | str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts(Shown):
    """Facts about one fitted estimator, and about its members where it holds several that are not trees.

    `facts["leaves"]` is a value; `name` in `facts` tells whether it was revealed. `wrapped` are the names of the
    estimators around the described one, such as a pipeline's earlier steps.

    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> model = NearestMean().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.coef_ = np.array([[0.0, 2.5]])
    >>> model_facts(model)["non-zero coefficients"]
    1
    """

    name: str
    facts: tuple[Fact, ...]
    wrapped: tuple[str, ...] = ()
    members: Mapping[str, ModelFacts] | None = None
    note: str | None = None

    def __getitem__(self, name: str) -> int | float | str:
        found = [fact.value for fact in self.facts if fact.name == name]
        if not found:
            revealed = ", ".join(repr(fact.name) for fact in self.facts) or "nothing"
            raise KeyError(f"{self.name} does not reveal {name!r}; it reveals {revealed}")
        return found[0]

    def __contains__(self, name: object) -> bool:
        return any(fact.name == name for fact in self.facts)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def rows(self, part: str = "") -> Iterator[tuple[str, Fact]]:
        """Every fact with the part that it belongs to, members after their whole."""
        yield from ((part, fact) for fact in self.facts)
        for name, member in (self.members or {}).items():
            yield from member.rows(f"{part}.{name}" if part else name)

    def to_dict(self) -> dict[str, Any]:
        """Facts by name, members by theirs, as JSON types."""
        form: dict[str, Any] = {"name": self.name, "wrapped": list(self.wrapped), "note": self.note}
        members = {name: member.to_dict() for name, member in (self.members or {}).items()}
        return form | {"facts": {fact.name: fact.value for fact in self.facts}, "members": members}

    def columns(self) -> dict[str, Any]:
        """One row a fact: part, fact, value (NaN for a text), text, and the counted unit."""
        parts, facts = zip(*self.rows(), strict=True) if any(self.rows()) else ((), ())
        return {
            "part": list(parts),
            "fact": [fact.name for fact in facts],
            "value": np.array([np.nan if isinstance(f.value, str) else f.value for f in facts], dtype=float),
            "text": [_shown(fact.value) for fact in facts],
            "about": [fact.about for fact in facts],
        }

    def __str__(self) -> str:
        return "\n".join(self._lines(0))

    def _lines(self, depth: int) -> Iterator[str]:
        yield "  " * depth + " → ".join([*self.wrapped, self.name])
        width, indent = max((len(fact.name) for fact in self.facts), default=0), "  " * (depth + 1)
        yield from (f"{indent}{fact.name.ljust(width)}  {_shown(fact.value)}" for fact in self.facts)
        if self.note:
            yield indent + self.note
        for name, member in (self.members or {}).items():
            yield f"{indent}{name}:"
            yield from member._lines(depth + 2)


def model_facts(estimator: Any, *, name: str | None = None) -> ModelFacts:
    """Facts that a fitted estimator reveals, read from its documented attributes.

    Trees and their ensembles: trees, leaves, nodes, depth, features used (scikit-learn, LightGBM, XGBoost, CatBoost).
    Linear models: coefficients, those that are not 0, features used. Support vector machines: support vectors, in all
    and by class. Nearest neighbors: rows stored. Networks: layers and weights. Naive Bayes: parameters. For all:
    features and classes seen when fitting. Pipelines and searches are unwrapped; voting, stacking, bagging of
    non-trees, calibration and one-vs-rest show their members.

    Raises:
        InputError: the estimator is not fitted.

    >>> from thresher.resampling.nearest_mean import NearestMean
    >>> print(model_facts(NearestMean().fit([[0.0], [1.0]], [0, 1])))
    NearestMean
      classes  2
      it reveals nothing about its size or shape
    """
    wrapped, inner = _unwrapped(estimator)
    if not _is_fitted(inner):
        raise InputError(f"{type(inner).__name__} is not fitted: facts are read from a fitted estimator.")
    found, members = tuple(_facts(inner)), _members(inner) or None
    is_mute = not members and {fact.name for fact in found} <= {"features", "classes", "iterations"}
    note = "it reveals nothing about its size or shape" if is_mute else None
    return ModelFacts(name=name or type(inner).__name__, facts=found, wrapped=wrapped, members=members, note=note)


def _unwrapped(estimator: Any) -> tuple[tuple[str, ...], Any]:
    wrapped: list[str] = []
    while True:
        steps = getattr(estimator, "steps", None)
        is_template = any(hasattr(estimator, name) for name in MEMBERS)  # then what it holds is a template of members
        found = [one for name in INNER if hasattr(one := getattr(estimator, name, None), "predict")]
        inner = None if is_template or not found else found[0]
        if isinstance(steps, list) and steps and hasattr(estimator, "named_steps"):
            wrapped += [type(step).__name__ for _, step in steps[:-1] if step not in (None, "passthrough")]
            estimator = steps[-1][1]
        elif inner is not None:
            wrapped.append(type(estimator).__name__)
            estimator = inner
        else:
            return tuple(wrapped), estimator


def _is_fitted(estimator: Any) -> bool:
    """Return whether the estimator has fitted attributes, which end in an underscore."""
    if hasattr(estimator, "__sklearn_is_fitted__"):
        return bool(estimator.__sklearn_is_fitted__())
    own = [name for name in getattr(estimator, "__dict__", {}) if name.endswith("_") and not name.startswith("_")]
    return bool(own) or any(_reads(estimator, name) for name in ("booster_", "tree_count_", "classes_"))


def _reads(estimator: Any, name: str) -> bool:
    """Return whether a property can be read; LightGBM's raise their own errors before the fit."""
    try:
        return getattr(estimator, name, None) is not None
    except Exception:
        return False


def _facts(estimator: Any) -> Iterator[Fact]:
    trees = _scikit_learn_trees(estimator)
    found = list(_boosted_trees(estimator) if trees is None else _of_trees(trees))
    found += [(name, read(estimator), about or key) for key, name, read, about in READ if hasattr(estimator, key)]
    for name, value, about in found:
        if value is not None:
            yield Fact(name, value.item() if isinstance(value, np.generic) else value, about)


def _members(estimator: Any) -> dict[str, ModelFacts]:
    held = next((getattr(estimator, name) for name in MEMBERS if hasattr(estimator, name)), None)
    if held is None or _scikit_learn_trees(estimator) is not None:
        return {}
    names = [str(name) for name, _ in getattr(estimator, "estimators", None) or ()]
    parts = [inner for inner in np.ravel(np.asarray(held, dtype=object)) if inner not in (None, "drop")]
    parts = [getattr(inner, "estimator", inner) if hasattr(inner, "calibrators") else inner for inner in parts]
    labels = names if len(names) == len(parts) else [str(i + 1) for i in range(len(parts))]
    last = getattr(estimator, "final_estimator_", None)
    named = [*zip(labels, parts, strict=True), *([] if last is None else [("final estimator", last)])]
    return {label: model_facts(part) for label, part in named}


def _coefficients(estimator: Any) -> Any:
    found = estimator.coef_
    return np.atleast_2d(found.toarray() if hasattr(found, "toarray") else np.asarray(found))


def _by_class(estimator: Any) -> str | None:
    counts, classes = np.atleast_1d(estimator.n_support_), getattr(estimator, "classes_", ())
    if not len(classes) == len(counts) > 1:
        return None
    return ", ".join(f"{label}: {count:,}" for label, count in zip(classes, counts, strict=True))


def _parameters(*tables: str) -> Read:
    def count(estimator: Any) -> int:
        found = [getattr(estimator, name) for name in tables if hasattr(estimator, name)]
        return sum(np.size(part) for table in found for part in (table if isinstance(table, list) else [table]))

    return count


def _layers(estimator: Any) -> str:
    weights = [np.shape(layer) for layer in estimator.coefs_]
    return " → ".join(map(str, [weights[0][0], *(shape[1] for shape in weights)]))


def _iterations(estimator: Any) -> int | None:
    found = estimator.n_iter_
    # With boosted trees the number of trees says it.
    has_any = found is not None and np.size(found) and not hasattr(estimator, "n_trees_per_iteration_")
    return int(np.max(found)) if has_any else None


READ: tuple[tuple[str, str, Read, str], ...] = (
    ("coef_", "coefficients", lambda e: _coefficients(e).size, ""),
    ("coef_", "non-zero coefficients", lambda e: np.count_nonzero(_coefficients(e)), ""),
    ("coef_", "features used", lambda e: np.count_nonzero(_coefficients(e).any(axis=0)),
     "columns of coef_ that are not all 0"),
    ("n_support_", "support vectors", lambda e: int(np.sum(e.n_support_)), ""),
    ("n_support_", "support vectors by class", _by_class, ""),
    ("shape_fit_", "training rows", lambda e: e.shape_fit_[0] if hasattr(e, "n_support_") else None, ""),
    ("n_samples_fit_", "rows stored", lambda e: e.n_samples_fit_, ""),
    ("n_samples_fit_", "neighbors", lambda e: getattr(e, "n_neighbors", None), "n_neighbors"),
    ("theta_", "parameters", _parameters("theta_", "var_", "class_prior_"), "theta_, var_ and class_prior_"),
    ("feature_log_prob_", "parameters", _parameters("feature_log_prob_", "class_log_prior_"),
     "feature_log_prob_ and class_log_prior_"),
    ("coefs_", "layers", _layers, "shapes of coefs_"),
    ("coefs_", "weights", lambda e: sum(np.size(layer) for layer in (*e.coefs_, *e.intercepts_)),
     "coefs_ and intercepts_"),
    ("n_iter_", "iterations", _iterations, "n_iter_, the largest"),
    ("n_features_in_", "features", lambda e: e.n_features_in_, "n_features_in_: columns that it was fitted to"),
    ("classes_", "classes", lambda e: len(e.classes_) if np.ndim(e.classes_) == 1 else None, ""),
)  # fmt: skip
"""Attribute, fact, how it is read (None: hidden), and the counted unit where it is not the attribute alone."""


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


class Tree(NamedTuple):
    """Shape of one tree: leaves, depth (a lone leaf has depth 0), and the features that its splits ask for."""

    leaves: int
    depth: int
    features: frozenset[Any]


Found = Iterator[tuple[str, Any, str]]


def _of_trees(trees: Sequence[Tree]) -> Found:
    """Yield facts of one tree, or of many together."""
    leaves, depths = [tree.leaves for tree in trees], [tree.depth for tree in trees]
    if len(trees) == 1:
        yield "leaves", leaves[0], "leaves of the tree"
        yield "depth", depths[0], "longest path from the root to a leaf, in splits"
    else:
        yield "trees", len(trees), "trees of the ensemble"
        yield "leaves", sum(leaves), "leaves of all trees"
        if trees:
            yield "leaves a tree", float(np.mean(leaves)), "mean over the trees"
            yield "depth", max(depths), "deepest tree: longest path from the root to a leaf, in splits"
            yield "mean depth", float(np.mean(depths)), "mean over the trees of their depth"
    yield (
        "features used",
        len(frozenset().union(*(tree.features for tree in trees))),
        "features that some split asks for",
    )


def _scikit_learn_trees(estimator: Any) -> list[Tree] | None:
    """Trees of a scikit-learn tree, forest or boosting; None for other estimators."""
    if hasattr(estimator, "tree_"):
        return [_shape(estimator.tree_)]
    held = getattr(estimator, "estimators_", None)
    if held is None or not len(held):
        return None
    members = list(np.ravel(np.asarray(held, dtype=object)))
    if not all(hasattr(member, "tree_") for member in members):
        return None
    # Bagging may show each tree a part of the columns, which it numbers from 0.
    columns: Iterable[Any] = getattr(estimator, "estimators_features_", None) or [None] * len(members)
    return [_shape(member.tree_, seen) for member, seen in zip(members, columns, strict=True)]


def _shape(tree: Any, columns: Any = None) -> Tree:
    asked = np.unique(tree.feature[tree.children_left != tree.children_right])
    used = asked if columns is None else np.asarray(columns)[asked]
    return Tree(int(tree.n_leaves), int(tree.max_depth), frozenset(used.tolist()))


def _boosted_trees(estimator: Any) -> Found:
    """Yield facts of boosted trees, from the attributes of whichever library; nothing without them."""
    if hasattr(estimator, "get_booster"):
        dump = estimator.get_booster().get_dump()
        if dump and "leaf=" in dump[0]:  # a linear booster has no trees
            yield from _of_trees([_xgboost(text) for text in dump])
    elif hasattr(estimator, "tree_count_") and hasattr(estimator, "get_tree_leaf_counts"):
        yield "trees", int(estimator.tree_count_), "tree_count_"
        yield "leaves", int(np.sum(estimator.get_tree_leaf_counts())), "get_tree_leaf_counts()"
    elif hasattr(estimator, "n_trees_per_iteration_"):
        yield "iterations", int(estimator.n_iter_), "n_iter_"
        yield "trees", int(estimator.n_iter_ * estimator.n_trees_per_iteration_), "n_iter_ × n_trees_per_iteration_"
    elif hasattr(getattr(estimator, "booster_", None), "dump_model"):
        info = estimator.booster_.dump_model()["tree_info"]
        yield from _of_trees([_lightgbm(tree["tree_structure"]) for tree in info])


def _lightgbm(node: dict[str, Any]) -> Tree:
    if "split_feature" not in node:
        return Tree(1, 0, frozenset())
    a, b = _lightgbm(node["left_child"]), _lightgbm(node["right_child"])
    return Tree(a.leaves + b.leaves, 1 + max(a.depth, b.depth), a.features | b.features | {node["split_feature"]})


_SPLIT = re.compile(r"\[(.+?)(?:<|:\{|\])")


def _xgboost(text: str) -> Tree:
    """Read a tree of XGBoost's text dump: a line a node, tabs for its depth."""
    lines = [line for line in text.split("\n") if line.strip()]
    levels = [len(line) - len(line.lstrip("\t")) for line in lines]
    found = [split[1] for line in lines if (split := _SPLIT.search(line))]
    return Tree(sum("leaf=" in line for line in lines), max(levels), frozenset(found))
