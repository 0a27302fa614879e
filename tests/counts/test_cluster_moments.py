"""Clusters of counts that are saved and added up: intervals are those of all rows, within the bound that is said."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.counts import ScoreTable, cluster_bins
from thresher.counts.cluster_bins import ClusterBins
from thresher.counts.cluster_moments import clusters_form, clusters_from
from thresher.counts.joint import Axis
from thresher.errors import InputError, SavedFormError
from thresher.inference.auc.clustered import clustered_covariance, error_of_clusters

NAMES = ["a", "b"]


def drawn(seed, clusters=12, *, digits=None):
    """Rows of a day, whose clusters are its own."""
    draws = np.random.default_rng(seed)
    of = draws.integers(0, clusters, 8 * clusters)
    severity = draws.normal(size=clusters)[of]
    y = (severity + draws.normal(size=of.size) > 0.3).astype(int)
    found = {name: severity + y + draws.normal(size=of.size) for name in NAMES}
    found = {name: column if digits is None else np.round(column, digits) for name, column in found.items()}
    return found | {"y": y, "of": of + 1000 * seed, "w": draws.integers(1, 4, of.size)}


def together(days):
    return {name: np.concatenate([day[name] for day in days]) for name in days[0]}


def counted(rows, **options):
    return th.count(rows, NAMES, label="y", pairs=True, **({"cluster": "of"} | options))


def added(days, **options):
    parts = [counted(day, **options) for day in days]
    return sum(parts[1:], parts[0])


def assert_alike(found, want, **near):
    for name in NAMES:
        one, two = found[name].auc, want[name].auc
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high), **near)
        assert (one.method, one.warnings) == (two.method, two.warnings)
    one, two = found.compare(*NAMES), want.compare(*NAMES)
    assert (one.low, one.high, one.p_value) == pytest.approx((two.low, two.high, two.p_value), **near)
    assert one.method == two.method


FREQUENCY = {"weights": "w", "weight_kind": "frequency"}


@pytest.mark.parametrize(
    "options", [{}, FREQUENCY, {"direction": {"a": "higher", "b": "lower"}}], ids=["rows", "weights", "directions"]
)
def test_few_scores_have_the_intervals_of_their_rows(options):
    """Every bin has one score, so that nothing is off."""
    days = [drawn(i, digits=0) for i in range(1, 4)]
    found = added(days, **options)
    assert not found.clusters.slack.any()
    assert found.clusters.sizes[2] == 36
    assert_alike(th.evaluate(found), th.evaluate(counted(together(days), **options)), rel=1e-9)


def test_many_scores_are_within_the_bound_that_is_said(monkeypatch):
    monkeypatch.setattr("thresher.counts.joint.BINS", 64)
    days = [drawn(i, clusters=40) for i in range(1, 4)]
    found, want = added(days).clusters, counted(together(days)).clusters
    bound = error_of_clusters(found)
    ours, theirs = (
        np.sqrt([*np.diag(each), each[0, 0] + each[1, 1] - 2 * each[0, 1]])
        for each in map(clustered_covariance, (found, want))
    )
    assert 0 < np.abs(ours / theirs - 1).max() < bound / (1 - bound)
    assert bound < 0.25
    notes = th.evaluate(added(days)).notes
    assert any(note.startswith("clusters were added up by bins of scores: standard errors") for note in notes)
    assert "Clusters of the 3 counts that were added up are taken as different ones." in notes


def test_saved_counts_have_the_intervals_that_they_had(tmp_path):
    days = [counted(drawn(i)) for i in (1, 2)]
    saved = []
    for i, day in enumerate(days):
        day.save(tmp_path / f"{i}.parquet")
        saved.append(th.Counts.load(tmp_path / f"{i}.parquet"))
        assert_alike(th.evaluate(saved[-1]), th.evaluate(day), rel=1e-12)
    both = saved[0] + saved[1]
    assert both == days[0] + days[1]
    both.save(tmp_path / "both.parquet")
    assert th.Counts.load(tmp_path / "both.parquet") == both


def test_the_sum_does_not_depend_on_the_order_of_scores():
    one, two = (drawn(i, digits=1) for i in (1, 2))
    turned = th.count(two, NAMES[::-1], label="y", pairs=True, cluster="of")
    assert_alike(th.evaluate(counted(one) + turned), th.evaluate(added([one, two])), rel=1e-12)


def test_what_is_not_known_of_clusters_is_no_interval_by_rows(tmp_path):
    """Scores that were put together, and groups of two columns, know that there are clusters, and no more."""
    halves = {"half": np.arange(96) % 2, "third": np.arange(96) % 3}
    both = added([drawn(i) | halves for i in (1, 2)], by=["half", "third"])
    for i, less in enumerate((both.with_least(3), both.only({"half": 0}))):
        less.save(tmp_path / f"{i}.parquet")
        for each in (less, th.Counts.load(tmp_path / f"{i}.parquet"), less + less):
            auc = th.evaluate(each, threshold=0.5)["a"].auc
            assert auc.low is None
            assert "needs the rows" in auc.reason


def test_what_does_not_add_up_is_said(monkeypatch, tmp_path):
    one = counted(drawn(1))
    for other in (one + one, one):
        with pytest.raises(InputError, match="counts without clusters cannot be added"):
            other + counted(drawn(2), cluster=None)
    monkeypatch.setattr(cluster_bins, "MOST", 1000)
    many = counted(drawn(1))
    assert th.evaluate(many)["a"].auc == th.evaluate(one)["a"].auc
    with pytest.raises(InputError, match=r"of 12 clusters \(at most \d add up here\) are not added up"):
        many + many
    with pytest.raises(InputError, match=r"of 12 clusters \(at most \d add up here\) are not saved.* fewer"):
        many.save(tmp_path / "many.parquet")


def test_groups_keep_their_clusters(tmp_path):
    """Sites that are parts, and groups of several parts, have the intervals of their own rows."""
    sites = {f"site {i}": counted(drawn(i, digits=0)) for i in (1, 2)}
    found = th.Counts.of_parts(sites, by="site")
    found.save(tmp_path / "sites.parquet")
    for each in (found, th.Counts.load(tmp_path / "sites.parquet")):
        for name, group in th.evaluate(each).groups.items():
            assert_alike(group, th.evaluate(sites[name]), rel=1e-12)
    days = [drawn(i, digits=0) | {"half": np.arange(96) % 2} for i in (1, 2)]
    summed = th.evaluate(added(days, by="half"))
    for half, group in summed.groups.items():
        rows = {name: column[together(days)["half"] == half] for name, column in together(days).items()}
        assert_alike(group, th.evaluate(counted(rows)), rel=1e-9)


def test_a_group_that_lacks_its_clusters_in_a_part_has_none():
    one, two = (counted(drawn(i) | {"half": np.arange(96) % 2}, by="half") for i in (1, 2))
    lacking = replace(two, group_clusters={(0,): two.group_clusters[0,]})
    for summed in (one + lacking, lacking + one):
        groups = th.evaluate(summed).groups
        assert groups[0]["a"].auc.low is not None
        assert groups[1]["a"].auc.low is None


FAULTS = {
    "cannot be read": [{"names": None}, {"aucs": ["0x1p-1"]}, {"sizes": [1, 2]}, {"second": 3}, {"bins": {"axes": 1}}],
    "not of its scores": [{"names": ["a", "c"]}, {"sizes": [5, 5, 4]}, {"totals": ["nan", "0x1p3"]}, {"parts": 0}],
}


@pytest.mark.parametrize(("said", "fault"), [(said, fault) for said, faults in FAULTS.items() for fault in faults])
def test_forms_that_are_not_theirs_are_refused(said, fault):
    form = json.loads(json.dumps(clusters_form(counted(drawn(1)).clusters)))
    assert clusters_from(form, NAMES).names == tuple(NAMES)
    with pytest.raises(InputError, match=said):
        clusters_from(form | fault, NAMES)
    for bins in ({"codes": [10**9]}, {"sums": [-1.0] * len(form["bins"]["sums"])}, {"axes": form["bins"]["axes"][:1]}):
        with pytest.raises(InputError, match="by bins"):
            clusters_from(form | {"bins": form["bins"] | bins}, NAMES)


def test_a_file_that_was_edited_is_refused(tmp_path):
    path = tmp_path / "c.parquet"
    counted(drawn(1, digits=0)).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"parts": 1', b'"parts": 2'))
    assert path.read_bytes() != whole
    with pytest.raises(SavedFormError, match="changed after it was written"):
        th.Counts.load(path)


bins = st.lists(st.integers(0, 7), min_size=1, max_size=6, unique=True).map(sorted)


@given(bins, bins, st.integers(0, 99))
def test_wider_bins_hold_what_the_narrower_ones_held(one, two, seed):
    draws = np.random.default_rng(seed)
    parts = []
    for starts in (one, two):
        rows = draws.integers(0, 5, (4, 2 * len(starts))).astype(float)
        axis = Axis(starts=np.array(starts, dtype=float), widths=np.ones(len(starts)))
        parts.append(ClusterBins(axes={"a": axis}, second=rows.T @ rows))
    found = parts[0] + parts[1]
    ones = np.ones(len(found.second))
    assert ones @ found.second @ ones == sum(part.second.sum() for part in parts)
    assert (found.second == found.second.T).all()


def test_sums_of_more_rows_than_32_bits_of_a_float_count_are_whole(monkeypatch):
    """They stayed at 2²⁴: one more row was lost in rounding."""
    table = ScoreTable.from_scores([1, 0], [0.9, 0.1])
    binning = cluster_bins.Binning({"s": table})
    labels, places = np.array([True, False]), {"s": np.array([1, 0])}
    for weight in (2.0**24, 11.0):
        binning.add(labels, places, np.array([0, 1]), np.array([weight, weight]))
    assert np.sqrt(np.diag(binning.found().second)).max() == 2**24 + 11
    monkeypatch.setattr(cluster_bins, "MOST", 10)
    full = cluster_bins.Binning({"s": table})
    full.add(labels, places, np.array([0, 1]), None)
    assert full.found() is None


def test_groups_of_files_that_are_merged_apart_keep_their_clusters(tmp_path):
    """`thresher merge --by day` of counts by half: each day has the interval that its own file has."""
    halves = {"half": np.arange(96) % 2}
    days = {f"day {i}": drawn(i, digits=0) | halves for i in (1, 2)}
    apart = th.Counts.of_parts({name: counted(day, by="half") for name, day in days.items()}, by="day")
    apart.save(tmp_path / "c.parquet")
    twice = th.Counts.of_parts({"north": apart}, by="site")
    for found in (apart, th.Counts.load(tmp_path / "c.parquet"), twice.only({"site": "north"}), apart + apart):
        for name, day in days.items() if found.by else ():
            part = found.only({"day": name})
            assert part.clusters.names == ("a", "b")
            if found != apart + apart:
                one, two = (th.evaluate(each)["a"].auc for each in (part, counted(day)))
                assert (one.low, one.high, one.method) == (pytest.approx(two.low), pytest.approx(two.high), two.method)
    assert twice.only({"site": "north"}).clusters == apart.clusters
    assert [key for key in twice.group_clusters if len(key) < 3] == [("north", "day 1"), ("north", "day 2"), ("north",)]
    assert apart.only({"half": 0}).clusters.names == ()


def test_groups_without_sums_of_clusters_are_said(monkeypatch):
    both = [counted(drawn(i) | {"half": np.arange(96) % 2}, by="half") for i in (1, 2)]
    assert not any("groups there are no sums" in each for each in (both[0] + both[1]).remarks)
    monkeypatch.setattr("thresher.evaluation.second_pass.MOST_HELD", 1)
    many = counted(drawn(3) | {"half": np.arange(96) % 2}, by="half")
    for found in (many, both[0] + many):
        assert any(each.startswith("Of 2 of 2 groups there are no sums of clusters") for each in found.remarks)
