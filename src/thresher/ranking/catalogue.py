"""Groups of measures of ranked lists, and the kernel's names of what it computes for them."""

from __future__ import annotations

from thresher.measures import measures

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
