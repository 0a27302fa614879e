"""Tables in the making of every group and score, while rows come in parts."""

from __future__ import annotations

from typing import Any

from thresher.counts import ScoreTable
from thresher.counts.builder import EXACT_ROWS, IN_HAND, ScoreTableBuilder
from thresher.evaluation.group_tables import Group, by_group, check_room, cuts_of
from thresher.predictions import Predictions

LEAST = 2**10
"""Distinct scores that a group keeps exactly, however many groups there are."""

OF_A_ROW = 64
"""Bytes that a row takes, about, while it is put into order with others."""


class Building:
    """Tables in the making; `exact` bytes are for distinct scores that are all kept, if they are."""

    def __init__(self, made: dict[str, Any], thresholds: Any, *, share: float, exact: int | None) -> None:
        self._made, self._thresholds, self._share, self._exact = made, thresholds, share, exact
        self._kept: dict[Group, dict[str, ScoreTableBuilder]] = {}

    def add(self, rows: Predictions) -> None:
        """Count rows in the builder of their group and score.

        Raises:
            InputError: the distinct scores take more memory than they may.
        """
        for key, places in by_group(rows):
            truth, weights = rows.truth[places], None if rows.weights is None else rows.weights[places]
            for name, values in rows.scores.items():
                self._builder(key, name, rows).update(truth, values[places], weights)
        if self._exact is not None:
            check_room(sum(b.nbytes for builders in self._kept.values() for b in builders.values()), self._exact)

    def _builder(self, key: Group, name: str, rows: Predictions) -> ScoreTableBuilder:
        builders = self._kept.setdefault(key, {})
        if name not in builders:
            tables = len(self._kept) * len(rows.scores)
            hand = IN_HAND if self._exact is None else max(self._exact // OF_A_ROW, IN_HAND)
            builders[name] = ScoreTable.builder(
                **self._made, direction=rows.direction_of(name), thresholds=cuts_of(self._thresholds, name),
                exact_rows=max(int(EXACT_ROWS * self._share) // tables, LEAST),
                rows_in_hand=max(int(hand * min(self._share, 1.0)) // tables, LEAST),
            )  # fmt: skip
        return builders[name]

    def tables(self) -> dict[Group, dict[str, ScoreTable]]:
        """Tables by group and score."""
        return {key: {name: b.table() for name, b in builders.items()} for key, builders in self._kept.items()}
