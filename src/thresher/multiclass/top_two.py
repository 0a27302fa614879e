"""The two largest p_k/w_k of every row, kept up to date while one weight after the other changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class TopTwo:
    """Classes and values of the largest and second largest in each row; of equal ones the first class leads."""

    classes: int
    first: Codes
    second: Codes
    top: Array
    next: Array

    @classmethod
    def of(cls, table: Array, weights: Array) -> TopTwo:
        """State of all rows."""
        rows = len(table)
        empty = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64), np.zeros(rows), np.zeros(rows)
        state = cls(table.shape[1], *empty)
        state._find(table, weights, np.arange(rows))
        return state

    def without(self, k: int) -> tuple[Array, Codes]:
        """Largest value of the classes other than k in each row, and its class."""
        mine = self.first == k
        return np.where(mine, self.next, self.top), np.where(mine, self.second, self.first)

    def change(self, table: Array, weights: Array, k: int) -> None:
        """Bring up to date the rows that a new weight of class k may change: where it leads, or comes to."""
        value = table[:, k] / weights[k]
        concerned = (self.first == k) | (self.second == k) | (value >= self.next)
        self._find(table, weights, np.flatnonzero(concerned))

    def _find(self, table: Array, weights: Array, rows: Codes) -> None:
        step = max(1, (1 << 22) // self.classes)
        for start in range(0, rows.size, step):
            some = rows[start : start + step]
            values, place = table[some] / weights, np.arange(some.size)
            self.first[some] = first = values.argmax(axis=1)
            self.top[some] = values[place, first]
            values[place, first] = -np.inf
            self.second[some] = second = values.argmax(axis=1)
            self.next[some] = values[place, second]
