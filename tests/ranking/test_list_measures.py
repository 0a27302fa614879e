"""Measures of ranked lists: both implementations against textbook definitions and all orders of tied documents."""

from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import brute
from ranking.ranking_definitions import definitions, orders
from shares import examples
from thresher.counts import RankedLists
from thresher.ranking.list_measures import list_measures
from thresher.ranking.values import ListReading, values_of

both = pytest.mark.parametrize("use", brute.IMPLEMENTATIONS, ids=brute.NAMES)
GAINS = {1: 3.5, 3: 0.5}
HIGHEST = 4
DEFINED = definitions(HIGHEST, GAINS)
LINEAR_IN_ORDER = [name for name in DEFINED if list_measures(name)[0].entry.formula.expected]

LISTS = st.lists(st.tuples(st.integers(-2, HIGHEST), st.booleans()), max_size=8)
MORE = st.lists(st.integers(0, HIGHEST), max_size=4)


def lists_of(rows, more):
    """One query with its list and its judgements, some of which were not retrieved."""
    rel = [r for r, _ in rows]
    tied = np.array([same and i > 0 for i, (_, same) in enumerate(rows)], dtype=bool)
    judged = [r for r in rel if r >= 0] + more
    made = RankedLists.from_lists({"q": rel}, {"q": judged})
    return rel, tied, judged, RankedLists(**{name: getattr(made, name) for name in (
        "queries", "starts", "relevance", "judged_starts", "judged")}, tied=tied)  # fmt: skip


@both
@given(rows=LISTS, more=MORE)
def test_every_measure_is_its_definition(use, rows, more):
    rel, _, judged, lists = lists_of(rows, more)
    measures = [list_measures(name)[0] for name in DEFINED]
    with brute.using(use):
        found = values_of(lists, measures, ListReading(highest=HIGHEST))[:, 0]
    for value, (name, definition) in zip(found, DEFINED.items(), strict=True):
        assert value == pytest.approx(definition(rel, judged), rel=1e-12, abs=1e-12), name


@both
@settings(max_examples=examples(60))
@given(rows=LISTS.map(lambda rows: rows[:6]), more=MORE)
def test_expected_values_are_means_over_all_orders_of_tied_documents(use, rows, more):
    rel, tied, judged, lists = lists_of(rows, more)
    measures = [list_measures(name)[0] for name in LINEAR_IN_ORDER]
    with brute.using(use):
        found = values_of(lists, measures, ListReading(highest=HIGHEST, expected=True))[:, 0]
    every = list(orders(rel, tied))
    for value, name in zip(found, LINEAR_IN_ORDER, strict=True):
        want = fmean(DEFINED[name](order, judged) for order in every)
        assert value == pytest.approx(want, rel=1e-10, abs=1e-12), name


@both
def test_measures_without_a_closed_form_are_undefined_over_ties(use):
    _, _, _, lists = lists_of([(1, False), (0, True)], [])
    with brute.using(use):
        names = ["infAP", "iprec_at_recall.0.1", "11pt_avg", "G", "binG", "Rndcg", "ndcg_rel"]
        found = values_of(lists, list_measures(names), ListReading(expected=True))
    assert np.isnan(found).all()


@both
def test_published_values_of_two_lists(use):
    """Manning, Raghavan & Schütze (2008), exercise 8.9's kind: R R N N N N N N R N R N N N R N N N N R of 8."""
    text = "RRNNNNNNRNRNNNRNNNNR"
    rel = [int(letter == "R") for letter in text]
    lists = RankedLists.from_lists({"q": rel}, {"q": [1] * 8 + [0] * 14})
    names = ["P.20", "F.20", "iprec_at_recall.0.25", "iprec_at_recall.0.3333", "map"]
    with brute.using(use):
        found = values_of(lists, list_measures(names), ListReading())[:, 0]
    assert found[0] == pytest.approx(6 / 20)
    assert found[1] == pytest.approx(3 / 7)
    assert found[2] == 1.0
    assert found[3] == pytest.approx(4 / 11)
    assert found[4] == pytest.approx((1 + 1 + 3 / 9 + 4 / 11 + 5 / 15 + 6 / 20) / 8)


@both
def test_gain_published_by_jarvelin_and_kekalainen(use):
    """Their list 3, 2, 3, 0, 0, 1, 2, 2, 3, 0; the discount here is log₂(rank + 1), trec_eval's."""
    rel = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    lists = RankedLists.from_lists({"q": rel})
    with brute.using(use):
        found = values_of(lists, list_measures(["dcg", "dcg_cut.3"]), ListReading(highest=3))[:, 0]
    assert found[0] == pytest.approx(
        3 + 2 / np.log2(3) + 3 / 2 + 1 / np.log2(7) + 2 / 3 + 2 / np.log2(9) + 3 / np.log2(10)
    )
    assert found[1] == pytest.approx(3 + 2 / np.log2(3) + 1.5)


def test_relevance_levels_shift_what_is_relevant():
    lists = RankedLists.from_lists({"q": [1, 2, 0]})
    found = values_of(lists, list_measures(["map", "P.1", "num_rel", "ndcg"]), ListReading(level=2, highest=2))[:, 0]
    assert found[:3].tolist() == [0.5, 0.0, 1.0]
    assert (
        found[3] == values_of(lists, list_measures("ndcg"), ListReading(highest=2))[0, 0]
    )  # gains do not ask for a level


@pytest.mark.slow
@settings(max_examples=examples(30))
@given(st.integers(0, 2**31))
def test_lists_of_many_queries_are_the_same_in_both_implementations_and_any_number_of_threads(seed):
    from thresher.kernel import ranked
    from thresher.kernel.values import ListArrays, WantedArrays

    rng = np.random.default_rng(seed)
    sizes, more = rng.integers(0, 12, 40), rng.integers(0, 5, 40)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    rel = rng.integers(-2, 4, starts[-1]).astype(np.int32)
    tied = rng.random(rel.size) < 0.3
    tied[starts[:-1][sizes > 0]] = False
    known = [np.sort(np.append(rel[a:b][rel[a:b] >= 0], rng.integers(0, 4, m)))[::-1]
             for a, b, m in zip(starts, starts[1:], more, strict=False)]  # fmt: skip
    known_starts = np.concatenate([[0], np.cumsum([part.size for part in known])])
    kinds = np.arange(25, dtype=np.int32)
    gains = np.stack([np.arange(4.0), 2.0 ** np.arange(4) - 1, (2.0 ** np.arange(4) - 1) / 8])
    wanted_arrays = WantedArrays(
        kinds, np.where(kinds == 14, 2, 0).astype(np.int32), rng.integers(0, 6, 25), np.full(25, 0.4), gains
    )
    for expected in (False, True):
        results = []
        for use in brute.IMPLEMENTATIONS:
            with brute.using(use):
                results += [
                    ranked.ranked_measures(ListArrays(starts, rel, tied), known_starts, np.concatenate(known),
                                           wanted_arrays, expected=expected, threads=threads)
                    for threads in (1, 3)
                ]  # fmt: skip
        for other in results[1:]:
            np.testing.assert_allclose(other, results[0], rtol=1e-11, atol=1e-13)
        assert np.array_equal(results[0], results[1])
