"""Facts about boosted trees of LightGBM, XGBoost, CatBoost and scikit-learn's histogram boosting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from thresher.resampling.facts_trees import Tree, of_trees

_SPLIT = re.compile(r"\[(.+?)(?:<|:\{|\])")

Found = Iterator[tuple[str, Any, str]]


def boosted_trees(estimator: Any) -> Found:
    """Facts of boosted trees, from whichever library's attributes the estimator has; nothing when it has none."""
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
    """Shape of a tree from its nested nodes."""
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
    """Trees from the text of each, a line a node, tabs for its level; a linear booster has none."""
    dump = booster.get_dump()
    if dump and "leaf=" in dump[0]:
        yield from of_trees([_of_text(text) for text in dump])


def _of_text(text: str) -> Tree:
    lines = [line for line in text.split("\n") if line.strip()]
    levels = [len(line) - len(line.lstrip("\t")) for line in lines]
    found = [split[1] for line in lines if (split := _SPLIT.search(line))]
    return Tree(sum("leaf=" in line for line in lines), max(levels), frozenset(found))
