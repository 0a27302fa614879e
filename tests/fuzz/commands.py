"""Random data for the other commands, and what they write against a slow reading of the same rows."""

import csv
import io
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import Result

import thresher as th
from fuzz.outputs import check_markdown, check_well_made, near, page_data
from fuzz.random_tables import drawn_table
from fuzz.slow_reading import Counted, Row, rows_of
from fuzz.written import FORMS, write
from thresher.resampling.nearest_mean import NearestMean

Run = Callable[[Path, list[str]], Result]

OUTPUTS = [part for form in ("json", "csv", "md", "html", "txt") for part in ("-o", f"r.{form}")]
CLASSES = ("a", "b", "ü", "d e", "-", "0")


def _form(rng: np.random.Generator) -> str:
    return str(rng.choice(FORMS))


def _weight(row: Row) -> float:
    return float(row.get("w", 1))


def classes(rng: np.random.Generator, folder: Path, run: Run) -> None:
    """Probabilities of several classes, some never seen: accuracy, log loss and the matrix."""
    names = list(CLASSES[: int(rng.integers(3, 6))])
    n = int(rng.integers(len(names), 60))
    columns: dict[str, list[Any]] = {"label": [str(c) for c in rng.choice(names, n)]}
    columns["label"][: len(names)] = names
    matrix = np.round(rng.dirichlet([float(rng.choice([0.1, 1.0, 5.0]))] * len(names), n), 3)
    matrix[:, -1] = np.abs(np.round(1 - matrix[:, :-1].sum(axis=1), 3))  # two that nearly tie would tie by rounding
    columns |= {f"p_{name}": [float(v) for v in matrix[:, i]] for i, name in enumerate(names)}
    flags = ["--label", "label", "--proba", "m=p_*"]
    if rng.random() < 0.4:
        columns["w"] = [float(w) for w in np.round(10 ** rng.uniform(-2, 2, n), 4)]
        flags += ["--weight", "w"]
    path = write(rng, columns, _form(rng), folder)
    done = run(folder, ["report", path.name, *flags, "--normalize", *OUTPUTS])
    assert done.exit_code == 0, done.stderr
    found = check_well_made(folder)["models"]["m"]
    rows = rows_of(path)
    total = math.fsum(map(_weight, rows))
    chosen, loss = [], []
    for row in rows:
        shares = [float(row[f"p_{name}"]) for name in names]
        chosen.append(min(names, key=lambda name: (-shares[names.index(name)], name)))  # of ties the first by name
        share = shares[names.index(row["label"])] / math.fsum(shares)
        loss.append(_weight(row) * -math.log(max(share, np.finfo(float).eps)))
    _check_matrix(found, [(row["label"], mine, _weight(row)) for row, mine in zip(rows, chosen, strict=True)])
    got = found["measures"]["log_loss"]["value"]
    assert got is None or got == math.inf or near(got, math.fsum(loss) / total), (got, math.fsum(loss) / total)


def hard_labels(rng: np.random.Generator, folder: Path, run: Run) -> None:
    """Labels that models decided for, two or several of them: the matrix, accuracy and the mean F1."""
    names = list(CLASSES[: int(rng.integers(2, 6))])
    n = int(rng.integers(len(names), 80))
    truth = [str(c) for c in rng.choice(names, n)]
    truth[: len(names)] = names
    columns: dict[str, list[Any]] = {"label": truth}
    for model in ("h1", "h2")[: int(rng.integers(1, 3))]:
        columns[model] = [t if rng.random() < 0.6 else str(rng.choice(names)) for t in truth]
    models = [name for name in columns if name != "label"]
    if rng.random() < 0.4:
        columns["w"] = [float(w) for w in np.round(10 ** rng.uniform(-1, 1, n), 4)]
    flags = ["--label", "label", *(part for model in models for part in ("--predicted", model))]
    flags += ["--weight", "w"] if "w" in columns else []
    flags += ["--positive", names[0]] if len(names) == 2 else []
    path = write(rng, columns, _form(rng), folder)
    done = run(folder, ["report", path.name, *flags, *OUTPUTS])
    assert done.exit_code == 0, done.stderr
    found, rows = check_well_made(folder), rows_of(path)
    for model in models:
        _check_matrix(found["models"][model], [(row["label"], row[model], _weight(row)) for row in rows])


def _check_matrix(found: Any, cases: list[tuple[str, str, float]]) -> None:
    """Matrix and accuracy of (truth, predicted, weight)."""
    cells: Counter[tuple[str, str]] = Counter()
    for truth, mine, weight in cases:
        cells[truth, mine] += weight  # type: ignore[assignment]
    names = found["confusion_matrix"]["labels"]
    for truth, line in zip(names, found["confusion_matrix"]["counts"], strict=True):
        for mine, count in zip(names, line, strict=True):
            assert math.isclose(count, cells[str(truth), str(mine)], rel_tol=1e-9, abs_tol=1e-9), (truth, mine)
    right = math.fsum(w for t, p, w in cases if t == p) / math.fsum(w for _, _, w in cases)
    assert near(found["measures"]["accuracy"]["value"], right)


def compare(rng: np.random.Generator, folder: Path, run: Run) -> None:
    """Every two models: their AUC, the difference, and limits around it."""
    table = drawn_table(rng)
    while len(table.models) < 2 or len({str(v) for v in table.columns["label"]}) < 2:
        table = drawn_table(rng)
    path = write(rng, table.columns, _form(rng), folder)
    done = run(folder, ["compare", path.name, *table.flags, "--measure", "auc", "--format", "json"])
    assert done.exit_code == 0, done.stderr
    rows = rows_of(path)
    slow = {m: Counted.of(rows, table.positive, m, table.weights, table.lower).auc() for m in table.models}
    found = [each for each in _strict(done.stdout)["comparisons"] if each["group"] is None and each["groups"] is None]
    assert len(found) == len(slow) * (len(slow) - 1) // 2
    for each in found:
        first, second = (slow[model] for model in each["models"])
        assert near(each["values"][0], first), each
        assert near(each["values"][1], second), each
        if first is not None and second is not None:
            assert math.isclose(each["difference"], first - second, rel_tol=1e-9, abs_tol=1e-12), each
        if each["low"] is not None:
            assert each["low"] <= each["difference"] + 1e-12, each
            assert each["difference"] <= each["high"] + 1e-12, each
            assert each["p_value"] is None or 0 <= each["p_value"] <= 1, each


def threshold(rng: np.random.Generator, folder: Path, run: Run) -> None:
    """The threshold of the largest informedness or accuracy, or of the least cost: no other score does better."""
    table = drawn_table(rng)
    path = write(rng, table.columns, _form(rng), folder)
    what = str(rng.choice(["informedness", "accuracy", "cost"]))
    fp, fn = (float(f"{10 ** rng.uniform(-2, 2):.3g}") for _ in range(2))
    flags = ["--cost-fp", str(fp), "--cost-fn", str(fn)] if what == "cost" else ["--max", what]
    done = run(folder, ["threshold", path.name, *table.flags, *flags, "--format", "json"])
    rows = rows_of(path)
    slow = {m: Counted.of(rows, table.positive, m, table.weights, table.lower) for m in table.models}
    if done.exit_code:
        assert any(not model.total(True) or not model.total(False) for model in slow.values()), done.stderr
        return
    for each in _strict(done.stdout)["thresholds"]:
        if each["group"] is not None or each["threshold"] is None:
            continue
        model, cut = slow[each["model"]], float(each["threshold"])
        p, n = model.total(True), model.total(False)

        def worth(at: float, model: Counted = model, p: float = p, n: float = n) -> float:
            tp, false = model.above(at)
            if what == "cost":
                return -(fp * false + fn * (p - tp)) / (p + n)
            return tp / p - false / n if what == "informedness" else (tp + n - false) / (p + n)

        best = max(map(worth, [*{s for _, s, _ in model.rows}, math.inf]))
        assert math.isclose(worth(-cut if table.lower else cut), best, rel_tol=1e-9, abs_tol=1e-12), each


def assess(rng: np.random.Generator, folder: Path, run: Run) -> None:
    """A model fitted on features of a file is as good as one fitted on the same numbers as arrays."""
    n = int(rng.integers(20, 60))
    truth = rng.integers(0, 2, n)
    truth[:8] = [0, 1] * 4
    columns: dict[str, list[Any]] = {"label": [int(t) for t in truth]}
    columns |= {f"f{i}": [float(v) for v in np.round(rng.normal(size=n) + truth, 4)] for i in (1, 2)}
    path = write(rng, columns, _form(rng), folder)
    given = ["--label", "label", "--estimator", "thresher.resampling.nearest_mean:NearestMean()", "--method", "kfold:3"]
    done = run(folder, ["assess", path.name, *given, "--measure", "accuracy", *OUTPUTS])
    assert done.exit_code == 0, done.stderr
    rows = rows_of(path)
    features = np.array([[float(row["f1"]), float(row["f2"])] for row in rows])
    slow = th.assess(
        NearestMean(), features, [int(row["label"]) for row in rows], method="kfold:3", measures="accuracy"
    )
    found = _strict((folder / "r.json").read_text(encoding="utf-8"))
    assert found["rows"] == n
    [(_, model)] = found["models"].items()
    [(_, wanted)] = slow.to_dict()["models"].items()
    for key in ("value", "low", "high"):
        assert near(model["estimates"]["accuracy"][key], wanted["estimates"]["accuracy"][key])
    page_data((folder / "r.html").read_text(encoding="utf-8"))
    check_markdown((folder / "r.md").read_text(encoding="utf-8"))
    assert list(csv.reader(io.StringIO((folder / "r.csv").read_text(encoding="utf-8"), newline="")))


def rank(rng: np.random.Generator, folder: Path, run: Run) -> None:
    """Mean average precision and precision at 5, with judgements and results in one table."""
    n, queries = int(rng.integers(1, 80)), int(rng.integers(1, 5))
    columns: dict[str, list[Any]] = {"query": [f"q{rng.integers(queries)}" for _ in range(n)]}
    columns["document"] = [f"d{i}" for i in rng.permutation(n)]
    columns["score"] = [float(s) for s in np.round(rng.normal(size=n), int(rng.integers(0, 4)))]
    columns["relevance"] = [int(r) for r in rng.integers(-1, 3, n)]
    path = write(rng, columns, _form(rng), folder)
    names = [part for name in columns for part in (f"--{name}", name)]
    done = run(folder, ["rank", path.name, *names, "-m", "map", "-m", "P.5", "--per-query", "--format", "json"])
    assert done.exit_code == 0, done.stderr
    lists: dict[str, list[tuple[float, str, int]]] = defaultdict(list)
    for row in rows_of(path):
        lists[row["query"]].append((float(row["score"]), row["document"], int(row["relevance"])))
    [of_run] = _strict(done.stdout)["runs"]
    assert of_run["per_query"].keys() == lists.keys()
    slow: dict[str, list[float]] = {"map": [], "P_5": []}
    for query, entries in lists.items():
        hits = [relevance >= 1 for *_, relevance in sorted(entries, reverse=True)]
        terms = [sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit]
        here = {"map": math.fsum(terms) / sum(hits) if any(hits) else 0.0, "P_5": sum(hits[:5]) / 5}
        for name, value in here.items():
            assert near(of_run["per_query"][query][name], value), (query, name)
            slow[name].append(value)
    for name, values in slow.items():
        assert near(of_run["measures"][name]["value"], math.fsum(values) / len(values)), name


def _strict(text: str) -> Any:
    """JSON without the constants that JSON does not have."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in JSON")

    return json.loads(text, parse_constant=refuse)


KINDS = (classes, hard_labels, compare, threshold, assess, rank)
