"""`count` on a cluster: every partition is counted where it lies, and only counts come back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from thresher.counts import Counts
from thresher.engines import cluster_of
from thresher.engines.frame import Roles, check_names, roles
from thresher.engines.over_partitions import over_dask, over_spark
from thresher.engines.parts import check_positive, classes_of
from thresher.engines.spark import check_decimals, count_frame
from thresher.engines.spark_exact import is_on_executors
from thresher.errors import InputError, OptionError, ThresherError
from thresher.evaluation.group_tables import check_cuts, cuts_of, pair_cuts
from thresher.evaluation.partitions import Partial, Tabling, added, added_places, count_partition, place_partition
from thresher.evaluation.second_pass import placed_in, with_placements
from thresher.sentences import keyword

ABSENT = "this release of thresher cannot be imported where Spark runs, and "


def is_on_workers(data: Any) -> bool:
    """Whether the workers count the partitions of a dataframe: Dask's do, Spark's where thresher is installed."""
    return cluster_of(data) != "pyspark" or is_on_executors(data.sparkSession)


def check_cluster_options(data: Any, **given: Any) -> None:
    """Refuse options of `count` that a cluster has no use for, or Spark where thresher is not on its executors.

    Raises:
        OptionError: one is given.
    """
    reasons = {"progress": "the cluster shows how far it is by itself"}
    if cluster_of(data) == "pyspark":
        reasons["memory"] = "Spark has memory of its own, and tolerance bounds what comes to the driver"
    if not is_on_workers(data):
        if given.get("by") is not None or given.get("weights") is not None:
            reasons["thresholds"] = ABSENT + "Spark counts at thresholds where rows have neither weights nor groups"
        reasons["pairs"] = ABSENT + "Spark counts each score by itself: write the columns as Parquet, and count these"
        reasons["cluster"] = ABSENT + "Spark knows no sums of clusters: write the columns as Parquet, and count these"
    for name, why in reasons.items():
        asked = given.get(name)
        if asked is not None and asked is not False and (name != "thresholds" or len(asked)):
            raise OptionError(keyword(name, "…") + f" is not for this dataframe: {why}.")


def count_on_cluster(
    data: Any, scores: Any, *, columns: dict[str, Any], how: Tabling, pairs: bool, **options: Any
) -> Counts:
    """Counts of a dataframe that lies on a cluster; `columns` are by their roles, the options those of `count`."""
    named = roles(scores=scores, **columns, **dict.fromkeys(("predicted", "probabilities", "fold")))
    if not named.scores:
        raise OptionError(keyword("scores", "…") + ": counts are of one score of two classes, or of several such.")
    check_cuts(how.thresholds, named.scores)
    check_names(named.needed, list(data.columns), "the dataframe")
    over = partial(over_spark if cluster_of(data) == "pyspark" else over_dask, data)
    counts = _of_rows(over, data, replace(named, cluster=None), options, how)
    pairs = pairs and len(counts) > 1 and counts.weight_kind != "importance"
    if not pairs and named.cluster is None:
        return counts
    tables, cuts = placed_in(counts, clustered=named.cluster is not None), pair_cuts(how.thresholds, counts)
    place = partial(place_partition, found=named, options=options, tables=tables, cuts=cuts, pairs=pairs,
                    memory=how.memory)  # fmt: skip
    placed = over(named.needed, place, added_places)
    if isinstance(placed, ThresherError):
        raise placed
    assert placed is not None  # as there are rows, which were counted
    return with_placements(counts, placed, pairs=pairs)


def _of_rows(over: Callable[..., Any], data: Any, found: Roles, options: dict[str, Any], how: Tabling) -> Counts:
    """Counts by Spark's SQL or by workers."""
    on_spark, tolerance, is_there = cluster_of(data) == "pyspark", how.made["tolerance"], is_on_workers(data)
    by_workers, how = not on_spark or (is_there and tolerance > 0), replace(how, remembers=not on_spark)
    in_python = partial(_counted, partial(over, found.needed), found, options, how)
    # Where neither weights nor groups ask for more, SQL takes about half as long as the way to Python.
    if by_workers and (not on_spark or found.by or found.weights is not None):
        if on_spark:
            check_decimals(data, list(found.scores.values()))
        return in_python()
    given = [cuts_of(how.thresholds, name) for name in found.scores]
    cuts = [sorted(set(filter(math.isfinite, map(float, each)))) for each in given]
    try:
        return count_frame(data, found, tolerance=tolerance, thresholds=cuts, is_there=is_there, **options)
    except ThresherError:
        if not by_workers:
            raise
        in_python()  # whose error says in which row of which partition, where one tells
        raise


def _counted(over: Callable[..., Partial | None], found: Roles, options: dict[str, Any], how: Tabling) -> Counts:
    """Counts by the workers, each of its partitions.

    Raises:
        InputError: the data cannot be counted as they are.
    """
    count = partial(count_partition, found=found, options=options, how=how)
    whole = over(count, partial(added, label=found.label, how=how)) or Partial({})
    classes = classes_of(found.label, whole.labels, **options) if whole.labels else (None, None)
    if whole.failure is not None:
        raise whole.failure
    if not whole.tables:
        raise whole.nothing or InputError("there are no rows.")
    check_positive(whole.positive, classes[1], found.label)
    return Counts(
        groups=whole.tables, by=found.by, classes=(classes[0], classes[1]), label=found.label, notes=whole.notes,
        read=whole.read, dropped=whole.dropped, weightless=whole.weightless,
    )  # fmt: skip
