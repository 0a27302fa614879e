"""What an assessment takes from and gives to other libraries: names, scorers, splits, text, reports and pictures."""

import csv
import json
import warnings

import numpy as np
import pytest

import thresher as th
from thresher.errors import InputError, OptionError
from thresher.measures import register
from thresher.measures.measure_text import parse_measure
from thresher.measures.scorers import measure_called
from thresher.metrics import scorers


class Line:
    """Score by the first feature; nothing to learn."""

    def fit(self, _X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)

    def decision_function(self, X):
        return X[:, 0]


def rows(n=40):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@pytest.fixture(scope="module")
def found():
    return th.assess({"a": Line(), "b_1": Line()}, *rows(), method="kfold:4", measures=["auc", "f1"], progress=False)


@pytest.mark.parametrize(
    ("given", "name"),
    [("neg_log_loss", "log_loss"), ("f1_macro", "macro_f1"), ("recall_weighted", "weighted_recall"), ("f1", "f1"),
     ("neg_brier_score", "brier_score"), ("roc_auc_ovo", "auc_ovo"), ("matthews_corrcoef", "matthews_correlation"),
     ("pr_auc_step", "pr_auc_step")],
)  # fmt: skip
def test_names_of_scorings(given, name):
    assert measure_called(given)[0] == name
    assert parse_measure(name)


def test_functions_and_scorers_are_measures():
    class Scorer:  # as scikit-learn's are
        def __init__(self, function, **kwargs):
            self._score_func, self._kwargs = function, kwargs

    def fbeta_score(): ...
    def f1_score(): ...
    def own(): ...

    assert measure_called(Scorer(fbeta_score, beta=2)) == ("f_beta:beta=2", None)
    assert measure_called(Scorer(f1_score, average="macro")) == ("macro_f1", None)
    assert measure_called(f1_score) == ("f1", None)
    for bad in (
        own,
        Scorer(own),
        Scorer(fbeta_score),
        Scorer(f1_score, labels=[1]),
        Scorer(f1_score, average="samples"),
    ):
        with pytest.raises(OptionError, match=r"not a measure here: a measure of your own .* register"):
            measure_called(bad)


def test_a_measure_of_ones_own_is_assessed():
    def hits(c):
        "How many positives are found."
        return c.tp

    with register(hits, text="TP", bounds=(0.0, float("inf")), source="here"):
        got = th.assess(Line(), *rows(), method="kfold:4", measures=["hits"], progress=False)
        X, y = rows()
        assert got["Line"].pooled("hits").value == ((X[:, 0] > 0) & (y == 1)).sum()


@pytest.mark.parametrize("method", ["kfold:4", "repeated:2x3", "holdout", "632:5", "oob:4"])
def test_pairs_are_the_splits_that_were_judged(method):
    got = th.assess(Line(), *rows(), method=method, measures="accuracy", progress=False)
    pairs, table = got.pairs(), got.splits
    assert len(pairs) == len(table.sampled)
    for (train, test), split in zip(pairs, table.sampled.tolist(), strict=True):
        assert len(train) == table.train[split]
        kept = table.is_out[table.part(split)]
        judged = table.row[table.part(split)]
        assert test.tolist() == judged.tolist()
        assert set(train.tolist()).isdisjoint(judged[kept].tolist())
    if method == "kfold:4":
        again = th.assess(Line(), *rows(), method=pairs, measures="accuracy", progress=False)
        assert again["accuracy"].value == got["accuracy"].value


@pytest.mark.peer
def test_a_picture_has_each_fold_and_each_interval(found):
    pytest.importorskip("matplotlib").use("Agg")
    ax = found.plot(measure="f1")
    lines = {line.get_gid(): line for line in ax.lines}
    for place, model in enumerate(found):
        e = found[model].estimate("f1")
        assert lines[f"thresher-values {place}"].get_ydata().tolist() == found[model].values("f1").tolist()
        assert lines[f"thresher-interval {place}"].get_ydata().tolist() == [e.low, e.high]
        assert lines[f"thresher-mean {place}"].get_ydata().tolist() == [e.value]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b_1"]
    assert ax.get_ylabel() == "F1"


@pytest.mark.peer
@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames_come_in_the_library_that_is_named(found, backend):
    ev = found.evaluation
    frames = [each.to_frame(backend=backend) for each in (found, ev, ev["a"])]
    for frame in (*frames, found.folds_frame(backend=backend)):
        assert type(frame).__module__.split(".")[0] == backend


@pytest.mark.peer
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_one_column_of_text_is_what_a_vectorizer_takes(library):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    table = pytest.importorskip(library)
    words = np.array(["good fine", "bad poor", "fine ok", "poor awful"])[np.arange(40) * 7 % 4].tolist()
    y = np.isin(words, ["good fine", "fine ok"]).astype(int)
    y[:4] = 1 - y[:4]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    options = {"method": "kfold:4", "measures": "accuracy", "progress": False}
    want = th.assess(model, words, y, **options)["accuracy"].value
    assert th.assess(model, table.DataFrame({"t": words}), y, **options)["accuracy"].value == want
    with pytest.raises(InputError, match="takes one column of text, and X has 2 columns"):
        th.assess(model, table.DataFrame({"t": words, "u": words}), y, **options)


@pytest.mark.peer
def test_scorers_here_and_in_scikit_learn_are_the_measures_of_their_names():
    pytest.importorskip("sklearn")
    from sklearn.metrics import get_scorer, get_scorer_names

    no_measures = {name for name in scorers if name.endswith(("samples", "ovr_weighted", "ovo_weighted"))}
    for name in set(scorers) - no_measures - {"top_k_accuracy", "d2_log_loss_score", "neg_hinge_loss"}:
        for scorer in (scorers[name], *([get_scorer(name)] if name in get_scorer_names() else [])):
            (by_scorer, said), (by_name, _) = measure_called(scorer), measure_called(name)
            assert by_scorer == {"roc_auc": "auc"}.get(by_name, by_name)
            assert (said is not None) == name.startswith("neg_")


@pytest.mark.peer
def test_scorers_and_splits_of_scikit_learn_agree():
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import fbeta_score, make_scorer
    from sklearn.model_selection import cross_val_score

    X, y = rows(80)
    scorer = make_scorer(fbeta_score, beta=2)
    got = th.assess(LogisticRegression(), X, y, method="kfold:4", measures=[scorer, "neg_log_loss"], progress=False)
    assert got.measures == ("f_beta:beta=2", "log_loss")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, scoring, sign in (("f_beta:beta=2", scorer, 1), ("log_loss", "neg_log_loss", -1)):
            theirs = cross_val_score(LogisticRegression(), X, y, cv=got.pairs(), scoring=scoring)
            assert got["LogisticRegression"].values(name) == pytest.approx(sign * theirs, abs=1e-12)


def test_a_report_has_the_form_of_its_suffix(found, tmp_path):
    text = found.report(tmp_path / "a.txt", compare=True).read_text(encoding="utf-8")
    head, table = str(found).split("\n", 1)
    assert text.startswith(f"{head}\n\nVerdict\n")
    assert table.strip() in text
    assert "b_1" in text
    data = json.loads(found.report(tmp_path / "a.json", compare=True).read_text(encoding="utf-8"))
    assert data["kind"] == "assessment"
    assert [one["measure"] for one in data["comparisons"]] == ["auc", "f1"]
    assert r"b\_1" in found.report(tmp_path / "a.tex").read_text(encoding="utf-8")
    assert found.report(tmp_path / "a.md").read_text(encoding="utf-8").startswith(f"# {head}\n\n## Verdict\n")
    lines = list(
        csv.DictReader(found.report(tmp_path / "a.csv", compare=True).read_text(encoding="utf-8").splitlines())
    )
    assert {(line["model"], line["measure"]) for line in lines if not line["against"]} == {
        (name, measure) for name, parts in found.estimates().items() for measure in parts
    }
    assert [line["measure"] for line in lines if line["against"] == "difference"] == ["auc", "f1"]
    with pytest.raises(OptionError, match=r"ends in one of \.html"):
        found.report(tmp_path / "a.pdf")
