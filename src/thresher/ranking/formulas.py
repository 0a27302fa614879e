"""Measures of ranked lists in one line each, and as rows of the catalogue that `thresher measures` shows."""

from __future__ import annotations

import math
from typing import Any

from thresher.errors import OptionError, UnknownMeasureError
from thresher.ranking.catalogue import ENTRIES, Entry
from thresher.ranking.wanted import wanted

NOTATION = (
    "R: relevant documents of a query, retrieved or not; n: documents retrieved; k: a cut-off; found(k): relevant ones "
    "among the first k"
)

DCG = "Σ over ranks i of gain/log₂(i + 1), gain = relevance"
DCG_EXP = "Σ over ranks i of (2^relevance − 1)/log₂(i + 1)"
FORMULAS = {
    "num_q": "number of queries", "num_ret": "Σ n", "num_rel": "Σ R", "num_rel_ret": "Σ found(n)",
    "num_nonrel_judged_ret": "Σ documents retrieved and judged below the level",
    "num_nonjudged_ret": "Σ documents retrieved and not judged",
    "map": "Σ over relevant ranks i of found(i)/i, over R", "gm_map": "exp(mean of log max(AP, 0.00001))",
    "map_cut": "Σ over relevant ranks i ≤ k of found(i)/i, over R", "Rprec": "found(R)/R",
    "bpref": "Σ over relevant retrieved of 1 − min(judged irrelevant above, R)/min(judged irrelevant, R), over R",
    "gm_bpref": "exp(mean of log max(bpref, 0.00001))", "recip_rank": "1/rank of the first relevant document",
    "recip_rank_cut": "1/rank of the first relevant document if that is at most k, else 0",
    "infAP": "Σ over relevant ranks i of the precision there that the judged sample makes probable, over R",
    "iprec_at_recall": "max of found(i)/i over i with found(i) ≥ ⌊x·R + 0.9⌋",
    "11pt_avg": "mean of iprec_at_recall at 0, 0.1, …, 1", "P": "found(k)/k", "recall": "found(k)/R",
    "F": "2·found(k)/(R + k)", "success": "1 if found(k) > 0, else 0", "relative_P": "found(k)/min(k, R)",
    "Rprec_mult": "found(m)/m at m = ⌊x·R + 0.9⌋", "judged": "judged among the first k, over min(k, n)",
    "ndcg": f"DCG/DCG of the best list; DCG = {DCG}", "ndcg_cut": f"DCG/DCG of the best list, to rank k; DCG = {DCG}",
    "ndcg_exp": f"DCG/DCG of the best list; DCG = {DCG_EXP}",
    "ndcg_exp_cut": f"DCG/DCG of the best list, to rank k; DCG = {DCG_EXP}", "dcg": DCG, "dcg_cut": f"{DCG}, i ≤ k",
    "dcg_exp": DCG_EXP, "dcg_exp_cut": f"{DCG_EXP}, i ≤ k",
    "err": "Σ over ranks i of p_i·Π_{j<i}(1 − p_j)/i, p = (2^relevance − 1)/2^highest relevance",
    "err_cut": "the same, i ≤ k", "rbp": "(1 − p)·Σ over relevant ranks i of p^(i − 1)",
    "rbp_graded": "(1 − p)·Σ over ranks i of relevance/highest·p^(i − 1)", "set_P": "found(n)/n",
    "set_recall": "found(n)/R", "set_F": "(x + 1)·P·recall/(recall + x·P) of all retrieved",
    "set_map": "found(n)²/(n·R)", "set_relative_P": "found(n)/min(n, R)",
    "utility": "a·found + b·(n − found) + c·(R − found) + d·(all other documents)",
    "G": "Σ gain/log₂(2 + how far the list has fallen behind the best one), over all gain",
    "binG": "Σ over relevant ranks of 1/log₂(2 + irrelevant ones above), over R",
    "Rndcg": "mean of NDCG at the ranks where the best list passes to a lower gain",
    "ndcg_rel": "mean of NDCG at the ranks of documents with a gain",
}  # fmt: skip
"""Value of one query, or what is made of all."""

TAKES = {
    "cut": ("k", "cut-offs, as P.10 or P.5,10"), "recall": ("x", "recalls from 0 to 1"),
    "recalls": ("x", "recalls from 0 to 1, whose mean it is"), "multiple": ("x", "multiples of R"),
    "number": ("x", "a number"), "gains": ("gains", "relevance=gain, as ndcg.1=3.5,2=9"),
    "utility": ("a,b,c,d", "four numbers"),
}  # fmt: skip


def ranking_row(entry: Entry) -> dict[str, Any]:
    """A measure of ranked lists as a row of the catalogue.

    >>> row = ranking_row(find_ranking("P.10"))
    >>> row["formula"], row["parameters"]
    ('found(k)/k', {'k': 'cut-offs, as P.10 or P.5,10'})
    """
    low, high = (f"{bound:g}".replace("inf", "∞").replace("-", "−") for bound in entry.bounds)
    takes = dict([TAKES[entry.takes]]) if entry.takes in TAKES else {}
    usual = ", ".join(f"{number:g}" for number in entry.defaults)
    counts = entry.mean == "sum"
    return {
        "name": entry.name,
        "aliases": list(entry.aliases),
        "summary": f"{entry.title[:1].upper()}{entry.title[1:]}. {NOTATION}.",
        "formula": FORMULAS[entry.name],
        "needs": "ranking",
        "parameters": takes,
        "defaults": {name: usual for name in takes if usual},
        "range": f"{low} to {high}",
        "bounds": [bound if math.isfinite(bound) else None for bound in entry.bounds],
        "better": "neither" if counts else "higher",
        "neutral": None,
        "proportion": None,
        "undefined": [],
        "source": entry.source,
    }


def ranking_rows() -> list[dict[str, Any]]:
    """Every measure of ranked lists."""
    return [ranking_row(entry) for entry in ENTRIES]


def find_ranking(name: str) -> Entry | None:
    """The family that a name such as ndcg_cut.10 or nDCG@10 belongs to; None when there is none, or a group of them."""
    try:
        families = {one.entry.name: one.entry for one in wanted(name)}
    except (UnknownMeasureError, OptionError):
        return None
    return next(iter(families.values())) if len(families) == 1 else None
