"""Facts about decision trees, one or many: leaves, nodes, depth, features used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


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
    """Trees of a scikit-learn tree, forest or boosting; None when the estimator is none of these."""
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
