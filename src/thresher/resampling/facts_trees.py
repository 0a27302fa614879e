"""Facts about decision trees, one, many or boosted: leaves, nodes, depth, features used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from thresher._util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """Shape of one tree: leaves, depth (a lone leaf has depth 0), and the features that its splits ask for."""

    leaves: int
    depth: int
    features: frozenset[Any]


def of_trees(trees: Sequence[Tree]) -> Iterator[tuple[str, Any, str]]:
    """Facts of one tree, or of many together; a binary tree of L leaves has 2L − 1 nodes."""
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
    used: frozenset[Any] = frozenset().union(*(tree.features for tree in trees))
    yield "features used", len(used), "features that some split asks for"


def scikit_learn_trees(estimator: Any) -> list[Tree] | None:
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
    if columns is not None:
        asked = np.asarray(columns)[asked]
    return Tree(int(tree.n_leaves), int(tree.max_depth), frozenset(asked.tolist()))


_SPLIT = re.compile(r"\[(.+?)(?:<|:\{|\])")

Found = Iterator[tuple[str, Any, str]]


def boosted_trees(estimator: Any) -> Found:
    """Facts of boosted trees, from whichever library's attributes the estimator has; nothing without them."""
    if hasattr(estimator, "get_booster"):
        yield from _xgboost(estimator.get_booster())
    elif hasattr(estimator, "tree_count_") and hasattr(estimator, "get_tree_leaf_counts"):
        yield "trees", int(estimator.tree_count_), "tree_count_"
        yield "leaves", int(np.sum(estimator.get_tree_leaf_counts())), "get_tree_leaf_counts()"
    elif hasattr(estimator, "n_trees_per_iteration_"):
        yield "iterations", int(estimator.n_iter_), "n_iter_"
        yield "trees", int(estimator.n_iter_ * estimator.n_trees_per_iteration_), "n_iter_ × n_trees_per_iteration_"
    elif hasattr(getattr(estimator, "booster_", None), "dump_model"):
        yield from of_trees(
            [_lightgbm(tree["tree_structure"]) for tree in estimator.booster_.dump_model()["tree_info"]]
        )


def _lightgbm(root: dict[str, Any]) -> Tree:
    leaves, depth, features, waiting = 0, 0, set(), [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        depth = max(depth, level)
        if "split_feature" in node:
            features.add(node["split_feature"])
            waiting += [(node["left_child"], level + 1), (node["right_child"], level + 1)]
        else:
            leaves += 1
    return Tree(leaves, depth, frozenset(features))


def _xgboost(booster: Any) -> Found:
    """Parse XGBoost's text dump: a line a node, tabs for its depth; nothing for a linear booster."""
    dump = booster.get_dump()
    if dump and "leaf=" in dump[0]:
        yield from of_trees([_of_text(text) for text in dump])


def _of_text(text: str) -> Tree:
    lines = [line for line in text.split("\n") if line.strip()]
    levels = [len(line) - len(line.lstrip("\t")) for line in lines]
    found = [split[1] for line in lines if (split := _SPLIT.search(line))]
    return Tree(sum("leaf=" in line for line in lines), max(levels), frozenset(found))
