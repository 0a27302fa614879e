"""Groups by the first of their values: which begin with the same ones, and the tables of all that do."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

from thresher.counts.scores import ScoreTable
from thresher.counts.table_sums import sum_of

Group = tuple[Hashable, ...]
Tables = Mapping[str, ScoreTable]


def head_of(kept: Sequence[Group], groups: Collection[Group]) -> Group | None:
    """Values that some of the groups, and no others, begin with; None where there are none such.

    >>> groups = [("x", 1), ("x", 2), ("y", 1)]
    >>> head_of(groups[:2], groups), head_of(groups[:1], groups), head_of(groups[1:], groups), head_of(groups, groups)
    (('x',), ('x', 1), None, ())
    """
    head = kept[0]
    while any(key[: len(head)] != head for key in kept):
        head = head[:-1]
    return head if sum(key[: len(head)] == head for key in groups) == len(kept) else None


def heads_of(groups: Collection[Group]) -> set[Group]:
    """Groups, and what these are of by the first columns alone."""
    return {key[:k] for key in groups for k in range(len(key) + 1)}


def tables_under(groups: Mapping[Group, Tables], head: Group) -> dict[str, ScoreTable]:
    """Tables of all groups that begin with these values; none where no group does."""
    inside = [tables for key, tables in groups.items() if key[: len(head)] == head]
    return {name: sum_of([tables[name] for tables in inside]) for name in (inside[0] if inside else ())}


def sum_under(parts: Sequence[tuple[Mapping[Group, Tables], Mapping[Group, Tables]]], head: Group) -> Tables:
    """Sums over parts, each its groups and what is known beyond their sums, of what begins with these values."""
    known = [beyond.get(head, {}) for _, beyond in parts]
    tables = [{**tables_under(groups, head), **own} for (groups, _), own in zip(parts, known, strict=True)]
    named = dict.fromkeys(name for own in known for name in own)
    return {name: sum_of([each[name] for each in tables if name in each]) for name in named}
