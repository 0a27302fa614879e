"""`thresher apply`: what was chosen, put to use on other rows."""

import csv
import io
import json

import numpy as np
import pytest

import thresher as th
from thresher.calibration import map_from_json

RNG = np.random.default_rng(5)
N = 60
TRUTH = RNG.integers(0, 2, N)
A, B = (np.round(0.4 * TRUTH + RNG.random(N) * 0.6, 2) for _ in range(2))
LINES = ["id,y,a,b,g", *(f"{i:03d},{'ill' if t else 'well'},{a},{b},{'mn'[i % 2]}"
                         for i, (t, a, b) in enumerate(zip(TRUTH, A, B, strict=True)))]  # fmt: skip
COMMON = ("valid.csv", "--label", "y", "--positive", "ill", "-q")
P = RNG.dirichlet([1, 1, 1], N)
KIND = np.array(["ash", "fir", "oak"])[[RNG.choice(3, p=p) for p in P]]


@pytest.fixture(autouse=True)
def files(tmp_path):
    (tmp_path / "valid.csv").write_text("\n".join(LINES) + "\n")
    rows = (f"{k},{p[1]!r},{p[0]!r},{p[2]!r}" for k, p in zip(KIND, P.tolist(), strict=True))
    (tmp_path / "kinds.csv").write_text("\n".join(["kind,n_fir,n_ash,n_oak", *rows]) + "\n")


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_rows_are_decided_as_the_threshold_was_evaluated(run, tmp_path):
    assert run("threshold", *COMMON, "--score", "a", "--score", "b", "--max", "youden", "-o", "chosen.json").code == 0
    entries = json.loads((tmp_path / "chosen.json").read_text())["thresholds"]
    done = run("apply", "chosen.json", "valid.csv")
    assert (done.code, done.err) == (0, "")
    rows = table(done.out)
    assert list(rows[0]) == ["id", "y", "a", "b", "g", "a_decision", "b_decision"]
    assert rows[7]["id"] == "007"  # the text as it stood
    for entry in entries:
        said = [row[f"{entry['model']}_decision"] for row in rows]
        matrix = th.ConfusionMatrix.from_predictions([row["y"] for row in rows], said, positive="ill")
        assert matrix.counts.tolist() == entry["confusion_matrix"]["counts"]
    one = run("apply", "chosen.json", "-", "--model", "b", "--score", "b", stdin="b\n0.9\n\n0.1\n")
    assert [row["b_decision"] for row in table(one.out)] == ["ill", "", "well"]
    assert "1 of 3 rows have no b, and get no decision" in one.err
    assert list(table(run("apply", "chosen.json", "valid.csv", "--model", "a").out)[0])[-1] == "a_decision"


SITES = [{"id": f"r{i}", "day": f"2026-01-0{i % 3 + 1}", "site": 'a"b' if i % 2 else "", "p": str(p),
          "guess": "yn"[p < 0.5]}
         for i, p in enumerate((0.9, 0.2, 0.7, 0.4, 0.61, 0.123456789012345678) * 5)]  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        ("apply", "chosen.json", "FILE"),
        ("expected", "FILE", "--score", "p", "--by", "day", "--format", "csv"),
        ("gold", "FILE", "--score", "p", "--judge", "guess", "--positive", "y", "--rows", "12", "--format", "csv"),
    ],
)
def test_text_in_json_lines_is_that_of_a_csv_file(run, tmp_path, call):
    """It was written with its quotes, so that identifiers did not join any more."""
    rows = ["y,p", *(f"{i % 2},{0.3 + i % 2 * 0.4}" for i in range(20))]
    (tmp_path / "small.csv").write_text("\n".join(rows))
    assert run("threshold", "small.csv", "--label", "y", "--score", "p", "--max", "f1", "-o", "chosen.json").code == 0
    with (tmp_path / "sites.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, list(SITES[0]))
        writer.writeheader()
        writer.writerows(SITES)
    lines = (json.dumps(row | {"p": float(row["p"]), "site": row["site"] or None}) for row in SITES)
    (tmp_path / "sites.jsonl").write_text("\n".join(lines))
    of_csv, of_json = (run(*(word.replace("FILE", file) for word in call)) for file in ("sites.csv", "sites.jsonl"))
    assert (of_csv.code, of_json.code) == (0, 0)
    assert table(of_csv.out) == table(of_json.out)


def test_a_score_that_is_text_in_json_is_refused_as_in_a_report(run, tmp_path):
    (tmp_path / "texts.jsonl").write_text('{"y": 1, "a": "0.5"}\n')
    assert run("threshold", *COMMON, "--score", "a", "--max", "youden", "-o", "chosen.json").code == 0
    assert "which is not a number" in run("apply", "chosen.json", "texts.jsonl").err


def test_a_reject_option_defers(run):
    how = ("--cost-fp", "1", "--cost-fn", "2", "--reject", "deferral=0.2")
    assert run("threshold", *COMMON, "--score", "a", *how, "-o", "reject.json").code == 0
    found = th.evaluate(TRUTH, A).with_reject(costs=th.decisions.Costs(fp=1, fn=2), deferral=0.2)
    words = {1: "ill", 0: "well", -1: "deferred"}
    rows = table(run("apply", "reject.json", "valid.csv").out)
    assert [row["a_decision"] for row in rows] == [words[code] for code in found.option.predict(A).tolist()]
    assert any(row["a_decision"] == "deferred" for row in rows)


@pytest.mark.parametrize("how", [["--cost-matrix", "costs.csv"], ["--max", "macro_f1"]])
def test_several_classes_are_decided_by_costs_or_weights(run, tmp_path, how):
    (tmp_path / "costs.csv").write_text("truth,ash,fir,oak\nash,0,1,1\nfir,5,0,1\noak,9,1,0\n")
    made = run("threshold", "kinds.csv", "--label", "kind", "--proba", "n_", *how, "-q", "-o", "chosen.json")
    assert made.code == 0, made.err
    [entry] = json.loads((tmp_path / "chosen.json").read_text())["decisions"]
    rows = table(run("apply", "chosen.json", "kinds.csv", "--proba", "n_").out)
    assert table(run("apply", "chosen.json", "kinds.csv").out) == rows  # the file names the columns
    labels = entry["labels"]
    matrix = th.ConfusionMatrix.from_predictions(KIND, [row["n_decision"] for row in rows], labels=labels)
    assert matrix.counts.tolist() == entry["counts"]
    (tmp_path / "off.csv").write_text("n_ash,n_fir,n_oak\n0.2,0.2,0.2\n")
    off = run("apply", "chosen.json", "off.csv", "--proba", "n_")
    assert (off.code, "add up to 0.6, not to 1; --normalize" in off.err) == (2, True)
    assert run("apply", "chosen.json", "off.csv", "--proba", "n_", "--normalize").code == 0


def test_each_rule_of_several_classes_reads_its_columns(run, tmp_path):
    rows = (",".join([kind, *map(repr, p + p)]) for kind, p in zip(KIND, P.tolist(), strict=True))
    (tmp_path / "twice.csv").write_text("\n".join(["kind,n_ash,n_fir,n_oak,p(ash),p(fir),p(oak)", *rows]))
    columns = ("--proba", "n_ash,n_fir,n_oak", "--proba", "again=p(*)")
    run("threshold", "twice.csv", "--label", "kind", *columns, "--classes", "ash,fir,oak", "--max", "macro_f1",
        "-q", "-o", "chosen.json")  # fmt: skip
    rows = table(run("apply", "chosen.json", "twice.csv").out)
    assert rows
    assert [row["model_decision"] for row in rows] == [row["again_decision"] for row in rows]
    [rule, _] = json.loads((tmp_path / "chosen.json").read_text())["decisions"]
    (tmp_path / "rule.json").write_text(json.dumps(rule["decision_rule"]))  # as Python saves it, without columns
    assert "named 'proba_*'" in run("apply", "rule.json", "kinds.csv").err
    assert run("apply", "rule.json", "kinds.csv", "--proba", "n_").code == 0


@pytest.mark.parametrize("positive", ["ill", "well"])
@pytest.mark.parametrize("columns", ["p_", "p_well,p_ill", "m=u,v"])
def test_two_classes_given_by_probabilities_are_the_score_of_one(run, tmp_path, positive, columns):
    """`threshold` named a method of Python, and `apply` a column that no file has."""
    lines = [
        f"{'ill' if t else 'well'},{a!r},{1 - a!r},{a!r},{1 - a!r}" for t, a in zip(TRUTH, A.tolist(), strict=True)
    ]
    (tmp_path / "two.csv").write_text("\n".join(["y,p_ill,p_well,u,v", *lines]))
    common = ("two.csv", "--label", "y", "--positive", positive, "-q")
    column = ("u" if positive == "ill" else "v") if "u" in columns else f"p_{positive}"
    for command, how in (("threshold", ("--max", "youden")), ("threshold", ("--reject", "accuracy=0.8")),
                         ("calibrate", ()), ("calibrate", ("--apply", "two.csv", "--same-rows"))):  # fmt: skip
        outs = []
        for name in ("--score", column), ("--proba", columns, "--classes", "ill,well"):
            done = run(command, *common, *name, *how, "-o", out := "out.csv" if "--apply" in how else "out.json")
            assert done.code == 0, done.err
            assert out == "out.csv" or run("apply", out, "two.csv", "-o", "out.csv").code == 0
            outs.append((tmp_path / "out.csv").read_text())
        assert outs[0] == outs[1]
    refused = run("threshold", *common, "--proba", columns, "--classes", "ill,well", "--cost-matrix", "costs.csv")
    assert (refused.code, "--cost-fp" in refused.err) == (2, True)


def test_a_map_and_a_rule_of_python_are_applied(run, tmp_path):
    run("calibrate", *COMMON, "--score", "a", "--method", "platt", "-o", "map.json")
    found = map_from_json((tmp_path / "map.json").read_text())
    done = table(run("apply", "map.json", "valid.csv", "--score", "a").out)
    assert [float(row["a_calibrated"]) for row in done] == found.transform(A).tolist()
    assert table(run("apply", "map.json", "valid.csv").out) == done  # the file names the column of the map
    (tmp_path / "map.json").write_text(found.to_json())  # one of Python does not
    lost = run("apply", "map.json", "valid.csv")
    assert (lost.code, "--score COLUMN" in lost.err) == (2, True)
    rule = th.decisions.ScoreRule(upper=0.5, lower=0.5, labels=(True, False), score="b")
    (tmp_path / "rule.json").write_text(rule.to_json())
    assert [row["b_decision"] == "True" for row in table(run("apply", "rule.json", "valid.csv").out)] == (
        B >= 0.5
    ).tolist()


def test_a_label_that_reads_as_deferred_is_refused(run, tmp_path):
    for upper, code in ((0.5, 0), (0.6, 2)):
        rule = th.decisions.ScoreRule(upper=upper, lower=0.5, labels=("yes", "deferred"), score="a")
        (tmp_path / "rule.json").write_text(rule.to_json())
        done = run("apply", "rule.json", "valid.csv")
        assert (done.code, "a label is called 'deferred'" in done.err) == (code, code == 2)


def test_parquet_keeps_what_stood_there(run, tmp_path):
    import duckdb

    run("threshold", *COMMON, "--score", "a", "--max", "youden", "-o", "chosen.json")
    duckdb.sql(f"COPY (SELECT i AS id, i / 10.0 AS a, DATE '2024-02-29' AS day, CASE WHEN i > 2 THEN 'x,\"y' END AS t "
               f"FROM range(12) r(i)) TO '{tmp_path}/new.parquet'")  # fmt: skip
    done = run("apply", "chosen.json", "new.parquet", "-o", "out.parquet", "-o", "out.csv")
    assert (done.code, done.out) == (0, "added a_decision\n"), done.err
    same = "SELECT id, a, day, t FROM"
    before, after = (duckdb.sql(f"{same} '{tmp_path}/{name}.parquet'") for name in ("new", "out"))
    assert before.types == after.types
    assert before.fetchall() == after.fetchall()
    said = duckdb.sql(f"SELECT a_decision FROM '{tmp_path}/out.parquet'").fetchall()
    assert [row["a_decision"] for row in table((tmp_path / "out.csv").read_text())] == [word for (word,) in said]
    run("apply", "chosen.json", "valid.csv", "-o", "text.parquet")
    kinds = duckdb.sql(f"SELECT * FROM '{tmp_path}/text.parquet'")
    assert dict(zip(kinds.columns, map(str, kinds.types), strict=True)) == {
        "id": "VARCHAR", "y": "VARCHAR", "a": "DOUBLE", "b": "VARCHAR", "g": "VARCHAR", "a_decision": "VARCHAR",
    }  # fmt: skip


def _changed(value):
    """Value of the same type that is another one."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else f"{value}x"


def test_parquet_keeps_bytes_and_nanoseconds_of_many_row_groups(run, tmp_path):
    import duckdb

    run("threshold", *COMMON, "--score", "a", "--max", "youden", "-o", "chosen.json")
    kinds = "encode('ä' || i) || '\\x00\\xFF'::BLOB AS key, make_timestamp_ns(i) AS at, i / 30000.0 AS a, i AS c_61"
    for part in (0, 1):
        duckdb.sql(f"COPY (SELECT {kinds} FROM range({part} * 15000, {part} * 15000 + 15000) r(i)) "
                   f"TO '{tmp_path}/new{part}.parquet' (ROW_GROUP_SIZE 2048)")  # fmt: skip
    assert run("apply", "chosen.json", "new0.parquet", "new1.parquet", "-o", "out.parquet", "-o", "out.csv").code == 0
    cut = json.loads((tmp_path / "chosen.json").read_text())["thresholds"][0]["threshold"]
    given = f"SELECT *, CASE WHEN a >= {cut!r} THEN 'ill' ELSE 'well' END AS a_decision FROM '{tmp_path}/new*.parquet'"
    out = duckdb.sql(f"FROM '{tmp_path}/out.parquet'")
    assert out.types == duckdb.sql(given).types
    assert duckdb.sql(f"SELECT count(*) FROM ({given} EXCEPT FROM '{tmp_path}/out.parquet')").fetchall() == [(0,)]
    assert out.project("c_61").fetchall() == [(i,) for i in range(30_000)]
    last = table((tmp_path / "out.csv").read_text())[-1]
    assert (last["key"], last["at"]) == ("\\xC3\\xA429999\\x00\\xFF", "1970-01-01 00:00:00.000029999")


def _leaves(value, *path):
    """Paths to the numbers and texts of a form, one of each list."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, *path, key)
    elif isinstance(value, list):
        yield from (_leaves(value[0], *path, 0) if value else ())
    elif value is not None:
        yield path


@pytest.mark.parametrize(
    ("rows", "how"),
    [
        (("valid.csv", "--score", "a"), ("--max", "youden", "--by", "g")),
        (("valid.csv", "--score", "a"), ("--cost-fp", "1", "--cost-fn", "2", "--reject", "deferral=0.2")),
        (("kinds.csv", "--proba", "n_"), ("--max", "macro_f1")),
    ],
)
def test_a_document_of_which_anything_was_edited_is_refused(run, tmp_path, rows, how):
    label = ("--label", "y", "--positive", "ill") if rows[0] == "valid.csv" else ("--label", "kind")
    assert run("threshold", *rows, *label, *how, "-o", "chosen.json", "-q").code == 0
    whole = json.loads((tmp_path / "chosen.json").read_text())
    assert run("apply", "chosen.json", *rows, "-q").code == 0
    paths = list(_leaves(whole))
    assert len(paths) > 10
    for *above, last in paths:
        form = json.loads(json.dumps(whole))
        inner = form
        for key in above:
            inner = inner[key]
        inner[last] = _changed(inner[last])
        (tmp_path / "edited.json").write_text(json.dumps(form))
        done = run("apply", "edited.json", *rows)
        assert (done.code, done.out) == (2, ""), (above, last)


def test_a_map_of_which_anything_was_edited_is_refused(run, tmp_path):
    run("calibrate", *COMMON, "--score", "a", "--method", "beta", "-o", "map.json")
    whole = json.loads((tmp_path / "map.json").read_text())
    for (name,) in _leaves(whole):
        (tmp_path / "edited.json").write_text(json.dumps({**whole, name: _changed(whole[name])}))
        assert run("apply", "edited.json", "valid.csv", "--score", "a").code == 2, name
        assert run("calibrate", *COMMON, "--score", "a", "--map", "edited.json").code == 2, name


@pytest.mark.peer
def test_a_threshold_chosen_on_text_decides_float32_of_parquet_alike(run, write) -> None:  # type: ignore[no-untyped-def]
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(6)
    score = rng.integers(0, 11, 400) / 10
    truth = (rng.random(400) < 0.2 + 0.6 * score).astype(int)
    write("rows.csv", "y,s\n" + "".join(f"{y},{s}\n" for y, s in zip(truth, score, strict=True)))
    for name, kind in (("float.parquet", "float"), ("double.parquet", "double")):
        pq.write_table(pa.table({"y": truth, "s": pa.array(score, pa.float64()).cast(kind)}), name)
    decided = {}
    for cut in ("0.7", "0.6", "0.1"):
        asked = ("threshold", "rows.csv", "--label", "y", "--score", "s", "--max", "accuracy", "-q")
        assert run(*asked, "--bound", f"tpr>={(score[truth == 1] >= float(cut)).mean():.6f}", "-o", "c.json").code == 0
        for name in ("rows.csv", "float.parquet", "double.parquet"):
            assert run("apply", "c.json", name, "-o", "out.parquet", "-q").code == 0
            decided[name] = pq.read_table("out.parquet")["s_decision"].to_pylist()
        assert decided["rows.csv"] == decided["float.parquet"] == decided["double.parquet"]
        checked = [run("check", name, "--label", "y", "--score", "s", "--threshold", cut, "--on", "value",
                       "--fail-under", "recall=0.5", "--format", "json").out for name in decided]  # fmt: skip
        assert checked[0] == checked[1] == checked[2]
