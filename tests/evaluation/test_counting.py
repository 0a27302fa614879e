"""Counts: the same numbers as the rows, whatever they were read from, in how many parts, in whichever order."""

import json
import math
import pickle
from dataclasses import replace

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import thresher as th
from thresher.analysis.comparisons import pairwise
from thresher.counts import Counts, ScoreTable
from thresher.counts.hidden import rows_at
from thresher.engines.parts import load_parts
from thresher.errors import InputError, OptionError, SavedFormError
from thresher.evaluation.counted_rows import predictions_of
from thresher.evaluation.counting import _placed

RNG = np.random.default_rng(7)
N = 300
ROWS = {
    "y": RNG.integers(0, 2, N),
    "a": RNG.integers(0, 40, N) / 40,
    "b": RNG.normal(0, 1, N).round(1),
    "site": np.array(["north", "south", "west"])[RNG.integers(0, 3, N)],
    "w": RNG.integers(0, 4, N),
}
FREQUENCY = {"weights": "w", "weight_kind": "frequency"}


def taken(rows, where):
    return {name: column[where] for name, column in rows.items()}


@pytest.mark.parametrize("options", [{}, FREQUENCY], ids=["rows", "frequency"])
def test_counts_are_evaluated_as_the_rows_are(options):
    counts = th.count(ROWS, ["a", "b"], label="y", **options)
    rows = th.evaluate(ROWS, scores=["a", "b"], label="y", **options)
    for name in ("a", "b"):
        found = th.evaluate(counts, name)[name]
        for measure in ("auc", "average_precision", "ks"):
            one, other = found.estimate(measure), rows[name].estimate(measure)
            assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-9)
        assert found.at(0.5).counts.tolist() == rows[name].at(0.5).counts.tolist()
        assert found.choose(cost_fp=1, cost_fn=5).threshold == rows[name].choose(cost_fp=1, cost_fn=5).threshold
    recall, other = (e["a"].recall for e in (th.evaluate(counts, "a"), rows))
    assert (recall.value, recall.low, recall.high) == pytest.approx((other.value, other.low, other.high))


def test_groups_are_counted_apart():
    counts = th.count(ROWS, "a", label="y", by="site")
    rows = th.evaluate(ROWS, scores="a", label="y", by="site")
    found = th.evaluate(counts)
    assert set(counts.groups) == {("north",), ("south",), ("west",)}
    assert list(found.groups) == list(rows.groups)
    for key in rows.groups:
        assert found.groups[key]["a"].auc.value == pytest.approx(rows.groups[key]["a"].auc.value)
    assert ROWS["y"].sum() == counts["a"].P


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file of several batches, sorted by label, with all that a count takes; and its columns."""
    path = tmp_path_factory.mktemp("large") / "p.parquet"
    query = (
        "SELECT CASE WHEN range < 200000 THEN 'well' ELSE 'ill' END AS y, (range * 7919) % 1000 / 1000 AS a, "
        "(range * 31) % 17 AS b, ['north', 'south'][1 + range % 2] AS site, range % 3 AS w FROM range(300000)"
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 50000)")
        return str(path), connection.execute(f"SELECT * FROM '{path}'").fetchnumpy()


def test_files_are_counted_in_parts(large, monkeypatch):
    path, columns = large
    named = {"label": "y", "positive": "ill", "by": "site"}
    assert len(list(load_parts(path, ["a", "b"], label="y", positive="ill", most=100_000))) > 1
    monkeypatch.setattr("thresher.engines.parts.ROWS", 100_000)
    for options in ({}, FREQUENCY):
        in_memory = th.count(columns, ["a", "b"], **named, **options)
        from_file = th.count(path, ["a", "b"], **named, **options)
        assert from_file == in_memory
        assert from_file.classes == ("well", "ill")
        assert from_file.remarks == (("100,000 rows of weight 0 left out.",) if options else ())


def test_labels_that_come_late_are_not_guessed_at(large, monkeypatch):
    path, _ = large
    monkeypatch.setattr("thresher.engines.parts.ROWS", 100_000)
    with pytest.raises(OptionError, match="positive"):
        th.count(path, "a", label="y")


@given(st.lists(st.integers(0, 2), min_size=N, max_size=N), st.sampled_from([{}, FREQUENCY]))
def test_parts_add_up_to_the_whole(place, options):
    place = np.array(place)
    named = {"label": "y", "by": "site", "positive": 1, **options}
    some = [place == i for i in range(3) if (ROWS["w"][place == i] > 0 if options else place == i).any()]
    parts = [th.count(taken(ROWS, rows), ["a", "b"], **named) for rows in some]
    whole = th.count(ROWS, ["a", "b"], **named)
    total = sum(parts[1:], parts[0])
    assert {k: dict(t) for k, t in total.groups.items()} == {k: dict(t) for k, t in whole.groups.items()}
    assert (total.read, total["a"].P) == (whole.read, whole["a"].P)


def test_missing_values_are_said_once(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a\n1,0.5\n0,\n,0.2\n0,0.1\n", encoding="utf-8")
    with pytest.raises(InputError, match="row 3"):
        th.count(str(path), "a", label="y")
    found = th.count(str(path), "a", label="y", missing="drop")
    assert (found.read, found.dropped, found.remarks) == (4, 2, ("2 of 4 rows lack a value and are not counted.",))


def test_counts_are_saved_whole(tmp_path):
    for options in ({}, {"by": "site"}, FREQUENCY, {"weights": "w"}, {"direction": "lower"}):
        counts = th.count(ROWS, ["a", "b"], label="y", **options)
        counts.save(tmp_path / "c.counts.parquet")
        back = Counts.load(tmp_path / "c.counts.parquet")
        assert back == counts
        assert pickle.loads(pickle.dumps(counts)) == counts
        assert back.notes == counts.notes
        assert (back.direction, back.weight_kind) == (counts.direction, counts.weight_kind)


def test_bins_are_saved_with_their_widths(tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.evaluation.group_tables.EXACT_ROWS", 16)
    monkeypatch.setattr("thresher.evaluation.group_tables.LEAST", 8)
    monkeypatch.setattr("thresher.evaluation.group_tables.BINS", 32)
    counts = th.count(ROWS, "b", label="y", tolerance=1e-3)
    assert counts["b"].binned
    counts.save(tmp_path / "c.parquet")
    assert Counts.load(tmp_path / "c.parquet") == counts
    exact, found = th.evaluate(ROWS, scores="b", label="y"), th.evaluate(counts)
    assert abs(found["b"].auc.value - exact["b"].auc.value) <= counts["b"].error_bound
    assert any("Known to: ROC AUC ±" in note for note in found.notes)


def test_what_wide_bins_leave_open_is_said():
    """Rows whose bin begins at 0 may have any log loss."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    counts = th.count(y, np.round(0.3 + 0.3 * y + rng.normal(0, 0.1, 400), 6).clip(0, 1)).with_least(60)
    found = th.evaluate(counts)
    (note,) = (note for note in found.notes if "Known to" in note)
    assert "Not known within any bound: log loss." in note
    assert "log loss ±" not in note


def edited(path, change):
    """Columns of a file of counts, one of them changed, under its old metadata."""
    with duckdb.connect() as connection:
        note = connection.execute(
            f"SELECT decode(value) FROM parquet_kv_metadata('{path}') WHERE decode(key) = 'thresher'"
        ).fetchall()[0][0]
        other = path.with_name("edited.parquet")
        connection.execute(
            f"COPY (SELECT * REPLACE ({change}) FROM '{path}') TO '{other}' "
            "(FORMAT parquet, KV_METADATA {thresher: '" + note.replace("'", "''") + "'})"
        )
    return other


@pytest.mark.parametrize("change", ["positive + 1 AS positive", "-score AS score", "1::DOUBLE AS width"])
def test_counts_that_were_edited_are_refused(tmp_path, change):
    path = tmp_path / "c.parquet"
    th.count(ROWS, "a", label="y").save(path)
    with pytest.raises(SavedFormError, match="changed after it was written"):
        Counts.load(edited(path, change))


def test_counts_of_another_version_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("thresher.counts.collected.SCHEMA", 99)
    th.count(ROWS, "a", label="y").save(tmp_path / "c.parquet")
    monkeypatch.undo()
    with pytest.raises(SavedFormError, match="schema 99"):
        Counts.load(tmp_path / "c.parquet")


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("cell", [1, 2, 10, 60])
def test_no_small_cell_is_given_away(direction, cell):
    counts = th.count(ROWS, ["a", "b"], label="y", direction=direction)
    found = counts.with_least(cell)
    for name, table in found.items():
        for column in (table.positive, table.negative):
            assert ((column == 0) | (column >= cell)).all()
        before = counts[name]
        assert (table.P, table.N) == (before.P, before.N)
        # Every bin is called after its last score, so the matrix there is that of the rows.
        for score in table.scores:
            assert table.at(score).counts.tolist() == before.at(score).counts.tolist()
        value, exact = (th.evaluate(each, name)[name].auc.value for each in (found, counts))
        assert abs(value - exact) <= table.error_bound + 1e-12
    again = found + found
    assert again["a"].P == 2 * counts["a"].P


def hospital(seed, n=4000):
    """Rows of a hospital, with two groups, and a score in [0, 1]."""
    draws = np.random.default_rng(seed)
    y = (draws.random(n) < 0.3).astype(int)
    return {"y": y, "s": 1 / (1 + np.exp(-draws.normal(1.2 * y, 1.0))), "sex": draws.integers(0, 2, n)}


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_bins_of_several_sites_and_groups_are_put_together_at_the_same_scores(direction):
    """Each had edges of its own, so that the sum of two had nine bins, and that of groups a single one."""
    options = {"label": "y", "direction": direction}
    sites = [th.count(hospital(i), "s", **options).with_least(10) for i in range(3)]
    alone = max(site["s"].error_bound for site in sites)
    assert alone < 0.01
    whole = sites[0] + sites[1] + sites[2]
    assert whole["s"].error_bound < 2 * alone
    exact = sum((th.count(hospital(i), "s", **options) for i in range(1, 3)), th.count(hospital(0), "s", **options))
    values = [th.evaluate(each)["s"].auc.value for each in (whole, exact)]
    assert abs(values[0] - values[1]) <= whole["s"].error_bound
    counts, alone = (th.count(hospital(0), "s", **by, **options) for by in ({"by": "sex"}, {}))
    groups = counts.with_least(10)
    assert groups["s"] == alone.with_least(10)["s"]  # twice as coarse when each group was cut for itself
    for tables in groups.groups.values():
        assert tables["s"].error_bound < 0.02
        assert set(tables["s"].scores) <= set(groups["s"].scores)


def known_range(given, side):
    """Smallest and largest count of every group in every bin of all rows that no table that is given away excludes."""
    total, tables = given["s"], [each["s"] for each in given.groups.values()]
    many, sign = total.scores.size, 1.0 if total.direction == "higher" else -1.0
    rows, sums = [], []
    for bin_, count in enumerate(getattr(total, side)):
        rows.append([at % many == bin_ for at in range(many * len(tables))])
        sums.append(count)
    for k, table in enumerate(tables):
        starts = (sign * table.scores)[::-1]
        inside = table.scores.size - np.searchsorted(starts, sign * total.scores, side="right")
        for bin_, count in enumerate(getattr(table, side)):
            rows.append([at // many == k and inside[at % many] == bin_ for at in range(many * len(tables))])
            sums.append(count)
        rows.append([at // many == k and inside[at % many] == table.scores.size for at in range(many * len(tables))])
        sums.append(0)
    equal = {"A_eq": np.array(rows, dtype=float), "b_eq": np.array(sums, dtype=float)}
    for at in range(many * len(tables)):
        cost = np.eye(many * len(tables))[at]
        yield round(linprog(cost, **equal).fun), round(-linprog(-cost, **equal).fun)


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize(("seed", "thresholds"), [(0, ()), (1, ()), (2, (0.33,)), (3, (0.33, 1.25, 9.0))])
def test_the_difference_of_all_rows_and_groups_gives_no_small_cell_away(seed, thresholds, direction):
    """Whatever follows of a group's count in a bin of all rows: 0, or so many, or a range as wide."""
    draws = np.random.default_rng(seed)
    n, cell = 150, 3
    y = draws.integers(0, 2, n)
    rows = {"y": y, "s": np.round(draws.normal(y, 1.0), 1), "g": draws.choice(4, n, p=[0.4, 0.25, 0.2, 0.15])}
    given = th.count(rows, "s", label="y", by="g", direction=direction, thresholds=thresholds).with_least(cell)
    assert given["s"].scores.size > max(each["s"].scores.size for each in given.groups.values()) > 1
    for side in ("positive", "negative"):
        for table in (given["s"], *(each["s"] for each in given.groups.values())):
            count = getattr(table, side)
            assert ((count == 0) | (count >= cell)).all()
        for low, high in known_range(given, side):
            assert high - low >= cell or (low == high and (low == 0 or low >= cell))


def simplest(low, high):
    """Multiple of the largest power of two that is above `low` and at most `high`, by trying each."""
    return next(
        math.floor(high / 2.0**k) * 2.0**k for k in range(60, -1075, -1) if math.floor(high / 2.0**k) * 2.0**k > low
    )


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("draw", [lambda r: r.random(700), lambda r: r.normal(0, 9, 700), lambda r: -r.random(700)])
@pytest.mark.parametrize("tolerance", [0, 1e-3])
def test_bins_do_not_end_at_the_score_of_one_row(draw, direction, tolerance):
    """The least and the greatest score of every bin were its ends, each of a single person."""
    draws = np.random.default_rng(4)
    scores, away = draw(draws), 1 if direction == "higher" else -1
    counts = th.count(draws.integers(0, 2, 700), scores, direction=direction, tolerance=tolerance)
    table = counts.with_least(10)["score"]
    low, turned = away * table.scores, np.sort(away * scores)[::-1]
    ends = np.cumsum(table.positive + table.negative).astype(int)
    assert table.scores.size > 10
    for below, (edge, upper) in enumerate(zip(low[:-1], ends[:-1], strict=True)):
        assert turned[upper] < edge <= turned[upper - 1]
        if not tolerance:
            assert edge == simplest(turned[upper], turned[upper - 1])
            assert low[below + 1] + table.widths[below + 1] == pytest.approx(edge, rel=1e-15)
    for end in (low[-1], low[0] + table.widths[0]):
        assert (
            end == 0
            or math.log2(abs(end)) == pytest.approx(round(math.log2(abs(end))), abs=1e-12)
            or (abs(end) < 1e-300)
        )
    assert low[0] + table.widths[0] > turned[0]
    assert low[-1] <= turned[-1]


def test_scores_of_many_rows_stay_scores():
    draws = np.random.default_rng(4)
    scores = np.append(draws.integers(1, 6, 900), [0.5, 0.6])  # and two of a row each
    table = th.count(draws.integers(0, 2, 902), scores).with_least(10)["score"]
    assert table.scores.tolist() == [5, 4, 3, 2, 0]
    assert table.widths.tolist() == [0, 0, 0, 0, 2]


def test_bins_of_all_rows_beside_those_of_groups_are_saved_and_add_up(tmp_path):
    given = [th.count(hospital(i), "s", label="y", by="sex").with_least(10) for i in range(2)]
    given[0].save(tmp_path / "c.parquet")
    again = Counts.load(tmp_path / "c.parquet")
    assert again == given[0]
    assert again["s"] == given[0]["s"]
    assert again["s"].error_bound < min(each["s"].error_bound for each in again.groups.values()) / 2
    both, sums = again + given[1], given[0]["s"] + given[1]["s"]
    assert both["s"] == sums
    assert th.evaluate(again)["s"].auc == th.evaluate(th.count(hospital(0), "s", label="y").with_least(10))["s"].auc


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_thresholds_stay_edges_where_the_least_count_allows_it(direction):
    """0.3 was no edge any more, and a matrix without false positives was given as that at 0.3."""
    options = {"label": "y", "direction": direction, "thresholds": [0.3, 0.61, 0.98]}
    given = {by: th.count(hospital(0), "s", by=by, **options) for by in (None, "sex")}
    for exact in given.values():
        found = exact.with_least(10)
        assert found.thresholds == {"s": (0.3, 0.61)}
        (said,) = found.notes
        of = "bins of 10 rows of a class or more"
        assert said == f"The threshold 0.98 of s is no edge of {of}: decisions there are not known."
        tables = [(found["s"], exact["s"]), *((found.groups[key]["s"], exact.groups[key]["s"]) for key in found.groups)]
        for table, whole in tables:
            for column in (table.positive, table.negative):
                assert ((column == 0) | (column >= 10)).all()
            for at in (0.3, 0.61):
                assert table.at(at).counts.tolist() == whole.at(at).counts.tolist()
                assert rows_at(table, at) == (0, 0)
    both = found + th.count(hospital(1), "s", by="sex", **options).with_least(10)
    assert both.with_least(50).thresholds == both.thresholds == {"s": (0.3, 0.61)}
    # A threshold beyond all scores cuts nothing; one that is known of all rows may not be of a small group.
    assert th.count(hospital(0), "s", label="y", thresholds=[1.5]).with_least(10).thresholds == {"s": (1.5,)}
    few = th.count(hospital(0) | {"of": np.arange(4000) // 80}, "s", label="y", by="of", thresholds=[0.3]).with_least(
        10
    )
    assert few.thresholds == {"s": (0.3,)}
    lost = [group["s"] for group in th.evaluate(few).groups.values() if group["s"].threshold is None]
    assert lost
    assert all("the threshold 0.3 lies inside of a bin" in model.recall.reason for model in lost)
    assert all(math.isnan(model.recall.value) for model in lost)


def test_sums_of_least_counts_are_not_cut_again(tmp_path):
    """Groups were cut anew, at the edges that all of them had: an AUC known to ±0.02 was known to ±0.06."""
    days = [th.count(hospital(i, 1500), "s", label="y", by="sex").with_least(10) for i in range(2)]
    for i, day in enumerate(days):
        day.save(tmp_path / f"{i}.parquet")
    days = [Counts.load(tmp_path / f"{i}.parquet") for i in range(2)]
    for both in (days[0] + days[1], Counts.of_parts(dict(enumerate(days)), by="day")):
        assert both.with_least(10) == both.with_least(7) == both
        assert both.with_least(10)["s"] == days[0]["s"] + days[1]["s"]
        wider = both.with_least(25)
        for table in (wider["s"], *(tables["s"] for tables in wider.groups.values())):
            for column in (table.positive, table.negative):
                assert ((column == 0) | (column >= 25)).all()
        assert (wider.least, both.least) == (25, 10)
    exact = th.count(hospital(2, 1500), "s", label="y", by="sex")
    found = (days[0] + exact).with_least(10)  # of which one part has small cells
    assert ((found["s"].positive == 0) | (found["s"].positive >= 10)).all()
    assert (days[0] + exact).least == 0


def test_groups_of_one_bin_are_said():
    small = th.count(hospital(0) | {"of": np.arange(4000) // 80}, "s", label="y", by="of").with_least(10)
    one = sum(each["s"].scores.size == 1 for each in small.groups.values())
    assert f"All scores of {one} of 50 groups are in one bin: their AUC is not known." in small.remarks
    assert 0 < one < 50
    assert small["s"].error_bound < 0.01


def test_what_is_left_out_adds_up():
    """Two days of which each lacks rows: the sum says both together."""
    day = th.count([1, 0, 1, None], [0.5, 0.2, None, 0.4], missing="drop")
    assert (day + day).remarks == ("4 of 8 rows lack a value and are not counted.",)
    light = th.count([1, 0, 1], [0.5, 0.2, 0.1], weights=[1, 1, 0], weight_kind="frequency")
    assert (light + light).remarks == ("2 rows of weight 0 left out.",)


def test_infinite_scores_that_give_away_a_cell_are_refused():
    scores = [np.inf, *np.linspace(0, 1, 60)]
    counts = th.count(np.arange(61) % 2, scores)
    with pytest.raises(InputError, match="infinite score"):
        counts.with_least(10)


def test_memory_is_written_as_the_command_takes_it():
    """It was refused as text, which `--memory` alone took."""
    rows = {"y": [1, 0, 1, 0], "s": [0.9, 0.6, 0.4, 0.1]}
    assert th.count(rows, "s", label="y", memory="100MB") == th.count(rows, "s", label="y", memory=100_000_000)
    for wrong in ("100", "much", "-2GB", 0, -5, "1e400GB"):
        with pytest.raises(OptionError, match="a number of bytes, or text such as '2GB'"):
            th.count(rows, "s", label="y", memory=wrong)


@pytest.mark.parametrize("changed", ["1,0.9,0.1,z,4\n", "1,0.8,0.2,y,1\n", "1,0.9,0.2,x,1\n0,0.3,0.4,x,1\n"])
@pytest.mark.parametrize("how", [{"pairs": True}, {"cluster": "c"}])
def test_rows_that_changed_between_two_passes_are_refused(tmp_path, monkeypatch, how, changed):
    """A new group was a KeyError, and other rows were placed in tables that they were not counted in."""
    path, rows = tmp_path / "p.csv", "1,0.9,0.2,x,1\n0,0.3,0.4,x,1\n0,0.6,0.5,y,2\n1,0.7,0.6,y,2\n"
    path.write_text(f"l,a,b,g,c\n{rows}")

    def placed(found, again, *more, **options):
        path.write_text(f"l,a,b,g,c\n{rows}{changed}")
        return _placed(found, again, *more, **options)

    monkeypatch.setattr("thresher.evaluation.counting._placed", placed)
    with pytest.raises(InputError, match="the rows changed while they were counted: count them once more"):
        th.count(str(path), ["a", "b"], label="l", by="g", **how)


def test_pairs_of_rows_that_came_once_are_said_to_need_another_source():
    """They were told to count with pairs=True, which they had asked for."""
    found = th.evaluate(th.count(iter([ROWS]), ["a", "b"], label="y", pairs=True, memory=1000))
    with pytest.raises(OptionError, match="came once, as a stream too long to keep, so that the scores are not comp"):
        found.compare("a", "b")
    assert pairwise(found).omitted is None
    assert sum("came once" in note for note in found.notes) == 1


def test_a_stream_that_comes_once_is_kept_for_what_needs_it_twice(monkeypatch):
    """Not a row of it was, so that there were no comparisons, clusters or finer bins, however short it was."""
    size = len(ROWS["y"])
    halves = [{name: np.asarray(values)[some] for name, values in ROWS.items()} for some in (
        slice(0, size // 2), slice(size // 2, None))]  # fmt: skip
    for options in ({"pairs": True}, {"cluster": "site"}):
        assert th.count(iter(halves), ["a", "b"], label="y", **options) == th.count(
            ROWS, ["a", "b"], label="y", **options
        )
    for name, few in (("EXACT_ROWS", 8), ("BINS", 16), ("LEAST", 4)):
        monkeypatch.setattr(f"thresher.evaluation.group_tables.{name}", few)
    kept, gone = (th.count(iter(halves), ["a"], label="y", **options)["a"] for options in ({}, {"memory": 1000}))
    assert kept.error_bound < gone.error_bound
    assert kept == th.count(ROWS, ["a"], label="y")["a"]


def test_several_labels_a_row_are_refused():
    with pytest.raises(OptionError, match="one label at a time"):
        th.count(np.eye(3, dtype=int), np.full((3, 3), 0.5))


def test_what_does_not_fit_is_refused():
    counts = th.count(ROWS, ["a", "b"], label="y")
    for other in (
        th.count(ROWS, "a", label="y"),
        th.count(ROWS, ["a", "b"], label="y", by="site"),
        th.count(ROWS, ["a", "b"], label="y", direction="lower"),
        th.count(ROWS, ["a", "b"], label="y", **FREQUENCY),
        th.count(ROWS, ["a", "b"], label="y", positive=0),
    ):
        with pytest.raises(InputError, match="different"):
            counts + other
    with pytest.raises(OptionError, match="choose one"):
        predictions_of(counts)
    with pytest.raises(OptionError, match="which values of two scores belong to one row"):
        th.evaluate(counts).compare("a", "b")
    with pytest.raises(OptionError, match="no score 'c'"):
        th.evaluate(counts, "c")
    with pytest.raises(OptionError, match="these are counts"):
        th.evaluate(counts, "a", label="y")
    with pytest.raises(InputError, match="importance weights"):
        th.evaluate(th.count(ROWS, "a", label="y", weights="w"))
    with pytest.raises(InputError, match=r"fewer than 1,000 rows of a class: take a smaller cell=…\."):
        counts.with_least(1000)
    with pytest.raises(OptionError, match="least count"):
        counts.with_least(0)
    with pytest.raises(InputError, match="how many rows a bin has"):  # a row of weight 50 alone was 50 in a bin
        th.count([1, 0] * 30, np.arange(60) / 60, weights=np.full(60, 50.0)).with_least(10)
    with pytest.raises(OptionError, match="one score of two classes"):
        th.count([0, 1, 2], np.full((3, 3), 1 / 3))


@pytest.mark.parametrize(
    ("thresholds", "said"),
    [([0.5, np.nan], "thresholds=nan: a threshold is a number"), ({"a": [np.nan]}, "thresholds=nan: a threshold is"),
     ({"c": [0.5]}, "thresholds='c': there is no such score, but a, b")],
)  # fmt: skip
def test_thresholds_that_are_none_are_refused(thresholds, said):
    with pytest.raises(OptionError, match=said):
        th.count(ROWS, ["a", "b"], label="y", thresholds=thresholds)


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_score_that_no_row_has_is_no_threshold(direction):
    """It decides as the score above it does, and was named as another of the equally good thresholds."""
    scores, positive, negative = [0.9, 0.8, 0.6, 0.5, 0.4, 0.2], [3, 0, 4, 0, 1, 0], [1, 0, 1, 0, 4, 2]
    every, some = (
        th.evaluate(Counts(groups={(): {"s": ScoreTable.from_counts(*columns, direction=direction)}}), threshold=0.55)[
            "s"
        ]
        for columns in ((scores, positive, negative), np.array([scores, positive, negative])[:, [0, 2, 4, 5]])
    )
    for criterion in ("youden", "f1", "matthews_correlation", "accuracy"):
        one, two = (each.choose(criterion) for each in (every, some))
        assert one.thresholds.tolist() == two.thresholds.tolist()
    assert every.table.thresholds.size == some.table.thresholds.size


def test_the_rows_that_stand_for_counts_add_up():
    rows = predictions_of(th.count(ROWS, "a", label="y", by="site"))
    assert rows.weights.sum() == N == rows.counted
    assert rows.weight_kind == "frequency"
    assert json.dumps(rows.notes)


@pytest.mark.parametrize(
    ("module", "option", "said"),
    [
        ("pyspark.sql", {"memory": 10**9}, "memory=… is not for this dataframe: Spark has memory of its own"),
        ("pyspark.sql", {"pairs": True}, "pairs=… is not for this dataframe: .* Spark counts each score by itself"),
        ("pyspark.sql", {"cluster": "c"}, "cluster=… is not for this dataframe: .* Spark knows no sums of clusters"),
        ("pyspark.sql", {"progress": print}, "progress=… is not for this dataframe: the cluster shows"),
        ("dask.dataframe", {"progress": print}, "progress=… is not for this dataframe: the cluster shows"),
    ],
)
def test_options_that_a_cluster_has_no_use_for_are_refused(module, option, said):
    """They were ignored."""
    session = type("Session", (), {})()  # runs nothing, so that thresher is not on its executors
    frame = type("DataFrame", (), {"__module__": module, "columns": ["y", "s"], "sparkSession": session})()
    with pytest.raises(OptionError, match=said):
        th.count(frame, "s", label="y", **option)


def test_groups_with_the_same_value_in_two_columns_are_saved(tmp_path):
    """They were refused as a label that stands twice, so that what was counted could not be read."""
    by = {"first": [0, 0, 1, 1], "second": [0, 0, 1, 1]}
    found = th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], by=by)
    found.save(tmp_path / "c.parquet")
    assert list(th.Counts.load(tmp_path / "c.parquet").groups) == [(0, 0), (1, 1)]


def test_each_of_many_groups_is_found_without_a_look_at_the_others():
    """Ten thousand groups took half a minute: each was looked for among all."""

    class Site(str):
        compared = 0
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            Site.compared += 1
            return str.__eq__(self, other)

    site = th.count([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    names = [Site(f"site {k}") for k in range(100)]
    counts = th.Counts.of_parts(dict.fromkeys(names, site), by="site")
    Site.compared = 0
    groups = th.evaluate(counts).groups
    assert len(groups) == 100
    assert all(group.auc.value == 0.75 for group in groups.values())
    assert Site.compared < 10 * len(names)


def test_parts_keep_what_their_tables_of_all_groups_tell(tmp_path):
    """The sum of small groups is coarser: the bound of the AUC was ten times that of the same files added up."""
    draws = np.random.default_rng(3)
    days = {}
    for day in ("one", "two"):
        y, group = draws.integers(0, 2, 1500), draws.integers(0, 6, 1500)
        score = np.round(np.clip(draws.normal(0.4 + 0.15 * y, 0.2), 0, 1), 3)
        days[day] = th.count({"y": y, "s": score, "g": group}, "s", label="y", by="g").with_least(10)
    parts, added = Counts.of_parts(days, by="day"), days["one"] + days["two"]
    assert parts["s"] == added["s"]
    assert parts["s"].error_bound < 0.02 < replace(parts, whole={})["s"].error_bound
    assert set(parts.groups) == {(day, group) for day in days for group in range(6)}
    parts.save(tmp_path / "p.parquet")
    twice = Counts.of_parts({"x": Counts.load(tmp_path / "p.parquet"), "y": parts}, by="site")
    for found in (parts, Counts.load(tmp_path / "p.parquet"), twice.only({"site": "x"}), twice.of_scores(["s"])):
        assert found["s"] == added["s"] + added["s"] if found.by[:1] == ("site",) else found["s"] == added["s"]
    for name, day in days.items():
        for found in (parts, Counts.load(tmp_path / "p.parquet")):
            assert found.only({"day": name})["s"] == day["s"]
        assert twice.only({"site": "y", "day": name})["s"] == day["s"]
        assert (twice + twice).only({"site": "y", "day": name})["s"] == day["s"] + day["s"]
        assert th.evaluate(parts).groups[name, 0]["s"].auc.error_bound > 0.02
    for absent in ({"day": "three"}, {"day": "one", "g": 9}):
        with pytest.raises(InputError, match="no group of these counts has"):
            parts.only(absent)


@pytest.mark.slow
def test_all_rows_of_groups_keep_the_tolerance_of_each():
    """Tables of groups whose scores lie otherwise are added in the widest of their bins."""
    rng = np.random.default_rng(0)
    n = 3_000_000
    site = rng.integers(0, 3, n)
    y = (rng.random(n) < np.array([0.03, 0.06, 0.09])[site]).astype(np.int8)
    s = 1 / (1 + np.exp(-(rng.normal(size=n) + y + np.array([-3.0, -2.0, -2.5])[site])))
    found = th.count({"y": y, "s": s, "site": site}, "s", label="y", by="site")
    assert all(tables["s"].error_bound <= 1e-6 for tables in found.groups.values())
    assert 0 < found["s"].error_bound <= 1e-6


@pytest.mark.parametrize(("weight", "said"), [(0.5, "frequencies are not whole"), (2.0, None)])
def test_weights_that_are_no_rows_have_no_least_count(weight, said):
    """Sums of them were taken for rows, so that a bin of 10 had 6 rows."""
    table = th.ScoreTable.from_scores([0, 1] * 50, np.linspace(0, 1, 100), weights=[2] * 100, weight_kind="frequency")
    if said is not None:
        table = replace(table, positive=table.positive * weight / 2, negative=table.negative * weight / 2)
    counts = th.Counts(groups={(): {"s": table}})
    if said is None:
        assert counts.with_least(10)["s"].P == 100
        return
    with pytest.raises(InputError, match=said):
        counts.with_least(10)


@pytest.mark.parametrize(
    ("late", "said"),
    [
        ("01", "and as text from later ones, such as '01': write it"),
        ("true", "and as text from later ones, such as 't"),
    ],
)
def test_groups_that_are_read_otherwise_later_are_refused(tmp_path, late, said):
    """Group 1 of the first rows was another one than group '1' of the later."""
    (tmp_path / "rows.csv").write_text("y,s,site\n" + "1,2,1\n0,1,2\n" * 100_000 + f"1,2,{late}\n0,2,1\n" * 50_000)
    said = (
        f"the group column 'site' is read as numbers from its first rows, and as text from later ones, such as '{late}'"
    )
    with pytest.raises(InputError, match=said):
        list(load_parts(str(tmp_path / "rows.csv"), "s", label="y", by="site", most=1000))


def test_one_row_that_lacks_a_value_is_one():
    found = th.count([1, 0, 1], [0.9, 0.1, math.nan], missing="drop")
    assert found.remarks == ("1 of 3 rows lacks a value and is not counted.",)


@pytest.mark.parametrize("wrong", [0.3, "0.3", ["x"], {"score": 0.3}, {"score": ["x"]}, [None]])
def test_thresholds_that_are_no_numbers_are_those_of_count(wrong):
    with pytest.raises(OptionError, match=r"^thresholds=.*: a list of numbers, such as \[0\.3\]"):
        th.count([1, 0], [0.9, 0.1], thresholds=wrong)
