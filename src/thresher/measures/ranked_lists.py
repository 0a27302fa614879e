"""Measures of ranked lists: names, parameters, the kernel's part in each, and groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from thresher._util.fast_dataclass import dataclass
from thresher.conventions import Floats, divide
from thresher.errors import TaskError
from thresher.measures.registry import REQUIRED, Measure, enter, measures

Takes = Literal["nothing", "cut", "recall", "multiple", "number", "gains", "utility", "recalls"]
Mean = Literal["arithmetic", "geometric", "sum"]
Gain = Literal["none", "binary", "linear", "exponential", "stop", "share", "judged"]

NOTATION = (
    "R: relevant documents of a query, retrieved or not; n: documents retrieved; k: a cut-off; found(k): relevant ones "
    "among the first k"
)
TAKES = {
    "cut": ("k", "cut-offs, as P.10 or P.5,10"), "recall": ("x", "recalls from 0 to 1"),
    "recalls": ("x", "recalls from 0 to 1, averaged over"), "multiple": ("x", "multiples of R"),
    "number": ("x", "a number"), "gains": ("gains", "relevance=gain, as ndcg.1=3.5,2=9"),
    "utility": ("a,b,c,d", "four numbers"),
}  # fmt: skip
"""Parameter of a family, and its values."""

LEVEL_FREE = frozenset({"dcg", "ndcg", "expected_reciprocal", "gain", "levels", "at_relevant", "judged", "retrieved"})
"""Kinds that the kernel computes from graded relevance, without a relevance level."""

CUTS = (5.0, 10.0, 15.0, 20.0, 30.0, 100.0, 200.0, 500.0, 1000.0)
RECALLS = tuple(i / 10 for i in range(11))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFormula:
    """Computation of one family: the kernel computes the `kinds`, `combine` makes the value of them.

    `takes` is its parameter and `defaults` the values for the bare name. `mean` is how queries are put together.
    `expected` says that its mean over orders of tied documents is known in closed form.
    """

    kinds: tuple[str, ...]
    takes: Takes = "nothing"
    defaults: tuple[float, ...] = ()
    gain: Gain = "none"
    mean: Mean = "arithmetic"
    expected: bool = True
    combine: Callable[..., Any] | None = None
    summary: str = ""

    @property
    def asks_relevance(self) -> bool:
        """Whether a value depends on the relevance level."""
        return self.gain == "binary" or (self.gain == "none" and not set(self.kinds) <= LEVEL_FREE)

    def __call__(self, *_counts: Any, **_parameters: Any) -> float:
        """Refuse counts: `thresher.rank` reads lists."""
        raise TaskError("a measure of ranked lists is read from them: thresher.rank(qrels, run, measures=…).")


def row(
    name: str,
    title: str,
    text: str,
    *,
    source: str,
    bounds: tuple[float, float] = (0.0, 1.0),
    aliases: tuple[str, ...] = (),
    **how: Any,
) -> Measure:
    """Register a family of measures of ranked lists; `how` are the fields of its `RankedFormula`."""
    formula = RankedFormula(summary=f"{title[:1].upper()}{title[1:]}. {NOTATION}.", **how)
    takes, usual = TAKES.get(formula.takes), ", ".join(f"{number:g}" for number in formula.defaults)
    entry = Measure(
        name=name, title=title, text=text, formula=formula, source=source, bounds=bounds, aliases=aliases,
        needs="ranked lists", group="ranking", better="neither" if formula.mean == "sum" else "higher",
        parameters={takes[0]: usual or REQUIRED} if takes else {}, domains=dict([takes]) if takes else {},
    )  # fmt: skip
    return enter(entry)


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
DCG = "Σ over ranks i of gain/log₂(i + 1), gain = relevance"
DCG_EXP = "Σ over ranks i of (2^relevance − 1)/log₂(i + 1)"

# A row is what is known of one family.
# fmt: off
row("num_q", "queries", "number of queries", kinds=("retrieved",), mean="sum", bounds=COUNTS, combine=np.ones_like,
    source=TREC, aliases=("numq",))
row("num_ret", "documents retrieved", "Σ n", kinds=("retrieved",), mean="sum", bounds=COUNTS, source=TREC,
    aliases=("numret",))
row("num_rel", "relevant documents", "Σ R", kinds=("relevant",), mean="sum", bounds=COUNTS, source=TREC,
    aliases=("numrel",))
row("num_rel_ret", "relevant documents retrieved", "Σ found(n)", kinds=("found",), mean="sum", bounds=COUNTS,
    source=TREC, aliases=("numrelret",))
row("num_nonrel_judged_ret", "documents retrieved and judged not relevant",
    "Σ documents retrieved and judged below the level", kinds=("irrelevant_found",), mean="sum", bounds=COUNTS,
    source=TREC)
row("num_nonjudged_ret", "documents retrieved and not judged", "Σ documents retrieved and not judged",
    kinds=("retrieved", "found", "irrelevant_found"), mean="sum", bounds=COUNTS, combine=_unjudged, source=TREC)
row("map", "mean average precision", "Σ over relevant ranks i of found(i)/i, over R", kinds=("average_precision",),
    source="Harman 1992; " + MSH, aliases=("ap", "average_precision", "mean_average_precision"))
row("gm_map", "geometric mean of average precision", "exp(mean of log max(AP, 0.00001))", kinds=("average_precision",),
    mean="geometric", source="Robertson 2006", aliases=("gmap",))
row("map_cut", "average precision of the first k", "Σ over relevant ranks i ≤ k of found(i)/i, over R",
    kinds=("average_precision",), takes="cut", defaults=CUTS, source=TREC, aliases=("map", "ap", "average_precision"))
row("Rprec", "R-precision", "found(R)/R", kinds=("r_precision",), source=MSH, aliases=("r_precision",))
row("bpref", "binary preference",
    "Σ over relevant retrieved of 1 − min(judged irrelevant above, R)/min(judged irrelevant, R), over R",
    kinds=("bpref",), source=BUCKLEY)
row("gm_bpref", "geometric mean of binary preference", "exp(mean of log max(bpref, 0.00001))", kinds=("bpref",),
    mean="geometric", source=TREC)
row("recip_rank", "reciprocal rank", "1/rank of the first relevant document", kinds=("reciprocal_rank",),
    source="Voorhees 1999", aliases=("mrr", "rr", "reciprocal_rank", "mean_reciprocal_rank"))
row("recip_rank_cut", "reciprocal rank within the first k",
    "1/rank of the first relevant document if that is at most k, else 0", kinds=("reciprocal_rank",), takes="cut",
    defaults=(10.0,), source="Voorhees 1999", aliases=("mrr", "rr", "recip_rank", "reciprocal_rank"))
row("infAP", "inferred average precision",
    "Σ over relevant ranks i of the precision there that the judged sample makes probable, over R", kinds=("inferred",),
    expected=False, source="Yilmaz & Aslam 2006")
row("iprec_at_recall", "interpolated precision at recall", "max of found(i)/i over i with found(i) ≥ ⌊x·R + 0.9⌋",
    kinds=("interpolated",), takes="recall", defaults=RECALLS, expected=False, source=MSH,
    aliases=("iprec", "ircl_prn", "interpolated_precision"))
row("11pt_avg", "mean interpolated precision at recall 0, 0.1, …, 1", "mean of iprec_at_recall at 0, 0.1, …, 1",
    kinds=("interpolated",), takes="recalls", expected=False, source=MSH, aliases=("11_pt_avg", "11-pt_avg"))
row("P", "precision of the first k", "found(k)/k", kinds=("precision",), takes="cut", defaults=CUTS, source=MSH,
    aliases=("precision", "prec"))
row("recall", "recall of the first k", "found(k)/R", kinds=("recall",), takes="cut", defaults=CUTS, source=MSH,
    aliases=("r",))
row("F", "F1 of the first k", "2·found(k)/(R + k)", kinds=("f",), takes="cut", defaults=CUTS,
    source="van Rijsbergen 1979", aliases=("f1", "f_measure"))
row("success", "share of queries with a relevant document among the first k", "1 if found(k) > 0, else 0",
    kinds=("success",), takes="cut", defaults=(1.0, 5.0, 10.0), source=TREC,
    aliases=("hit_rate", "hit", "hits", "hitrate"))
row("relative_P", "precision of the first k over the best there can be", "found(k)/min(k, R)", kinds=("relative",),
    takes="cut", defaults=CUTS, source=TREC, aliases=("rel_p",))
row("Rprec_mult", "precision at multiples of R", "found(m)/m at m = ⌊x·R + 0.9⌋", kinds=("multiple",), takes="multiple",
    defaults=tuple(i / 5 for i in range(1, 11)), source=TREC)
row("judged", "share of the first k retrieved that was judged", "judged among the first k, over min(k, n)",
    kinds=("judged",), takes="cut", defaults=(10.0,), source="MacAvaney et al. 2022")
row("ndcg", "normalized discounted cumulative gain", f"DCG/DCG of the best list; DCG = {DCG}", kinds=("ndcg",),
    takes="gains", gain="linear", source=GAIN)
row("ndcg_cut", "normalized discounted cumulative gain of the first k",
    f"DCG/DCG of the best list, to rank k; DCG = {DCG}", kinds=("ndcg",), takes="cut", defaults=CUTS, gain="linear",
    source=GAIN, aliases=("ndcg",))
row("ndcg_exp", "normalized discounted cumulative gain, gain 2^relevance − 1",
    f"DCG/DCG of the best list; DCG = {DCG_EXP}", kinds=("ndcg",), gain="exponential", source=BURGES)
row("ndcg_exp_cut", "normalized discounted cumulative gain of the first k, gain 2^relevance − 1",
    f"DCG/DCG of the best list, to rank k; DCG = {DCG_EXP}", kinds=("ndcg",), takes="cut", defaults=CUTS,
    gain="exponential", source=BURGES, aliases=("ndcg_exp",))
row("dcg", "discounted cumulative gain", DCG, kinds=("dcg",), takes="gains", gain="linear", bounds=COUNTS, source=GAIN)
row("dcg_cut", "discounted cumulative gain of the first k", f"{DCG}, i ≤ k", kinds=("dcg",), takes="cut", defaults=CUTS,
    gain="linear", bounds=COUNTS, source=GAIN, aliases=("dcg",))
row("dcg_exp", "discounted cumulative gain, gain 2^relevance − 1", DCG_EXP, kinds=("dcg",), gain="exponential",
    bounds=COUNTS, source=BURGES)
row("dcg_exp_cut", "discounted cumulative gain of the first k, gain 2^relevance − 1", f"{DCG_EXP}, i ≤ k",
    kinds=("dcg",), takes="cut", defaults=CUTS, gain="exponential", bounds=COUNTS, source=BURGES, aliases=("dcg_exp",))
row("err", "expected reciprocal rank",
    "Σ over ranks i of p_i·Π_{j<i}(1 − p_j)/i, p = (2^relevance − 1)/2^highest relevance",
    kinds=("expected_reciprocal",), gain="stop", source="Chapelle et al. 2009", aliases=("expected_reciprocal_rank",))
row("err_cut", "expected reciprocal rank within the first k", "the same, i ≤ k", kinds=("expected_reciprocal",),
    takes="cut", defaults=(20.0,), gain="stop", source="Chapelle et al. 2009",
    aliases=("err", "expected_reciprocal_rank"))
row("rbp", "rank-biased precision at persistence p", "(1 − p)·Σ over relevant ranks i of p^(i − 1)", kinds=("biased",),
    takes="number", defaults=(0.8,), gain="binary", source="Moffat & Zobel 2008", aliases=("rank_biased_precision",))
row("rbp_graded", "rank-biased precision at persistence p, gain relevance over the highest",
    "(1 − p)·Σ over ranks i of relevance/highest·p^(i − 1)", kinds=("biased",), takes="number", defaults=(0.8,),
    gain="share", source="Moffat & Zobel 2008")
row("rbp_resid", "residual of rank-biased precision at persistence p",
    "1 − (1 − p)·Σ over judged ranks i of p^(i − 1); 0 where all that was retrieved is judged",
    kinds=("biased", "retrieved", "found", "irrelevant_found"), takes="number", defaults=(0.9,), gain="judged",
    combine=lambda weight, *counts: np.where(_unjudged(*counts) > 0, 1 - weight, 0.0), source="Moffat & Zobel 2008")
row("unj", "share of the first k that was retrieved and not judged",
    "retrieved and not judged among the first k, over k",
    kinds=("judged", "retrieved"), takes="cut", defaults=(5.0, 10.0, 20.0), source=TREC, aliases=("unjudged",),
    combine=lambda judged, retrieved, cut: (1 - judged) * np.minimum(retrieved, cut) / cut)
row("set_P", "precision of all retrieved", "found(n)/n", kinds=("precision",), source=MSH, aliases=("setp",))
row("set_recall", "recall of all retrieved", "found(n)/R", kinds=("recall",), source=MSH, aliases=("setr",))
row("set_F", "F measure of all retrieved, recall x times as important",
    "(x + 1)·P·recall/(recall + x·P) of all retrieved", kinds=("found", "retrieved", "relevant"), takes="number",
    defaults=(1.0,), combine=_set_f, source="van Rijsbergen 1979", aliases=("setf",))
row("set_map", "precision times recall of all retrieved", "found(n)²/(n·R)", kinds=("found", "retrieved", "relevant"),
    combine=lambda found, retrieved, relevant: _ratio(found * found, retrieved * relevant), source=TREC,
    aliases=("setap",))
row("set_relative_P", "precision of all retrieved over the best there can be", "found(n)/min(n, R)",
    kinds=("relative",), source=TREC)
row("utility", "utility a·found + b·false + c·missed + d·rest",
    "a·found + b·(n − found) + c·(R − found) + d·(all other documents)", kinds=("found", "retrieved", "relevant"),
    takes="utility", bounds=(-math.inf, math.inf), source=TREC)
row("G", "normalized gain", "Σ gain/log₂(2 + how far the list has fallen behind the best one), over all gain",
    kinds=("gain",), takes="gains", gain="linear", expected=False, source=TREC)
row("binG", "binary gain", "Σ over relevant ranks of 1/log₂(2 + irrelevant ones above), over R", kinds=("binary_gain",),
    expected=False, source=TREC)
row("Rndcg", "NDCG at the levels of the best list",
    "mean of NDCG at the ranks where the best list passes to a lower gain", kinds=("levels",), takes="gains",
    gain="linear", expected=False, source=TREC)
row("ndcg_rel", "NDCG at the relevant documents", "mean of NDCG at the ranks of documents with a gain",
    kinds=("at_relevant",), takes="gains", gain="linear", expected=False, source=TREC)
# fmt: on


# The places of these names are those of native/ranked_measures.cpp.
KINDS = (
    "precision", "recall", "f", "success", "average_precision", "r_precision", "reciprocal_rank", "bpref", "inferred",
    "interpolated", "multiple", "relative", "dcg", "ndcg", "expected_reciprocal", "biased", "gain", "binary_gain",
    "levels", "at_relevant", "judged", "retrieved", "relevant", "found", "irrelevant_found",
)  # fmt: skip

FLOOR = 1e-5
"""Least value of a query in a geometric mean, which one 0 would make 0 (trec_eval's)."""

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
    "all": tuple(entry.name for entry in measures("ranked lists")),
    "summary": ("map", "gm_map", "Rprec", "bpref", "recip_rank", "ndcg", "ndcg_cut.10", "P.5,10,20", "recall.100,1000",
                "success.1,10"),
}  # fmt: skip
"""Names of several measures, trec_eval's own where it has them."""

GROUPS_10 = {"all_trec": (*GROUPS["all_trec"], "rbp", "rbp_resid", "unj")}
"""Groups that version 10 of trec_eval has otherwise."""

NOT_NUMBERS = {
    "relstring": "it is a text", "runid": "it is a text",
    "prefs": "preference files are another format", "qrels_jg": "judgement-group files are another format",
    "all_prefs": "preference files are another format",
}  # fmt: skip
