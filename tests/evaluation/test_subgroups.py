"""Subgroups are a mapping, a dataframe and one short line."""

import pickle

import pytest

import thresher as th

Y, S = [1, 0, 1, 0, 1, 0, 1, 1], [0.9, 0.6, 0.4, 0.1, 0.7, 0.8, 0.3, 0.5]


def test_groups_say_their_sizes_in_one_line() -> None:
    groups = th.evaluate(Y, S, by=list("aabbccdd")).groups
    assert repr(groups) == "Subgroups(4 groups: 'a' (2 rows), 'b' (2 rows), 'c' (2 rows), 'd' (2 rows))"
    assert "and 3 more" in repr(th.evaluate(Y, S, by=list("abcdefgh")).groups)
    assert repr(th.evaluate(Y, S).groups) == "Subgroups(0 groups: none)"
    assert not th.evaluate(Y, S).groups


def test_groups_keep_across_pickling() -> None:
    groups = th.evaluate(Y, S, by=list("aabbaabb")).groups
    again = pickle.loads(pickle.dumps(groups))
    assert [again[key].auc for key in again] == [groups[key].auc for key in groups]


@pytest.mark.peer
@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_groups_are_a_dataframe(backend: str) -> None:
    by = {"site": list("aabbaabb"), "sex": list("fmfmfmfm")}
    groups = th.evaluate(Y, S, by=by).groups
    frame = groups.to_frame(["auc", "recall"], backend=backend)
    assert list(frame.columns)[:5] == ["site", "sex", "rows", "model", "measure"]
    assert frame.shape[0] == 2 * len(groups)
    rows = zip(*(frame[name] for name in ("site", "sex", "measure", "value")), strict=True)
    found = {(site, sex): value for site, sex, name, value in rows if name == "true_positive_rate"}
    assert found == pytest.approx({key: part.recall.value for key, part in groups.items()}, nan_ok=True)
