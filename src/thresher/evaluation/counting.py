"""`count`: rows become counts, a part at a time; and counts become an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, Literal

from thresher.behind import Behind
from thresher.calls import guarded
from thresher.conventions import Directions, Missing, WeightKind, check_directions
from thresher.counts import Counts, ScoreTable
from thresher.counts.held import PART
from thresher.counts.pairs import ONCE
from thresher.counts.refining import Refining, is_refined
from thresher.counts.rounding import BITS
from thresher.engines.header import decimal_mark
from thresher.errors import InputError, OptionError
from thresher.evaluation.exact_counting import exact_room, exactly, is_coarse
from thresher.evaluation.first_pass import MOST_HELD, Building, Holding
from thresher.evaluation.group_tables import MARGIN, Group, by_group, check_cuts, pair_cuts, room, with_cuts
from thresher.evaluation.kept_parts import KeptParts
from thresher.evaluation.second_pass import SecondPass, placed_in, with_placements
from thresher.sentences import choice, keyword
from thresher.spool import once
from thresher.written import size

Progress = Callable[[float | None, str], None]

USUAL = 10**9
"""Bytes within which the usual number of bins and of rows in hand stays."""

PASSES = 4
"""Times that files are read again at the most, to split the bins that carry most of the bound."""

KEPT = 4
"""Part of the memory that the rows of a stream which comes once may take, to be read again."""

COARSE = 1e-3
"""Tolerance of bins by which such ranges are chosen."""


@once()
@guarded
def count(
    data: Any,
    scores: Any = None,
    *,
    label: str | None = None,
    positive: Hashable | None = None,
    rest: Any = None,
    weights: Any = None,
    weight_kind: WeightKind = "importance",
    by: Any = None,
    cluster: Any = None,
    direction: Directions = "higher",
    missing: Missing = "error",
    decimal: Literal[",", "."] | None = None,
    tolerance: float = 1e-6,
    memory: int | str | None = None,
    pairs: bool = False,
    thresholds: Sequence[float] | Mapping[str, Sequence[float]] = (),
    progress: Progress | None = None,
) -> Counts:
    """Count how the scores of two classes fall, in memory that does not grow with the rows of a file.

    Up to about a million distinct scores are counted exactly; more are counted in bins, whose AUC is known to the
    `error_bound` of each table. Where that is above the tolerance, the bins that carry most of it are split by reading
    the rows again. Counts are saved, add up, and are evaluated by `thresher.evaluate`.

    Args:
        data, scores, label, positive, rest, weights, weight_kind, by, direction, missing, decimal: as
            `thresher.evaluate` takes them; files, lazy frames and streams are read in parts.
        tolerance: how far the AUC may be off; Spark and Dask round scores to 16 significant bits instead (`auc_bound`
            of each table). With 0 distinct scores are counted; where the memory does not hold them,
            but the rows (9 bytes each, 17 with weights), these are put into order, and else what has rows to read again
            is read range by range, so that the AUC, its variance, average precision and what the hull of the ROC tells
            are exact all the same.
        cluster: column of what the rows belong to that are not independent, as `thresher.evaluate` takes it; rows are
            read once more for sums over each, so that AUCs and their differences have intervals by clusters.
        memory: bytes that counts and the rows in hand may take together, about, or text such as "2GB"; 1 GB by
            default. Of a Dask dataframe on each worker; for Spark it is refused, and `progress` for both.
        pairs: read the rows once more, to know how the scores go together, so that they can be compared, and so can
            sums of such counts.
        thresholds: where matrices are wanted, of all scores or by name: bins are cut there, so that these are exact.
        progress: called with (share read or None, text) while files are read.

    Raises:
        InputError: the data cannot be counted as they are; the sentence names the column and the row.
        OptionError: an option has a value that it does not take.

    >>> found = count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    >>> found, found["score"].error_bound
    (Counts(2 1 (positive), 2 0; score), 0.0)
    """
    from thresher.engines import cluster_of
    from thresher.engines.parts import ROWS, comes_once, load_parts
    from thresher.engines.session import machine_memory
    from thresher.evaluation.clusters import check_cluster_options, count_on_cluster
    from thresher.evaluation.partitions import Tabling

    options: dict[str, Any] = {"positive": positive, "rest": rest, "weight_kind": weight_kind}
    options |= {"direction": direction, "missing": missing}
    made: dict[str, Any] = {"tolerance": tolerance, "weight_kind": weight_kind}
    memory = _bytes(memory)
    given = machine_memory() // 2 if memory is None else memory
    for cuts in thresholds.values() if isinstance(thresholds, Mapping) else (thresholds,):
        _check_numbers(cuts)
        ScoreTable.builder(**made, thresholds=cuts)  # refuses what it does not take before anything is read
    check_directions(direction)
    share = 1.0 if memory is None else min(max(memory / USUAL, 1 / 16), 4.0)
    is_weighted = weights is not None and weight_kind == "importance"
    _check_clustered(cluster, is_weighted=is_weighted)
    if cluster_of(data) is not None:
        asked = {"memory": memory, "thresholds": thresholds, "pairs": pairs, "cluster": cluster, "progress": progress}
        check_cluster_options(data, **asked, by=by, weights=weights)
        how = Tabling(BITS if tolerance else None, thresholds, memory)
        columns = {"label": label, "weights": weights, "by": by, "cluster": cluster}
        found = count_on_cluster(data, scores, columns=columns, how=how, pairs=pairs, **options)
        return with_cuts(found, thresholds)
    size = partial(exact_room, memory=given) if tolerance == 0 else partial(room, share=share)
    with decimal_mark(decimal):
        once = comes_once(data, label)
        # Tables of groups are added up in the widest of their bins.
        made["tolerance"] = tolerance / ((MARGIN if once else 1) * (1 if by is None else 2 * MARGIN)) or COARSE
        most = max(int((ROWS if tolerance else PART) * min(share, 1.0)), 2**16)
        options |= {"progress": progress, "most": most}
        building = Building(made, size, thresholds)
        check = partial(_check_once, cluster, building if tolerance == 0 else None, given)
        kept = KeptParts((memory or USUAL) // KEPT, check) if once else KeptParts(-1)
        columns = {"label": label, "weights": weights, "by": by}
        again: Callable[..., Iterator[Any]] = partial(load_parts, data, scores, **columns, **options)
        found = _first_pass(kept.of(again(cluster=cluster)), building if tolerance else Holding(building, given))
        if kept.is_whole:
            once, again = False, kept.again
        check_cuts(thresholds, found)
        found = with_cuts(found, thresholds)
        many = sum(map(len, found.groups.values()))
        if tolerance == 0 and any(is_coarse(table) for named in found.groups.values() for table in named.values()):
            _check_again(many, once=once, memory=given)
            rows = found.read - found.dropped
            tables, whole = exactly(found.groups, again, memory=given, rows=rows, thresholds=thresholds)
            found = replace(found, groups=tables, whole=whole)
        elif tolerance > 0 and not once and many <= MOST_HELD:
            found = replace(found, groups=_refined(found.groups, again, tolerance, room(many, share)["bins"]))
        pairs = pairs and len(found) > 1 and not is_weighted
        if once:
            return replace(found, notes=(*found.notes, ONCE)) if pairs else found
        again = partial(again, cluster=cluster)
        return _placed(found, again, thresholds, pairs=pairs, clustered=None if cluster is None else given)


def _check_numbers(thresholds: Any) -> None:
    """Refuse thresholds of all scores, or of one, that are no list of numbers."""
    is_list = isinstance(thresholds, Iterable) and not isinstance(thresholds, str)
    if not is_list or not all(isinstance(each, Real) for each in thresholds):
        said = ": a list of numbers, such as [0.3], for all scores, or such lists by the name of the score."
        raise OptionError(keyword("thresholds", repr(thresholds)) + said)


def _bytes(memory: int | str | None) -> int | None:
    """Bytes of an amount of memory, which may be text.

    Raises:
        OptionError: it is none.
    """
    try:
        found = size(memory) if isinstance(memory, str) else memory
    except (OverflowError, ValueError):
        found = 0
    if found is not None and found <= 0:
        raise OptionError(keyword("memory", repr(memory)) + ": a number of bytes, or text such as '2GB' or '512MB'.")
    return found


def _first_pass(parts: Iterable[Any], taking: Building | Holding) -> Counts:
    """Counts of rows that come in parts, each of which is counted while the next is read.

    Raises:
        OptionError: the rows have no score of two classes.
    """
    notes: dict[str, None] = {}
    read = dropped = weightless = 0
    with Behind() as behind:
        for rows, without in parts:
            if not rows.scores:
                said = ": counts are of one score of two classes, or of several such."
                raise OptionError(keyword("scores", "…") + said)
            behind(taking.add, rows)
            notes |= dict.fromkeys(rows.notes)
            read, dropped = read + len(rows) + rows.dropped, dropped + rows.dropped
            weightless += without
    groups, whole = taking.finish(read - dropped)
    return Counts(
        groups=groups, whole=whole,
        by=tuple(rows.by), classes=(rows.classes[0], rows.classes[1]), label=rows.label, notes=tuple(notes),
        read=read, dropped=dropped, weightless=weightless,
    )  # fmt: skip


def _placed(found: Counts, again: Callable[[], Any], thresholds: Any, *, pairs: bool, clustered: int | None) -> Counts:
    """Counts that know how the scores of a row go together, or sums of clusters, in one more pass over the rows.

    `clustered` are the bytes that such sums may take.
    """
    if not pairs and clustered is None:
        return found
    tables = placed_in(found, clustered=clustered is not None)
    second = SecondPass(tables, pair_cuts(thresholds, found), pairs=pairs, clustered=clustered)
    with Behind() as behind:
        for rows, _ in again():
            behind(second.add, rows)
    return with_placements(found, second.found(), pairs=pairs)


def _check_once(cluster: Any, exact: Building | None, memory: float) -> None:
    """Refuse what needs to read rows again that come once and are not kept, before more of them come.

    Raises:
        OptionError: they are in clusters.
        InputError: their `exact` tables are in bins by now.
    """
    if cluster is not None:
        why = " reads the rows twice, and these come once, as a stream too long to keep: name a file, or a table."
        raise OptionError(keyword("cluster", "…") + why)
    if exact is not None and exact.is_binned:
        _check_again(1, once=True, memory=memory)


def _check_clustered(cluster: Any, *, is_weighted: bool) -> None:
    """Refuse clusters of rows that cannot be placed in a second pass.

    Raises:
        OptionError: the rows have weights of importance.
    """
    if cluster is not None and is_weighted:
        why = " is for counts that are evaluated, and those of importance weights are not: name "
        raise OptionError(keyword("cluster", "…") + why + choice("weight_kind", "frequency") + ", or keep the rows.")


def _refined(
    given: Mapping[Group, Mapping[str, ScoreTable]], again: Callable[[], Any], tolerance: float, most: int
) -> dict[Group, dict[str, ScoreTable]]:
    """Tables whose bins are split in further passes over the rows until the tolerance holds, or nothing is gained."""
    tables = {key: dict(named) for key, named in given.items()}
    for _ in range(PASSES):
        todo = {
            (key, name): refining
            for key, named in tables.items()
            for name, table in named.items()
            if not is_refined(table, tolerance)
            and (refining := Refining(table, tolerance=tolerance, most=most)).is_possible
        }
        if not todo:
            break
        for rows, _ in again():
            for key, places in by_group(rows):
                weights = None if rows.weights is None else rows.weights[places]
                for name in rows.scores.keys() & {name for each, name in todo if each == key}:
                    todo[key, name].add(rows.truth[places], rows.scores[name][places], weights)
        for (key, name), refining in todo.items():
            tables[key][name] = refining.table()
    return tables


def _check_again(many: int, *, once: bool, memory: float) -> None:
    """Refuse exact counts of more distinct scores than the memory holds where the rows cannot be read range by range.

    Raises:
        InputError: they come once, or are of too many groups.
    """
    if not once and many <= MOST_HELD:
        return
    why = "the rows come once" if once else f"{many:,} tables are too many to be read range by range"
    raise InputError(
        f"the distinct scores take more than the {memory / 1e9:.3g} GB of memory that they may, and {why}, so that "
        f"they cannot be counted exactly: name " + keyword("tolerance", "1e-6") + ", or more "
        + keyword("memory", "…") + (", or a file or a table." if once else ".")
    )  # fmt: skip
