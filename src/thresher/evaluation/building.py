"""Tables in the making of every group and score, while rows come in parts."""

from __future__ import annotations

from typing import Any

from thresher.counts import ScoreTable
from thresher.counts.builder import EXACT_ROWS, IN_HAND, ScoreTableBuilder
from thresher.counts.rounding import BITS
from thresher.engines.session import machine_memory
from thresher.evaluation.group_tables import Group, by_group, check_room, cuts_of
from thresher.predictions import Predictions

LEAST = 2**10
"""Distinct scores that a group keeps exactly, however many groups there are."""

MIDDLING = 20
"""Bits up to which the usual rows in hand fill pages of rounded scores."""

OF_A_ROW = 40
"""Bytes that a row takes, about, while it is put into order with others; twice as many if it has a weight."""

USUAL = 10**9
"""Bytes within which the usual number of distinct scores and of rows in hand stays."""


class Building:
    """Tables in the making of rows that come in parts, in so many bytes of memory, or the usual."""

    def __init__(self, made: dict[str, Any], thresholds: Any, memory: int | None) -> None:
        self._made, self._thresholds, self._rows = made, thresholds, 0
        self.share = 1.0 if memory is None else min(max(memory / USUAL, 1 / 16), 4.0)
        """Of the usual memory."""
        resolution = made["resolution"]
        usual = machine_memory() // 2 if resolution == "exact" else USUAL
        self._exact = (memory or usual) if resolution == "exact" else None
        self._hand = (memory or usual) // OF_A_ROW
        if resolution != "exact":
            # Twice as many scores, of each bit more, are filled by twice as many rows.
            self._hand = min(self._hand, int(IN_HAND * min(self.share, 1.0)) << max((resolution or BITS) - MIDDLING, 0))
        self._kept: dict[Group, dict[str, ScoreTableBuilder]] = {}

    def add(self, rows: Predictions) -> None:
        """Count rows in the builder of their group and score.

        Raises:
            InputError: the distinct scores take more memory than they may.
        """
        self._rows += len(rows)
        for key, places in by_group(rows):
            truth, weights = rows.truth[places], None if rows.weights is None else rows.weights[places]
            for name, values in rows.scores.items():
                self._builder(key, name, rows).update(truth, values[places], weights)
        if self._exact is not None:
            held = sum(b.nbytes for builders in self._kept.values() for b in builders.values())
            check_room(held, self._exact, rows=self._rows)

    def _builder(self, key: Group, name: str, rows: Predictions) -> ScoreTableBuilder:
        builders = self._kept.setdefault(key, {})
        if name not in builders:
            tables = len(self._kept) * len(rows.scores)
            builders[name] = ScoreTable.builder(
                **self._made, direction=rows.direction_of(name), thresholds=cuts_of(self._thresholds, name),
                exact_rows=max(int(EXACT_ROWS * self.share) // tables, LEAST),
                rows_in_hand=max(self._hand // tables // (1 if rows.weights is None else 2), LEAST),
            )  # fmt: skip
        return builders[name]

    def tables(self) -> dict[Group, dict[str, ScoreTable]]:
        """Tables by group and score."""
        return {key: {name: b.table() for name, b in builders.items()} for key, builders in self._kept.items()}
