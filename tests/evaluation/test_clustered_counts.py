"""AUCs of rows in clusters: Obuchowski's variance, the same from rows in memory and from counts of files."""

import json
import math
import pickle
from dataclasses import replace

import duckdb
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t as student

import thresher as th
from thresher.analysis.comparisons import pairwise
from thresher.cli.flags import as_flags
from thresher.counts.cluster_rates import DEPENDENT
from thresher.counts.clusters import Clustering
from thresher.counts.pairs import Placing
from thresher.decisions import Costs
from thresher.engines.parts import load_parts
from thresher.errors import InputError, OptionError, RowsNeededError
from thresher.evaluation.second_pass import SecondPass, placed_in, together
from thresher.inference.auc.clustered import clustered_covariance, clustered_estimate
from thresher.inference.differences.over_sites import random_effects
from thresher.predictions import Categories

RNG = np.random.default_rng(5)
CLUSTER = RNG.integers(0, 25, 160)
SEVERITY = RNG.normal(size=25)[CLUSTER]
Y = (SEVERITY + RNG.normal(size=160) > 0.4).astype(int)
SCORES = {name: np.round(SEVERITY + Y + RNG.normal(size=160), 1) for name in ("a", "b", "c")}
WEIGHTS = RNG.integers(1, 4, 160)


def covariance(y, scores, cluster):
    """Obuchowski's (1997), as her formulas read: placements by comparing every two rows, sums cluster by cluster."""
    aucs, of_x, of_y = [], [], []
    for s in scores:
        x, z = s[y == 1], s[y == 0]
        above = (x[:, None] > z) + 0.5 * (x[:, None] == z)
        aucs.append(above.mean())
        of_x.append(above.mean(axis=1))
        of_y.append(above.mean(axis=0))
    m, n = int((y == 1).sum()), int((y == 0).sum())
    found = np.zeros((len(scores),) * 2)
    both = np.unique(cluster)
    with_x, with_y = np.unique(cluster[y == 1]), np.unique(cluster[y == 0])
    for r in range(len(scores)):
        for q in range(len(scores)):

            def of_class(i, placed, label, k):
                own = cluster[y == label] == i
                return placed[k][own].sum() - own.sum() * aucs[k]

            s10 = sum(of_class(i, of_x, 1, r) * of_class(i, of_x, 1, q) for i in with_x)
            s01 = sum(of_class(i, of_y, 0, r) * of_class(i, of_y, 0, q) for i in with_y)
            s11 = [
                sum(of_class(i, of_x, 1, one) * of_class(i, of_y, 0, two) for i in both) * both.size / (both.size - 1)
                for one, two in ((r, q), (q, r))
            ]
            s10 *= with_x.size / ((with_x.size - 1) * m)
            s01 *= with_y.size / ((with_y.size - 1) * n)
            found[r, q] = s10 / m + s01 / n + sum(s11) / (m * n)
    return np.array(aucs), found, min(with_x.size, with_y.size) - 1


AUCS, COVARIANCE, DF = covariance(Y, list(SCORES.values()), CLUSTER)


def counted(scores=None, **options):
    """Evaluation of counts of the rows, with three scores unless others are given."""
    options = {"cluster": CLUSTER, "pairs": True} | options
    return th.evaluate(th.count(Y, SCORES if scores is None else scores, **options), threshold=0.5)


def test_the_covariance_is_that_of_its_definition():
    found = th.count(Y, SCORES, cluster=CLUSTER).clusters
    assert found.aucs == pytest.approx(AUCS, abs=1e-14)
    assert clustered_covariance(found) == pytest.approx(COVARIANCE, abs=1e-14)
    assert clustered_covariance(found.of(["c", "a"])) == pytest.approx(COVARIANCE[np.ix_([2, 0], [2, 0])], abs=1e-14)


def score_limits(y, s, cluster):
    """Both x with (A − x)² = t²·V(x), as docs/coverage.md has V; sizes of classes over the design effect."""
    (auc,), ((variance,),), df = covariance(y, [s], cluster)
    x, z = s[y == 1], s[y == 0]
    above = (x[:, None] > z) + 0.5 * (x[:, None] == z)
    placed = {1: above.mean(axis=1), 0: above.mean(axis=0)}
    effect = max(variance / sum(np.var(each, ddof=1) / each.size for each in placed.values()), 1)
    small, large = sorted(each.size / effect for each in placed.values())
    least = min(auc, 1 - auc)
    errors = []
    for label, each in placed.items():
        names = np.unique(cluster[y == label])
        sums = np.array([(each - auc)[cluster[y == label] == name].sum() for name in names])
        spread = names.size**2 / (names.size - 1) * (sums**2).sum() / each.size**2
        errors.append(names.size * least**2 / (least**2 + spread))
    doubt = 4 / (4 + min(errors))

    def excess(at):
        far = max(at, 1 - at)
        supposed = ((large + 1) / 2 + (small - 1) * (1 - far) / (2 - far)) / (small * large)
        ratio = variance / (auc * (1 - auc))
        own = at * (1 - at) * (ratio + doubt * max(supposed - ratio, 0))
        return (auc - at) ** 2 - student.ppf(0.975, df) ** 2 * own

    return brentq(excess, 0, auc, xtol=1e-14), brentq(excess, auc, 1, xtol=1e-14)


@pytest.mark.parametrize("evaluate", [counted, lambda: th.evaluate(Y, SCORES, cluster=CLUSTER)])
def test_the_interval_is_a_score_interval_of_effective_rows(evaluate):
    models = evaluate()
    for (name, scores), variance in zip(SCORES.items(), np.diag(COVARIANCE), strict=True):
        found = models[name].auc
        assert (found.low, found.high) == pytest.approx(score_limits(Y, scores, CLUSTER), abs=1e-9)
        assert found.standard_error == pytest.approx(math.sqrt(variance), abs=1e-12)
        assert found.method == "Obuchowski's variance of 25 clusters, score limits"
        assert [warning.code for warning in found.warnings] == ["few-clusters"]


def test_clusters_of_one_row_each_have_the_interval_of_rows_but_for_students_quantile():
    rows, alone = (th.evaluate(Y, SCORES["a"], **more)["score"].auc for more in ({}, {"cluster": np.arange(Y.size)}))
    assert (alone.low, alone.high) == pytest.approx((rows.low, rows.high), abs=4e-3)
    assert alone.high - alone.low > rows.high - rows.low


@pytest.mark.parametrize("evaluate", [counted, lambda: th.evaluate(Y, SCORES, cluster=CLUSTER)])
def test_every_two_of_several_models_are_compared(evaluate):
    for found, (i, j) in zip(evaluate().compare(), [(0, 1), (0, 2), (1, 2)], strict=True):
        error = math.sqrt(COVARIANCE[i, i] + COVARIANCE[j, j] - 2 * COVARIANCE[i, j])
        apart = AUCS[i] - AUCS[j]
        assert found.difference == pytest.approx(apart, abs=1e-12)
        assert found.standard_error == pytest.approx(error, abs=1e-12)
        assert found.p_value == pytest.approx(2 * student.sf(abs(apart) / error, DF), abs=1e-9)
        ends = [apart + side * student.ppf(0.975, DF) * error for side in (-1, 1)]
        assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)
        assert found.method == "DeLong's paired test, Obuchowski's variance of 25 clusters"
        assert found.family == 3


def assert_alike(one, two):
    assert [one.value, one.low, one.high] == pytest.approx([two.value, two.low, two.high], abs=1e-9)
    assert one.method == two.method


def test_counts_of_a_file_give_what_the_rows_give(tmp_path):
    columns = {"y": Y, "of": CLUSTER, "w": WEIGHTS, **SCORES}
    parts = [{name: values[i::2].tolist() for name, values in columns.items()} for i in (0, 1)]
    for i, part in enumerate(parts):  # so that clusters have rows in both
        query = ", ".join(f"unnest(${name}) AS {name}" for name in part)
        duckdb.connect().execute(f"COPY (SELECT {query}) TO '{tmp_path}/{i}.parquet'", part)
    options = {
        "label": "y",
        "weights": "w",
        "weight_kind": "frequency",
        "cluster": "of",
        "direction": {"a": "higher", "b": "lower", "c": "higher"},
    }
    file = th.evaluate(th.count(f"{tmp_path}/*.parquet", list(SCORES), **options, pairs=True))
    rows = th.evaluate(f"{tmp_path}/*.parquet", list(SCORES), **options)
    for name in SCORES:
        assert_alike(file[name].auc, rows[name].auc)
        assert_alike(file[name].gini, rows[name].gini)
    for one, two in zip(file.compare(measure="gini"), rows.compare(measure="gini"), strict=True):
        assert (one.low, one.high, one.p_value) == pytest.approx((two.low, two.high, two.p_value), abs=1e-9)


def test_a_weight_repeats_a_row_of_its_cluster():
    repeated = np.repeat(np.arange(Y.size), WEIGHTS)
    _, expected, _ = covariance(Y[repeated], [SCORES["a"][repeated]], CLUSTER[repeated])
    found = th.count(Y, SCORES["a"], weights=WEIGHTS, weight_kind="frequency", cluster=CLUSTER).clusters
    assert clustered_covariance(found) == pytest.approx(expected, abs=1e-14)


def test_a_cluster_of_every_row_gives_delongs_variance():
    found = th.evaluate(Y, SCORES["a"], cluster=np.arange(Y.size))["score"].auc
    assert found.standard_error == pytest.approx(th.evaluate(Y, SCORES["a"])["score"].auc.standard_error, abs=1e-12)


def test_sums_do_not_depend_on_the_parts_that_rows_come_in():
    tables = th.count(Y, SCORES)
    whole, apart = (Placing(tables, clustering=Clustering(3, memory=1e9)) for _ in range(2))
    whole.add(Y, SCORES, None, Categories.of(CLUSTER))
    for start in (0, 50, 51):
        rows = slice(start, {0: 50, 50: 51, 51: 160}[start])
        part = {name: values[rows] for name, values in SCORES.items()}
        apart.add(Y[rows], part, None, Categories.of(CLUSTER[rows]))
    found, expected = (clustered_covariance(placing.clusters()) for placing in (apart, whole))
    assert found == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("narrow", [2**24, 100])
def test_sums_of_parts_are_those_of_all_rows_and_the_parts_stay(monkeypatch, narrow):
    """As they are added up on a cluster, where parts were sent: of a patient in two of them there is one sum."""
    monkeypatch.setattr("thresher.counts.cluster_bins.NARROW", narrow)
    rows = {"y": Y, "of": np.where(CLUSTER == 4, -1, CLUSTER), **SCORES}
    counts = th.count(rows, list(SCORES), label="y")
    tables = placed_in(counts, clustered=True)

    def placed(*parts):
        second = SecondPass(tables, [("a", 0.5)], pairs=True, clustered=1e9)
        for part in parts:
            if part.stop > part.start:
                columns = {name: values[part] for name, values in rows.items()}
                second.add(next(load_parts(columns, list(SCORES), label="y", cluster="of", positive=1)).rows)
        return pickle.loads(pickle.dumps(second.found()))

    slices = [slice(0, 70), slice(70, 70), slice(70, 75), slice(75, 160)]
    whole, parts = placed(slice(0, 160))[None], [placed(part) for part in slices]
    for _ in range(2):
        found = together([together(parts[:3]), together(parts[3:])])[None]
        assert found.clusters.sizes == whole.clusters.sizes
        assert found.clusters.bins.second.tolist() == whole.clusters.bins.second.tolist()
        assert clustered_covariance(found.clusters) == pytest.approx(clustered_covariance(whole.clusters), abs=1e-14)
        assert found.moments.second == pytest.approx(whole.moments.second, abs=1e-12)


def test_parts_with_more_clusters_than_add_up_have_sums_without_bins(monkeypatch):
    tables = placed_in(th.count(Y, SCORES["a"]), clustered=True)
    monkeypatch.setattr("thresher.counts.cluster_bins.MOST", 20 * 2 * len(np.unique(SCORES["a"])) * 4)
    parts = []
    for rows in (slice(0, 8), slice(8, 160)):
        second = SecondPass(tables, (), pairs=False, clustered=1e9)
        second.add(next(load_parts(Y[rows], SCORES["a"][rows], cluster=CLUSTER[rows])).rows)
        parts.append(second.found())
    few, many = (part[None].clusters.bins for part in parts)
    assert few is not None
    assert many is None
    found = together(parts)[None].clusters
    assert (found.bins, found.sizes[2]) == (None, 25)


def test_bins_are_within_their_bound():
    y, cluster = RNG.integers(0, 2, 20_000), RNG.integers(0, 300, 20_000)
    s = RNG.normal(size=300)[cluster] + y + RNG.normal(size=20_000)
    bins = th.ScoreTable.builder(tolerance=1e-4, exact_rows=2**10, bins=2**12).update(y, s).table()
    exact, found = (
        Placing({"a": table}, clustering=Clustering(1, memory=1e9)) for table in (th.ScoreTable.from_scores(y, s), bins)
    )
    ends = []
    for placing in (exact, found):
        placing.add(y, {"a": s}, None, Categories.of(cluster))
        each = clustered_estimate(placing.clusters(), level=0.95)
        ends.append((each.value, each.low, each.high))
    assert bins.binned
    assert ends[0] != ends[1]
    assert ends[0] == pytest.approx(ends[1], abs=bins.error_bound)


def test_what_sums_do_not_tell_has_no_interval_and_says_so():
    found = counted()
    model = found["a"]
    for name in ("mcc", "balanced_accuracy", "average_precision", "ks_statistic"):
        each = getattr(model, name)
        assert each.value == getattr(th.evaluate(Y, SCORES, threshold=0.5)["a"], name).value
        assert (each.low, each.standard_error, each.method) == (None, None, None)
        assert "a bootstrap of whole clusters needs the rows" in each.reason
    known = ("Obuchowski", "ratio of sums over")
    assert all(each.low is None or any(words in each.method for words in known) for each in model.measures.values())
    assert any("what says 'clusters ignored' is too sure" in note for note in found.notes)
    assert found.compare("a", "b", measure="accuracy").method.endswith("clusters ignored")
    assert found.compare("a", "b", measure="f1").method.endswith("clusters ignored")


def test_a_choice_from_counts_has_no_interval_that_a_report_of_them_has_not():
    """It had those of independent rows, and only said so."""
    model, bare = counted()["a"], "a bootstrap of whole clusters needs the rows"
    chosen = model.choose("youden")
    other = chosen.expected_cost(Costs(fp=2, fn=1))
    rejected = model.with_reject(costs=Costs(fp=1, fn=3), deferral=0.2)
    found = [*chosen.measures.values(), other, *rejected.measures.values(), rejected.reportable_rate]
    for each in found:
        assert (each.low, each.method) == (None, None)
        assert not each.is_defined or bare in each.reason
    assert chosen.informedness.value == th.evaluate(Y, SCORES, threshold=0.5)["a"].choose("youden").informedness.value
    said = " ".join(str(chosen).split())
    assert f"Cohen's kappa, predicted positive, false positive rate: no interval: {DEPENDENT}, and {bare}." in said
    assert "a bootstrap says by how much" not in said
    assert f"no interval: {DEPENDENT}, and {bare}." in " ".join(str(rejected).split())
    there = replace(model, threshold=chosen.threshold).choose(Costs(fp=1, fn=1))
    assert there.accuracy.low is None


def test_what_sums_over_clusters_do_not_compare_is_named():
    """It said that the scores cannot be compared, and their AUCs can."""
    found = th.evaluate(th.count(Y, SCORES, cluster=CLUSTER), threshold=0.5)
    assert found.compare("a", "b").p_value > 0
    with pytest.raises(OptionError, match=r"^accuracy: sums over clusters tell how AUCs differ, and nothing else"):
        found.compare("a", "b", measure="accuracy")


def test_a_threshold_that_was_counted_has_intervals_by_clusters_when_it_is_chosen():
    best = th.evaluate(Y, SCORES)["a"].choose("youden").threshold
    model = th.evaluate(th.count(Y, SCORES, cluster=CLUSTER, thresholds=[best]))["a"]
    chosen = model.choose("youden")
    assert chosen.threshold == best
    assert chosen.recall == model.recall
    assert chosen.recall.method.startswith("ratio of sums over")
    assert chosen.informedness.low is None
    assert "Brackets are 95 % intervals: ratio of sums over" in str(chosen)


def test_a_report_of_counts_with_pairs_and_clusters_compares_losses():
    """A Brier score without an interval was taken for one without a value."""
    shares = {name: 1 / (1 + np.exp(-s)) for name, s in SCORES.items() if name != "c"}
    found, rows = (
        th.evaluate(th.count(Y, shares, cluster=CLUSTER, pairs=True)), th.evaluate(Y, shares, cluster=CLUSTER)
    )  # fmt: skip
    tested, want = pairwise(found).tested, pairwise(rows).tested
    assert [each.measure for each in tested] == [each.measure for each in want] == ["auc", "brier_score", "accuracy"]
    assert tested[1].p_value == pytest.approx(want[1].p_value)


def test_a_report_compares_what_sums_of_clusters_tell(tmp_path):
    """It said that counts do not tell, and `thresher compare` of the same file did."""
    th.count(Y, SCORES, cluster=CLUSTER).save(tmp_path / "c.parquet")
    found = th.evaluate(th.Counts.load(tmp_path / "c.parquet"))
    said = pairwise(found)
    assert said.omitted is None
    assert [each.measure for each in said.tested] == ["auc"] * 3
    for each, (i, j) in zip(said.tested, [(0, 1), (0, 2), (1, 2)], strict=True):
        error = math.sqrt(COVARIANCE[i, i] + COVARIANCE[j, j] - 2 * COVARIANCE[i, j])
        assert each.p_value == pytest.approx(2 * student.sf(abs(AUCS[i] - AUCS[j]) / error, DF), abs=1e-9)
    bare = th.Counts.load(tmp_path / "c.parquet").with_least(2)
    assert "counts do not say which values" in pairwise(th.evaluate(bare)).omitted
    assert "count with --pairs, or compare" in as_flags(pairwise(th.evaluate(bare)).omitted)


def test_a_group_has_no_interval_that_takes_its_rows_as_independent():
    by, two = {"sex": np.arange(160) % 2}, {name: SCORES[name] for name in "ab"}
    whole, rows = counted(two, by=by), th.evaluate(Y, two, cluster=CLUSTER, by=by, threshold=0.5)
    for key, group in whole.groups.items():
        assert_alike(group["a"].auc, rows.groups[key]["a"].auc)
        found, want = group.compare("a", "b"), rows.groups[key].compare("a", "b")
        assert (found.low, found.high) == pytest.approx((want.low, want.high))
        assert found.method == want.method
        assert group["a"].recall == rows.groups[key]["a"].recall
        assert "ratio of sums over" in group["a"].recall.method
    assert whole["a"].auc.low is not None
    assert all("Obuchowski" in gap.method and gap.p_value >= 0 for gap in rows.groups.gaps("auc"))
    assert all("not independent" in gap.reason and math.isnan(gap.p_value) for gap in whole.groups.gaps("auc"))
    assert whole.groups.random_effects("auc")["a"].low == pytest.approx(rows.groups.random_effects("auc")["a"].low)
    with pytest.raises(OptionError, match=r"average precision .* in no group of 'a': .* whole clusters needs the rows"):
        whole.groups.random_effects("average_precision")


def test_a_mean_of_rates_over_sites_takes_their_errors_by_clusters():
    """From rows it took those of a binomial, whatever the clusters, and from counts none."""
    by, two = {"sex": np.arange(160) % 2}, {name: SCORES[name] for name in "ab"}
    for each in (counted(two, by=by), th.evaluate(Y, two, cluster=CLUSTER, by=by, threshold=0.5)):
        for name in ("recall", "accuracy", "f1"):
            parts = [group["a"].estimate(name) for group in each.groups.values()]
            expected = random_effects([e.value for e in parts], [e.standard_error for e in parts], is_share=True)
            found = each.groups.random_effects(name)["a"]
            assert (found.value, found.low, found.tau) == (expected.value, expected.low, expected.tau)
    ignored = th.evaluate(Y, two, cluster=CLUSTER, by=by, threshold=0.5, bootstrap=th.Bootstrap(n=30, clusters=False))
    apart = th.evaluate(Y, two, by=by, threshold=0.5).groups.random_effects("recall")["a"]
    assert ignored.groups.random_effects("recall")["a"].tau == apart.tau


def test_a_rate_at_a_threshold_that_was_not_counted_says_which_were():
    found = th.evaluate(th.count(Y, SCORES, cluster=CLUSTER, thresholds=[0.25, 1]), threshold=0.5)["a"]
    said = "no interval: decisions at 0.5 were not counted by clusters, but at 0.25, 1: name the threshold"
    for name in ("recall", "precision", "accuracy", "f1"):
        each = getattr(found, name)
        assert (each.low, each.standard_error, each.method) == (None, None, None)
        assert each.reason.startswith(said)
    assert "needs the rows" in found.mcc.reason


def test_without_two_clusters_of_each_class_there_is_no_interval():
    one = th.evaluate(Y, SCORES["a"], cluster=np.zeros(160))["score"].auc
    assert (one.low, one.value) == (None, pytest.approx(AUCS[0]))
    said = "Obuchowski's variance needs two clusters with rows of each class, and there is 1 with positives"
    assert one.reason == f"no interval, as {said}"
    both = th.evaluate(Y, SCORES, cluster=np.where(Y == 1, 1, CLUSTER + 2)).compare("a", "b")
    assert both.low is None
    assert "there is 1 with positives" in both.reason


def test_models_that_separate_the_classes_or_rank_alike():
    whole = th.evaluate(Y, {"a": Y, "b": Y, "c": SCORES["a"], "d": 2 * SCORES["a"]}, cluster=CLUSTER)
    perfect = whole["a"].auc
    assert (perfect.high, perfect.standard_error) == (1.0, None)
    assert perfect.method == "Obuchowski's variance of 25 clusters, score limits"
    assert 0.6 < perfect.low < th.evaluate(Y, Y)["score"].auc.low
    alike = whole.compare("c", "d")
    assert (alike.difference, alike.p_value, alike.low, alike.high) == (0, 1, 0, 0)
    assert alike.method.endswith("both place the clusters alike")
    same = whole.compare("a", "b")
    assert (same.difference, same.p_value) == (0, 1)
    assert same.low < 0 < same.high


def test_few_clusters_that_hold_the_errors_are_warned_of():
    cluster, y = np.repeat(np.arange(40), 4), np.tile([0, 1], 80)
    s = 10.0 * y + np.arange(160) % 7
    many = th.evaluate(y, np.arange(160) % 7 + y, cluster=cluster)["score"].auc
    few = th.evaluate(y, np.where(np.isin(np.arange(160), [1, 9]), -1, s), cluster=cluster)["score"].auc
    assert [each.code for each in few.warnings] == ["few-clusters"]
    assert "2 clusters that the errors are spread over, fewer than 10" in few.warnings[0].text
    assert few.warnings[0].where == "ROC AUC of score"
    assert many.warnings == ()


def test_a_warning_of_some_clusters_names_the_model_and_the_measure(tmp_path):
    """It said "5 clusters that the errors are spread over" and "25 clusters", of a file of 40."""
    cluster, y = np.repeat(np.arange(40), 4), np.where(np.arange(160) < 60, 0, np.tile([0, 1], 80))
    s = 10.0 * y + np.arange(160) % 7
    scores = {"a": s, "b": np.where(np.isin(np.arange(160), [61, 69]), -1, s) + y}
    found = th.evaluate(y, scores, cluster=cluster, by={"g": cluster % 2}, threshold=5)
    found.report(tmp_path / "r.txt")
    found.report(tmp_path / "r.json")
    said = " ".join((tmp_path / "r.txt").read_text("utf-8").split())
    assert "Recall (sensitivity) of a, false negative rate of a, " in said
    assert ": 25 clusters with rows that count, fewer than 30: so few" in said
    assert "ROC AUC of a, ROC AUC of b, ROC AUC of a and b: 25 clusters with positives, fewer than 30" in said
    assert "Of : " not in said
    assert "Of ROC AUC of a in g 0 and the rest: 12 clusters with positives, fewer" in said
    warned = json.loads((tmp_path / "r.json").read_text("utf-8"))["warnings"]
    assert all(each["where"] for each in warned if "clusters" in each["text"])
    within = [each for each in found.compare("a", "b", by="g") if each.group is not None]
    assert [each.warnings[0].where for each in within] == ["ROC AUC of a and b, g 0", "ROC AUC of a and b, g 1"]


def test_a_warning_of_all_clusters_is_of_the_file():
    found = th.evaluate(np.arange(80) % 2, np.arange(80) % 7 / 7, cluster=np.arange(80) // 4)["score"]
    for estimate in (found.auc, found.accuracy, found.recall):
        assert [(each.text.partition(":")[0], each.where) for each in estimate.warnings] == [
            ("20 clusters, fewer than 30", "")
        ]


REFUSED = {
    "1.0 GB of memory": lambda: th.count(Y, SCORES, cluster=CLUSTER, memory=1000),
    "come once, as a stream too long to keep": lambda: th.count(
        iter([{"y": Y, "s": SCORES["a"], "c": CLUSTER}]), "s", label="y", cluster="c", memory=1000
    ),
    "weight_kind='frequency'": lambda: th.count(Y, SCORES, weights=WEIGHTS, cluster=CLUSTER),
    "leave it out, or evaluate the rows": lambda: th.evaluate(th.count(Y, SCORES, cluster=CLUSTER), bootstrap=50),
    "a bootstrap draws whole clusters": lambda: counted()["a"].choose("youden", bootstrap=50),
}  # fmt: skip


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_refused_is_said_in_one_sentence(said):
    with pytest.raises((InputError, OptionError, RowsNeededError)) as caught:
        REFUSED[said]()
    text = str(caught.value)
    assert said.replace("1.0 GB", "1e-06 GB") in text
    assert text.endswith(".")
    assert ". " not in text


def test_clusters_that_are_read_otherwise_later_are_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("y,s,of\n" + "1,2,3\n0,1,4\n" * 100_000 + "1,2,x\n" * 50_000)
    with pytest.raises(InputError, match="of clusters is read as numbers from its first rows, and as text from later"):
        list(load_parts(str(tmp_path / "rows.csv"), "s", label="y", cluster="of", most=1000))


def test_counts_with_clusters_are_values():
    found = th.count(Y, SCORES, cluster=CLUSTER)
    assert pickle.loads(pickle.dumps(found)) == found
    assert found != th.count(Y, SCORES)
    assert found.of_scores(["a"]).clusters == found.clusters.of(["a"])


@pytest.mark.slow
def test_intervals_cover_and_tests_of_equal_models_reject_as_often_as_they_say():
    """40 clusters of 6 rows, half of the variance within them, two equally good models: both near their 95 and 5 %."""
    rng = np.random.default_rng(11)
    cluster, y = np.repeat(np.arange(40), 6), np.tile([0, 1], 120)
    truth, held, rejected, by_rows, samples = 0.7156, 0, 0, 0, 400
    for _ in range(samples):
        severity = np.repeat(rng.normal(size=40), 6)
        # Placements of one cluster are alike where a class of it is shifted together.
        shared = np.repeat(rng.normal(size=40), 6) * y
        a, b = (y + severity * 0.2 + shared + rng.normal(size=240) for _ in (1, 2))
        found = th.evaluate(y, {"a": a, "b": b}, cluster=cluster)
        auc, each = found["a"].auc, th.evaluate(y, a)["score"].auc
        held += auc.low <= truth <= auc.high
        by_rows += each.low <= truth <= each.high
        rejected += found.compare("a", "b").p_value < 0.05
    assert 0.925 < held / samples < 0.975
    assert by_rows / samples < 0.925
    assert 0.025 < rejected / samples < 0.08
