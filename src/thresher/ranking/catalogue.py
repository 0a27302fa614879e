"""Every measure of a ranked list: what it is called, what it takes, and what the kernel computes for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher.conventions import divide

Floats = NDArray[np.float64]
Takes = Literal["nothing", "cut", "recall", "multiple", "number", "gains", "utility", "recalls"]
Mean = Literal["arithmetic", "geometric", "sum"]
Gain = Literal["none", "binary", "linear", "exponential", "stop", "share"]

# The places of these names are those of native/ranked_measures.cpp.
KINDS = (
    "precision", "recall", "f", "success", "average_precision", "r_precision", "reciprocal_rank", "bpref", "inferred",
    "interpolated", "multiple", "relative", "dcg", "ndcg", "expected_reciprocal", "biased", "gain", "binary_gain",
    "levels", "at_relevant", "judged", "retrieved", "relevant", "found", "irrelevant_found",
)  # fmt: skip

CUTS = (5.0, 10.0, 15.0, 20.0, 30.0, 100.0, 200.0, 500.0, 1000.0)
RECALLS = tuple(i / 10 for i in range(11))
FLOOR = 1e-5
"""Least value of a query in a geometric mean, which one 0 would make 0 (trec_eval's)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One family of measures. `kinds` are what the kernel computes, `combine` makes the value of them.

    `takes` is its parameter and `defaults` those that the bare name stands for. `mean` is how queries are put together.
    `expected` says that its mean over orders of tied documents is known in closed form. `per_query` is False where a
    value of one query is not shown (the geometric means).
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    source: str
    takes: Takes = "nothing"
    defaults: tuple[float, ...] = ()
    gain: Gain = "none"
    mean: Mean = "arithmetic"
    bounds: tuple[float, float] = (0.0, 1.0)
    expected: bool = True
    aliases: tuple[str, ...] = ()
    combine: Callable[..., Any] | None = None


def _ratio(a: Any, b: Any) -> Floats:
    return np.asarray(np.where(np.asarray(b) > 0, divide(a, np.where(np.asarray(b) > 0, b, 1.0)), 0.0))


def _set_f(found: Floats, retrieved: Floats, relevant: Floats, number: float) -> Floats:
    precision, recall = _ratio(found, retrieved), _ratio(found, relevant)
    return _ratio((number + 1) * precision * recall, recall + number * precision)


def _unjudged(retrieved: Floats, found: Floats, irrelevant: Floats) -> Floats:
    return np.asarray(retrieved - found - irrelevant)


COUNTS = (0.0, math.inf)
BUCKLEY = "Buckley & Voorhees 2004"
GAIN = "Järvelin & Kekäläinen 2002"
BURGES = "Burges et al. 2005"
TREC = "trec_eval"
MSH = "Manning, Raghavan & Schütze 2008"

# An entry stays a row or two.
# fmt: off
ENTRIES = (
    Entry(name="num_q", title="queries", kinds=("retrieved",), mean="sum", bounds=COUNTS, source=TREC,
          combine=np.ones_like, aliases=("numq",)),
    Entry(name="num_ret", title="documents retrieved", kinds=("retrieved",), mean="sum", bounds=COUNTS, source=TREC,
          aliases=("numret",)),
    Entry(name="num_rel", title="relevant documents", kinds=("relevant",), mean="sum", bounds=COUNTS, source=TREC,
          aliases=("numrel",)),
    Entry(name="num_rel_ret", title="relevant documents retrieved", kinds=("found",), mean="sum", bounds=COUNTS,
          source=TREC, aliases=("numrelret",)),
    Entry(name="num_nonrel_judged_ret", title="documents retrieved and judged not relevant",
          kinds=("irrelevant_found",), mean="sum", bounds=COUNTS, source=TREC),
    Entry(name="num_nonjudged_ret", title="documents retrieved and not judged", mean="sum", bounds=COUNTS,
          kinds=("retrieved", "found", "irrelevant_found"), combine=_unjudged, source=TREC),
    Entry(name="map", title="mean average precision", kinds=("average_precision",), source="Harman 1992; " + MSH,
          aliases=("ap", "average_precision", "mean_average_precision")),
    Entry(name="gm_map", title="geometric mean of average precision", kinds=("average_precision",), mean="geometric",
          source="Robertson 2006", aliases=("gmap",)),
    Entry(name="map_cut", title="average precision of the first k", kinds=("average_precision",), takes="cut",
          defaults=CUTS, source=TREC, aliases=("map", "ap", "average_precision")),
    Entry(name="Rprec", title="R-precision", kinds=("r_precision",), source=MSH, aliases=("r_precision",)),
    Entry(name="bpref", title="binary preference", kinds=("bpref",), source=BUCKLEY),
    Entry(name="gm_bpref", title="geometric mean of binary preference", kinds=("bpref",), mean="geometric",
          source=TREC),
    Entry(name="recip_rank", title="reciprocal rank", kinds=("reciprocal_rank",), source="Voorhees 1999",
          aliases=("mrr", "rr", "reciprocal_rank", "mean_reciprocal_rank")),
    Entry(name="recip_rank_cut", title="reciprocal rank within the first k", kinds=("reciprocal_rank",), takes="cut",
          defaults=(10.0,), source="Voorhees 1999", aliases=("mrr", "rr", "recip_rank", "reciprocal_rank")),
    Entry(name="infAP", title="inferred average precision", kinds=("inferred",), expected=False,
          source="Yilmaz & Aslam 2006"),
    Entry(name="iprec_at_recall", title="interpolated precision at recall", kinds=("interpolated",), takes="recall",
          defaults=RECALLS, expected=False, source=MSH, aliases=("iprec", "ircl_prn", "interpolated_precision")),
    Entry(name="11pt_avg", title="mean interpolated precision at recall 0, 0.1, …, 1", kinds=("interpolated",),
          takes="recalls", expected=False, source=MSH, aliases=("11_pt_avg", "11-pt_avg")),
    Entry(name="P", title="precision of the first k", kinds=("precision",), takes="cut", defaults=CUTS, source=MSH,
          aliases=("precision", "prec")),
    Entry(name="recall", title="recall of the first k", kinds=("recall",), takes="cut", defaults=CUTS, source=MSH,
          aliases=("r",)),
    Entry(name="F", title="F1 of the first k", kinds=("f",), takes="cut", defaults=CUTS,
          source="van Rijsbergen 1979", aliases=("f1", "f_measure")),
    Entry(name="success", title="share of queries with a relevant document among the first k", kinds=("success",),
          takes="cut", defaults=(1.0, 5.0, 10.0), source=TREC, aliases=("hit_rate", "hit", "hits", "hitrate")),
    Entry(name="relative_P", title="precision of the first k over the best there can be", kinds=("relative",),
          takes="cut", defaults=CUTS, source=TREC, aliases=("rel_p",)),
    Entry(name="Rprec_mult", title="precision at multiples of R", kinds=("multiple",), takes="multiple",
          defaults=tuple(i / 5 for i in range(1, 11)), source=TREC),
    Entry(name="judged", title="share of the first k retrieved that was judged", kinds=("judged",), takes="cut",
          defaults=(10.0,), source="MacAvaney et al. 2022"),
    Entry(name="ndcg", title="normalized discounted cumulative gain", kinds=("ndcg",), takes="gains", gain="linear",
          source=GAIN),
    Entry(name="ndcg_cut", title="normalized discounted cumulative gain of the first k", kinds=("ndcg",), takes="cut",
          defaults=CUTS, gain="linear", source=GAIN, aliases=("ndcg",)),
    Entry(name="ndcg_exp", title="normalized discounted cumulative gain, gain 2^relevance − 1", kinds=("ndcg",),
          gain="exponential", source=BURGES),
    Entry(name="ndcg_exp_cut", title="normalized discounted cumulative gain of the first k, gain 2^relevance − 1",
          kinds=("ndcg",), takes="cut", defaults=CUTS, gain="exponential", source=BURGES, aliases=("ndcg_exp",)),
    Entry(name="dcg", title="discounted cumulative gain", kinds=("dcg",), takes="gains", gain="linear", bounds=COUNTS,
          source=GAIN),
    Entry(name="dcg_cut", title="discounted cumulative gain of the first k", kinds=("dcg",), takes="cut",
          defaults=CUTS, gain="linear", bounds=COUNTS, source=GAIN, aliases=("dcg",)),
    Entry(name="dcg_exp", title="discounted cumulative gain, gain 2^relevance − 1", kinds=("dcg",),
          gain="exponential", bounds=COUNTS, source=BURGES),
    Entry(name="dcg_exp_cut", title="discounted cumulative gain of the first k, gain 2^relevance − 1", kinds=("dcg",),
          takes="cut", defaults=CUTS, gain="exponential", bounds=COUNTS, source=BURGES, aliases=("dcg_exp",)),
    Entry(name="err", title="expected reciprocal rank", kinds=("expected_reciprocal",), gain="stop",
          source="Chapelle et al. 2009", aliases=("expected_reciprocal_rank",)),
    Entry(name="err_cut", title="expected reciprocal rank within the first k", kinds=("expected_reciprocal",),
          takes="cut", defaults=(20.0,), gain="stop", source="Chapelle et al. 2009",
          aliases=("err", "expected_reciprocal_rank")),
    Entry(name="rbp", title="rank-biased precision at persistence p", kinds=("biased",), takes="number",
          defaults=(0.8,), gain="binary", source="Moffat & Zobel 2008", aliases=("rank_biased_precision",)),
    Entry(name="rbp_graded", title="rank-biased precision at persistence p, gain relevance over the highest",
          kinds=("biased",), takes="number", defaults=(0.8,), gain="share", source="Moffat & Zobel 2008"),
    Entry(name="set_P", title="precision of all retrieved", kinds=("precision",), source=MSH, aliases=("setp",)),
    Entry(name="set_recall", title="recall of all retrieved", kinds=("recall",), source=MSH, aliases=("setr",)),
    Entry(name="set_F", title="F measure of all retrieved, recall x times as important", source="van Rijsbergen 1979",
          kinds=("found", "retrieved", "relevant"), takes="number", defaults=(1.0,), combine=_set_f,
          aliases=("setf",)),
    Entry(name="set_map", title="precision times recall of all retrieved", kinds=("found", "retrieved", "relevant"),
          combine=lambda f, n, r: _ratio(f * f, n * r), source=TREC, aliases=("setap",)),
    Entry(name="set_relative_P", title="precision of all retrieved over the best there can be", kinds=("relative",),
          source=TREC),
    Entry(name="utility", title="utility a·found + b·false + c·missed + d·rest", takes="utility", source=TREC,
          kinds=("found", "retrieved", "relevant"), bounds=(-math.inf, math.inf)),
    Entry(name="G", title="normalized gain", kinds=("gain",), takes="gains", gain="linear", expected=False,
          source=TREC),
    Entry(name="binG", title="binary gain", kinds=("binary_gain",), expected=False, source=TREC),
    Entry(name="Rndcg", title="NDCG at the levels of the best list", kinds=("levels",), takes="gains", gain="linear",
          expected=False, source=TREC),
    Entry(name="ndcg_rel", title="NDCG at the relevant documents", kinds=("at_relevant",), takes="gains",
          gain="linear", expected=False, source=TREC),
)
# fmt: on

BY_NAME = {entry.name: entry for entry in ENTRIES}

OFFICIAL = (
    "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall",
    "P",
)  # fmt: skip
GROUPS: dict[str, tuple[str, ...]] = {
    "official": OFFICIAL,
    "set": ("num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P", "set_recall",
            "set_map", "set_F"),
    "all_trec": (
        *OFFICIAL[:9], "gm_bpref", "infAP", "iprec_at_recall", "11pt_avg", "P", "relative_P", "recall", "success",
        "map_cut", "ndcg", "ndcg_cut", "ndcg_rel", "Rndcg", "G", "binG", "Rprec_mult", "num_nonrel_judged_ret",
        "set_P", "set_relative_P", "set_recall", "set_map", "set_F", "utility",
    ),
    "all": tuple(BY_NAME),
    "summary": ("map", "gm_map", "Rprec", "bpref", "recip_rank", "ndcg", "ndcg_cut.10", "P.5,10,20", "recall.100,1000",
                "success.1,10"),
}  # fmt: skip
"""Names of several measures, trec_eval's own where it has them."""

NOT_NUMBERS = {
    "relstring": "it is a text", "runid": "it is a text",
    "prefs": "preference files are another format", "qrels_jg": "judgement-group files are another format",
    "all_prefs": "preference files are another format",
}  # fmt: skip
