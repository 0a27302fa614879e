"""Names of measures: trec_eval's, others', groups, and what is refused."""

import pytest

from thresher.measures import measures
from thresher.measures.ranked_lists import GROUPS, KINDS
from thresher.ranking.list_measures import list_measures


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("map", ["map"]), ("MAP", ["map"]), ("AP", ["map"]), ("AP@10", ["map_cut_10"]), ("P.10", ["P_10"]),
        ("P_10", ["P_10"]), ("P@10", ["P_10"]), ("p@10", ["P_10"]), ("P.5,10", ["P_5", "P_10"]),
        ("precision@3", ["P_3"]), ("recall.1000", ["recall_1000"]), ("R@5", ["recall_5"]), ("ndcg", ["ndcg"]),
        ("nDCG@10", ["ndcg_cut_10"]), ("ndcg_cut_10", ["ndcg_cut_10"]), ("ndcg_cut.3,4", ["ndcg_cut_3", "ndcg_cut_4"]),
        ("ndcg_exp@5", ["ndcg_exp_cut_5"]), ("ndcg.1=3.5,2=9", ["ndcg_1=3.5,2=9"]), ("RR", ["recip_rank"]),
        ("MRR@10", ["recip_rank_cut_10"]), ("recip_rank", ["recip_rank"]), ("Rprec", ["Rprec"]),
        ("Rprec_mult.0.5", ["Rprec_mult_0.50"]), ("iprec_at_recall.0.1", ["iprec_at_recall_0.10"]),
        ("iprec_at_recall_0.10", ["iprec_at_recall_0.10"]), ("iprec_at_recall_1.00", ["iprec_at_recall_1.00"]),
        ("IPrec@0.125", ["iprec_at_recall_0.125"]), ("11pt_avg", ["11pt_avg"]),
        ("11pt_avg.0.2,0.5,0.8", ["11pt_avg_0.2,0.5,0.8"]), ("set_F", ["set_F"]), ("set_F.0.5", ["set_F_0.50"]),
        ("utility", ["utility"]), ("utility.1,-1,0.5,0", ["utility_1,-1,0.5,0"]), ("success.1", ["success_1"]),
        ("hit_rate@10", ["success_10"]), ("RBP(p=0.5)", ["rbp_0.50"]), ("rbp", ["rbp_0.80"]),
        ("P(5)", ["P_5"]), ("P()@5", ["P_5"]), ("ndcg(1=3.5,2=9)", ["ndcg_1=3.5,2=9"]),
        ("rbp.0.95", ["rbp_0.95"]),
        ("err@20", ["err_cut_20"]), ("ERR", ["err"]), ("F1@10", ["F_10"]), ("F.5", ["F_5"]), ("gm_map", ["gm_map"]),
        ("P(rel=2)@5", ["P(rel=2)@5"]), ("P.5,10(rel=2)", ["P(rel=2)@5", "P(rel=2)@10"]), ("AP(rel=2)", ["map(rel=2)"]),
        ("RR(rel=2)@10", ["recip_rank_cut(rel=2)@10"]), ("RBP(rel=2, p=0.5)", ["rbp_0.50(rel=2)"]),
        ("SetF(beta=2)", ["set_F_4.00"]), ("nDCG(dcg='exp-log2')@10", ["ndcg_exp_cut_10"]),
        ("nDCG(dcg='log2')", ["ndcg"]),
        ("nDCG(gains={1: 3, 2: 9.5})@10", ["ndcg_cut(gains={1:3,2:9.5})@10"]), ("nDCG(gains={1=3})", ["ndcg_1=3"]),
        ("unj", ["unj_5", "unj_10", "unj_20"]), ("rbp_resid", ["rbp_resid"]), ("rbp_resid.p=0.5", ["rbp_resid_p=0.5"]),
        ("map P.5,10 nDCG@3", ["map", "P_5", "P_10", "ndcg_cut_3"]), ("average precision", ["map"]),
        ("AP(rel=2), RR(rel=2),11pt_avg", ["map(rel=2)", "recip_rank(rel=2)", "11pt_avg"]),
        ("G", ["G"]), ("binG", ["binG"]), ("dcg_cut.10", ["dcg_cut_10"]), ("dcg", ["dcg"]), ("Rndcg", ["Rndcg"]),
    ],
)  # fmt: skip
def test_a_name_in_its_spellings(given, names):
    assert [one.name for one in list_measures(given)] == names


@pytest.mark.parametrize("version", [9, 10])
def test_a_printed_name_is_read_back(version):
    own = "P(rel=2)@5 map(rel=3) nDCG(gains={1:0.123456789,2:3})@4 rbp_resid.p=0.5 rbp.p=0.3"
    own += " rbp.0.5(rel=2)" if version == 9 else ""  # version 10's has gains, and no level
    for one in list_measures(["all", own], version):
        assert [again.name for again in list_measures(one.name, version)] == [one.name]
        assert list_measures(one.name, version)[0] == one


def test_version_10_has_its_own_persistence():
    assert [one.name for one in list_measures("rbp rbp.p=0.5 rbp_resid", 10)] == ["rbp", "rbp_p=0.5", "rbp_resid"]
    assert list_measures("rbp", 10)[0].numbers == (0.9,)
    assert {one.name for one in list_measures("all_trec", 10)} - {one.name for one in list_measures("all_trec")} == {
        "rbp", "rbp_resid", "unj_5", "unj_10", "unj_20",
    }  # fmt: skip


def test_bare_names_stand_for_trec_evals_usual_parameters():
    assert len(list_measures("official")) == 9 + 11 + 9
    assert [one.name for one in list_measures("iprec_at_recall")][::5] == [
        "iprec_at_recall_0.00", "iprec_at_recall_0.50", "iprec_at_recall_1.00",
    ]  # fmt: skip
    assert [one.cut for one in list_measures("P")] == [5, 10, 15, 20, 30, 100, 200, 500, 1000]


def test_measures_are_named_once():
    assert [one.name for one in list_measures(["map", "AP", "official"])].count("map") == 1


def test_groups_hold_measures_that_there_are():
    for names in GROUPS.values():
        assert list_measures(list(names))
    assert {kind for entry in measures("ranked lists") for kind in entry.formula.kinds} <= set(KINDS)


def test_titles_say_the_parameters():
    titles = {one.name: one.title for one in list_measures(["P.7", "rbp.0.5", "iprec_at_recall.0.3", "Rprec_mult.0.4"])}
    assert titles["P_7"] == "precision of the first 7"
    assert titles["rbp_0.50"].endswith("persistence 0.5")
    assert titles["iprec_at_recall_0.30"] == "interpolated precision at recall 0.3"
    assert titles["Rprec_mult_0.40"] == "precision at 0.4·R"
