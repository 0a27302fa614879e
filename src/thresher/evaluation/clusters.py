"""`count` on a cluster: every partition is counted where it lies, and only counts come back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from thresher.counts import Counts
from thresher.engines import cluster_of
from thresher.engines.frame import Roles, check_names, roles
from thresher.engines.over_partitions import over_dask, over_spark
from thresher.engines.parts import check_positive, classes_of
from thresher.engines.spark import count_frame
from thresher.engines.spark_exact import is_on_executors
from thresher.errors import InputError, OptionError
from thresher.evaluation.group_tables import check_cuts
from thresher.evaluation.partitions import Partial, Tabling, added, count_partition
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
        reasons["pairs"] = ABSENT + "Spark counts each score by itself: write the columns as Parquet, and count these"
    for name, why in reasons.items():
        asked = given.get(name)
        if asked is not None and asked is not False:
            raise OptionError(keyword(name, "…") + f" is not for this dataframe: {why}.")


def count_on_cluster(data: Any, scores: Any, *, columns: dict[str, Any], how: Tabling, **options: Any) -> Counts:
    """Counts of a dataframe that lies on a cluster; `columns` are by their roles, the options those of `count`."""
    named = roles(scores=scores, **columns, **dict.fromkeys(("predicted", "probabilities", "fold", "cluster")))
    if not named.scores:
        raise OptionError(keyword("scores", "…") + ": counts are of one score of two classes, or of several such.")
    check_cuts(how.thresholds, named.scores)
    check_names(named.needed, list(data.columns), "the dataframe")
    over = partial(over_spark if cluster_of(data) == "pyspark" else over_dask, data)
    return _of_rows(over, data, named, options, how)


def _of_rows(over: Callable[..., Any], data: Any, found: Roles, options: dict[str, Any], how: Tabling) -> Counts:
    """Counts by Spark's SQL, or by the workers: those of Dask, and of Spark where pairs are counted."""
    how = replace(how, pairs=how.pairs and len(found.scores) > 1)
    if cluster_of(data) != "pyspark" or how.pairs:
        return _counted(partial(over, found.needed), found, options, how)
    cuts = [how.cuts(name) for name in found.scores]
    of_query = {name: value for name, value in options.items() if name != "weight_kind"}
    return count_frame(data, found, resolution=how.resolution, thresholds=cuts, **of_query)


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
        read=whole.read, dropped=whole.dropped, weightless=whole.weightless, pairs=whole.pairs,
    )  # fmt: skip
