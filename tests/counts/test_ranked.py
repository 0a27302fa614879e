"""`RankedLists`: they add up, are cut, and are saved."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.counts import RankedLists

LISTS = st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(-2, 3), max_size=5), max_size=6)


def with_ties(lists, tied):
    fields = ("queries", "starts", "relevance", "judged_starts", "judged")
    return RankedLists(**{name: getattr(lists, name) for name in fields}, tied=np.array(tied, dtype=bool))


def test_a_relevant_document_that_was_not_retrieved_counts():
    lists = RankedLists.from_lists({"q": [0, 1]}, {"q": [1, 0, 2, -1]})
    assert lists.relevant().tolist() == [2]
    assert lists.relevant(2).tolist() == [1]
    assert lists.judged.tolist() == [2, 1, 0]
    assert lists.highest == 2


@given(LISTS, LISTS)
def test_merged_is_whole(a, b):
    b = {f"{query}2": values for query, values in b.items()}
    whole = RankedLists.from_lists(a | b)
    assert RankedLists.from_lists(a) + RankedLists.from_lists(b) == whole
    assert whole + RankedLists.empty() == whole == RankedLists.empty() + whole


@given(LISTS.filter(bool), st.data())
def test_some_queries_are_what_they_were(lists, data):
    chosen = np.array([data.draw(st.booleans()) for _ in lists])
    kept = {query: lists[query] for query, take in zip(lists, chosen, strict=True) if take}
    assert RankedLists.from_lists(lists).only(chosen) == RankedLists.from_lists(kept)


@given(LISTS)
def test_judged_only_and_the_first_few(lists):
    whole = RankedLists.from_lists(lists)
    judged = {query: [r for r in values if r >= 0] for query, values in lists.items()}
    assert whole.judged_only() == RankedLists.from_lists(judged)
    first = RankedLists.from_lists({query: values[:2] for query, values in lists.items()},
                                   lists)  # fmt: skip
    assert whole.first(2) == first


def test_ties_survive_what_is_taken_out_between_them():
    lists = with_ties(RankedLists.from_lists({"q": [1, -1, 0, -1, 2], "r": [1, 1]}), [0, 1, 1, 0, 1, 0, 1])
    assert lists.judged_only().tied.tolist() == [False, True, False, False, True]
    assert lists.first(1).tied.tolist() == [False, False]


@given(LISTS)
def test_saved_and_pickled_are_equal(lists):
    import tempfile
    from pathlib import Path

    whole = RankedLists.from_lists(lists)
    assert pickle.loads(pickle.dumps(whole)) == whole
    with tempfile.TemporaryDirectory() as folder:
        whole.save(Path(folder) / "lists.parquet")
        assert RankedLists.load(Path(folder) / "lists.parquet") == whole


@given(LISTS)
def test_the_dictionary_has_every_list(lists):
    made = RankedLists.from_lists(lists)
    document = json.loads(json.dumps(made.to_dict()))
    assert {query: one["relevance"] for query, one in document["queries"].items()} == lists
    again = RankedLists.from_lists(
        {query: one["relevance"] for query, one in document["queries"].items()},
        {query: one["judged"] for query, one in document["queries"].items()},
    )
    assert again == made
    assert document["unjudged"] == 0


@pytest.mark.peer
@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_the_frame_has_a_row_for_each_result(library):
    pytest.importorskip(library)
    made = with_ties(RankedLists.from_lists({"q": [2, -1, 0], "none": [], "r": [1]}), [0, 1, 0, 0])
    frame = made.to_frame(library)
    assert list(frame.columns) == ["query", "rank", "relevance", "tied"]
    assert [list(frame[name]) for name in ("query", "rank", "relevance", "tied")] == [
        ["q", "q", "q", "r"], [1, 2, 3, 1], [2, -1, 0, 1], [False, True, False, False],
    ]  # fmt: skip
    assert len(RankedLists.empty().to_frame(library)) == 0
