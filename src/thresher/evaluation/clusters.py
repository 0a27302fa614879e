"""`count` of a dataframe on a cluster: only counts come back, of Dask's partitions, or from Spark's SQL."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from thresher.counts import Counts
from thresher.engines import cluster_of
from thresher.engines.frame import Roles, check_names, roles
from thresher.engines.parts import check_positive, classes_of
from thresher.engines.spark import count_frame
from thresher.errors import InputError, OptionError
from thresher.evaluation.group_tables import check_cuts
from thresher.evaluation.partitions import Partial, Tabling, added, count_partition
from thresher.sentences import keyword

TOGETHER = 8
"""Partial results that are added up at a time, on a worker."""


def check_cluster_options(data: Any, **given: Any) -> None:
    """Refuse options of `count` that a cluster has no use for.

    Raises:
        OptionError: one is given.
    """
    reasons = {"progress": "the cluster shows how far it is by itself"}
    if cluster_of(data) == "pyspark":
        reasons["memory"] = "Spark has memory of its own"
    for name, why in reasons.items():
        if given.get(name) is not None:
            raise OptionError(keyword(name, "…") + f" is not for this dataframe: {why}.")


def count_on_cluster(data: Any, scores: Any, *, columns: dict[str, Any], how: Tabling, **options: Any) -> Counts:
    """Counts of a dataframe that lies on a cluster; `columns` are by their roles, the options those of `count`."""
    named = roles(scores=scores, **columns, **dict.fromkeys(("predicted", "probabilities", "fold", "cluster")))
    if not named.scores:
        raise OptionError(keyword("scores", "…") + ": counts are of one score of two classes, or of several such.")
    check_cuts(how.thresholds, named.scores)
    check_names(named.needed, list(data.columns), "the dataframe")
    if cluster_of(data) != "pyspark":
        return _of_dask(data, named, options, how)
    cuts = [how.cuts(name) for name in named.scores]
    pairs = how.pairs and len(named.scores) > 1
    of_query = {name: value for name, value in options.items() if name != "weight_kind"}
    return count_frame(data, named, resolution=how.resolution, thresholds=cuts, pairs=pairs, **of_query)


def _of_dask(data: Any, found: Roles, options: dict[str, Any], how: Tabling) -> Counts:
    """Counts of the partitions of a Dask dataframe, made and added up where these lie.

    Raises:
        InputError: the data cannot be counted as they are.
    """
    dask: Any = import_module("dask")
    # One task reads a partition and counts it, so that a worker holds one at a time.
    given: dict[str, Any] = {"meta": (None, "object"), "enforce_metadata": False}
    given |= {"found": found, "options": options, "how": how}
    parts = data[list(found.needed)].map_partitions(_of_partition, **given).to_delayed()
    add_up = dask.delayed(partial(added, label=found.label, how=how), pure=True)
    while len(parts) > 1:
        parts = [add_up(parts[i : i + TOGETHER]) for i in range(0, len(parts), TOGETHER)]
    whole: Partial = dask.compute(parts[0])[0]
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


def _of_partition(frame: Any, *, partition_info: Any = None, **asked: Any) -> Partial:
    number = partition_info["number"] + 1
    return count_partition(frame, lambda row: f"row {row + 1:,} of partition {number:,}", **asked)
