from __future__ import annotations

import json
from pathlib import Path

import pytest

ROWS = "y,p,q\n1,0.9,0.1\n1,0.8,0.4\n0,0.7,0.6\n1,0.6,0.3\n0,0.2,0.9\n"
EXAMPLE = ["--label", "diagnosis", "--positive", "malignant"]
FOREST = [*EXAMPLE, "--score", "random_forest"]


@pytest.fixture
def cancer(run) -> Path:  # type: ignore[no-untyped-def]
    """The example file, in the directory that the command runs in."""
    assert run("example").code == 0
    return Path("breast_cancer.csv")


def loaded(text: str) -> dict:  # type: ignore[type-arg]
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    result: dict = json.loads(text, parse_constant=refuse)  # type: ignore[type-arg]
    return result


def test_the_main_job(run, cancer: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = run("report", cancer, *FOREST, "--score", "naive_bayes", "--by", "nucleus_size", "-o", "report.html")
    assert done.code == 0, done.err
    assert "random_forest" in done.out
    assert "naive_bayes" in done.out
    assert "569" in done.out
    assert done.err == "thresher: wrote report.html\n"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")


def test_json_is_what_evaluate_gives_and_fits_the_schema(run, cancer: Path) -> None:  # type: ignore[no-untyped-def]
    jsonschema = pytest.importorskip("jsonschema")
    import thresher as th

    done = run("report", cancer, *FOREST, "--by", "nucleus_size", "--fold", "fold", "--format", "json")
    assert (done.code, done.err) == (0, "")
    given = loaded(done.out)
    schema = Path(th.__file__).parent / "report" / "schema.json"
    jsonschema.validate(given, json.loads(schema.read_text(encoding="utf-8")))
    assert (given["schema"], given["positive"], given["n"]) == (1, "malignant", 569)
    model = given["models"]["random_forest"]
    rows = th.load_example("breast_cancer")
    scores = {"random_forest": rows["random_forest"]}
    expected = th.evaluate(rows["diagnosis"], scores, positive="malignant", fold=rows["fold"])
    for name, estimate in expected["random_forest"].measures.items():
        value = model["measures"][name]["value"]
        assert value == pytest.approx(estimate.value) if value is not None else not estimate.value < float("inf")
    assert model["confusion_matrix"]["labels"] == ["malignant", "benign"]
    assert sum(map(sum, model["confusion_matrix"]["counts"])) == 569
    for parts, count in (("groups", 3), ("folds", 10)):
        assert len(given[parts]) == count
        assert sum(part["n"] for part in given[parts].values()) == 569


@pytest.mark.parametrize("name", ["a.html", "a.md", "a.json", "a.csv", "a.txt", "A.HTML"])
def test_the_suffix_decides_the_form_of_a_file(run, cancer: Path, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    done = run("report", cancer, *FOREST, "-o", name, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    forms = {".html": "html", ".md": "markdown", ".json": "json", ".csv": "csv", ".txt": "text"}
    printed = run("report", cancer, *FOREST, "--format", forms[Path(name).suffix.lower()])
    assert (tmp_path / name).read_text(encoding="utf-8").rstrip() == printed.out.rstrip()


def test_several_files_at_once_and_a_form_for_stdout(run, cancer: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = run("report", cancer, *FOREST, "-o", "a.md", "-o", "b.json", "--format", "csv")
    assert done.code == 0
    assert done.err == "thresher: wrote a.md\nthresher: wrote b.json\n"
    assert loaded((tmp_path / "b.json").read_text())["n"] == 569
    assert done.out.count("\n") > 20
    assert "," in done.out.splitlines()[0]


def test_dash_as_output_is_stdout(run, cancer: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    before = set(tmp_path.iterdir())
    plain = run("report", cancer, *FOREST)
    assert run("report", cancer, *FOREST, "-o", "-", "--quiet").out == plain.out
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("report.pdf", ".html"),
        ("report", ".html"),
        ("nowhere/report.html", "nowhere"),
        ("breast_cancer.csv", "breast_cancer.csv"),
        (".", "directory"),
    ],
)
def test_an_output_that_cannot_be_is_said_before_the_work(run, cancer: Path, output: str, said: str) -> None:  # type: ignore[no-untyped-def]
    before = cancer.read_bytes()
    done = run("report", cancer, "--label", "no such column, not even looked at", "-o", output)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "no such column" not in done.err
    assert cancer.read_bytes() == before


def test_an_output_that_a_pattern_would_read_is_refused(run, write) -> None:  # type: ignore[no-untyped-def]
    path = write("part-1.csv", ROWS)
    done = run("report", "part-*.csv", "--score", "p", "-o", "part-1.csv")
    assert done.code == 2
    assert "overwrite" in done.err
    assert path.read_text() == ROWS


def test_label_and_score_are_guessed_aloud(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "id,fold,target,p\n1,1,1,0.9\n2,1,0,0.4\n3,2,1,0.3\n")
    done = run("report", "a.csv", "--format", "json")
    assert done.code == 0, done.err
    assert done.err == ("thresher: label=target (guessed; set --label)\nthresher: score=p (guessed; set --score)\n")
    given = loaded(done.out)
    assert list(given["models"]) == ["p"]
    assert "guessed" in [note["code"] for note in given["notes"]]


def test_what_cannot_be_guessed_is_asked_for(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", ROWS)
    done = run("report", "a.csv")
    assert (done.code, done.out) == (2, "")
    assert "'p', 'q'" in done.err
    assert "--score" in done.err
    write("b.csv", ROWS.replace("y,", "diagnosis,"))
    done = run("report", "b.csv", "--score", "p")
    assert (done.code, done.out) == (2, "")
    assert "'diagnosis'" in done.err
    assert "--label" in done.err


def test_the_positive_label_is_asked_for_with_the_labels(run, cancer: Path) -> None:  # type: ignore[no-untyped-def]
    done = run("report", cancer, "--label", "diagnosis", "--score", "random_forest")
    assert (done.code, done.out) == (2, "")
    assert "'benign'" in done.err
    assert "'malignant'" in done.err
    assert "--positive" in done.err
    wrong = run("report", cancer, "--label", "diagnosis", "--score", "random_forest", "--positive", "Malignant")
    assert wrong.code == 2
    assert "'Malignant'" in wrong.err


@pytest.mark.parametrize(
    ("labels", "spelling", "positive"),
    [
        (("true", "false"), "true", True),
        (("True", "False"), "FALSE", False),
        (("1", "2"), "2.0", 2),
        (("0.5", "1.5"), "1.50", 1.5),
        (("01", "02"), "02", "02"),
        (("1", "1"), "1.0", 1),
        (("true", "true"), "TRUE", True),
        (("1", "0"), "True", 1),
        (("true", "false"), "1", True),
    ],
)
def test_positive_is_spelled_on_a_command_line(run, write, labels, spelling: str, positive: object) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", f"y,p\n{labels[0]},0.9\n{labels[1]},0.2\n")
    given = loaded(run("report", "a.csv", "--score", "p", "--positive", spelling, "--format", "json").out)
    assert given["positive"] == positive
    hits, misses = given["models"]["p"]["confusion_matrix"]["counts"][0]
    assert hits + misses == (2 if labels[0] == labels[1] else 1)


@pytest.mark.parametrize("spelling", ["\uff11", "\u0661", "\u09e7", "1_0"])
def test_a_positive_label_in_digits_of_another_script_names_no_number(run, write, spelling: str) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p\n1,0.9\n10,0.2\n")
    done = run("report", "a.csv", "--score", "p", "--positive", spelling)
    assert done.code == 2
    assert "is not among the labels 1, 10" in done.err


@pytest.mark.parametrize(("truth", "said"), [(("true", "false"), ("1", "0")), (("1", "0"), ("true", "false"))])
@pytest.mark.parametrize("spelling", ["true", "True", "1"])
def test_booleans_beside_0_and_1_are_named_by_either(run, write, truth, said, spelling: str) -> None:  # type: ignore[no-untyped-def]
    rows = [(truth[0], said[0]), (truth[1], said[1]), (truth[0], said[1])]
    write("a.jsonl", "".join(f'{{"y": {y}, "p": {p}}}\n' for y, p in rows))
    done = run("report", "a.jsonl", "--label", "y", "--predicted", "p", "--positive", spelling, "--format", "json")
    assert loaded(done.out)["models"]["p"]["confusion_matrix"]["counts"] == [[1, 1], [0, 1]], done.err


def test_thresholds_for_all_models_and_for_one(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", ROWS)
    both = ["report", "a.csv", "--score", "p", "--score", "q", "--format", "json"]
    assumed = loaded(run(*both).out)
    assert [m["threshold"] for m in assumed["models"].values()] == [0.5, 0.5]
    given = loaded(run(*both, "--threshold", "0.75", "--threshold", "q=0.35").out)
    assert [m["threshold"] for m in given["models"].values()] == [0.75, 0.35]
    assert given["models"]["p"]["confusion_matrix"]["counts"] == [[2, 1], [0, 2]]
    one = loaded(run(*both, "--threshold", "q=0.35").out)
    assert [m["threshold"] for m in one["models"].values()] == [0.5, 0.35]


@pytest.mark.parametrize(
    ("cuts", "said"),
    [
        (["x"], "'x'"),
        (["r=0.5"], "'r'"),
        (["0.1", "0.2"], "twice"),
        (["p=1", "p=2"], "twice"),
        (["p="], "'p='"),
        (["nan"], "nan"),
    ],
)
def test_a_threshold_that_is_none(run, write, cuts: list[str], said: str) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", ROWS)
    options = [word for cut in cuts for word in ("--threshold", cut)]
    done = run("report", "a.csv", "--score", "p", *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_missing_values_are_an_error_or_dropped_and_counted(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p\n1,0.9\n0,\n1,0.3\n,0.5\n0,0.2\n")
    done = run("report", "a.csv", "--score", "p")
    assert (done.code, done.out) == (2, "")
    assert "'p'" in done.err or "'y'" in done.err
    assert "row" in done.err
    assert "--missing drop" in done.err
    dropped = loaded(run("report", "a.csv", "--score", "p", "--missing", "drop", "--format", "json").out)
    assert dropped["n"] == 3
    [said] = [note["text"] for note in dropped["notes"] if note["code"] == "dropped-rows"]
    assert said.startswith("2 of 5 rows are dropped")


def test_weights_of_both_kinds(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p,w\n1,0.9,1\n0,0.8,2\n1,0.3,3\n0,0.2,4\n")
    write("b.csv", "y,p\n1,0.9\n" + "0,0.8\n" * 2 + "1,0.3\n" * 3 + "0,0.2\n" * 4)
    weighted = ["report", "a.csv", "--score", "p", "--weight", "w", "--format", "json"]
    repeated = loaded(run("report", "b.csv", "--score", "p", "--format", "json").out)["models"]["p"]
    frequency = loaded(run(*weighted, "--weight-kind", "frequency").out)["models"]["p"]
    importance = loaded(run(*weighted).out)["models"]["p"]
    assert frequency["confusion_matrix"]["counts"] == repeated["confusion_matrix"]["counts"]
    for name, measure in repeated["measures"].items():
        assert frequency["measures"][name]["value"] == pytest.approx(measure["value"]), name
        assert importance["measures"][name]["value"] == pytest.approx(measure["value"]), name
        assert frequency["measures"][name]["low"] == pytest.approx(measure["low"]), name


def test_predicted_labels(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,said\nill,ill\nwell,ill\nill,well\nwell,well\nwell,well\n")
    done = run("report", "a.csv", "--predicted", "said", "--positive", "ill", "--format", "json")
    assert done.code == 0, done.err
    assert loaded(done.out)["models"]["said"]["confusion_matrix"]["counts"] == [[1, 1], [1, 2]]


def test_truth_in_another_file(run, write) -> None:  # type: ignore[no-untyped-def]
    write("scores.csv", "id,p\nb,0.2\na,0.9\nc,0.3\n")
    write("truth.csv", "id,y\na,1\nb,0\nc,1\n")
    done = run("report", "scores.csv", "--truth", "truth.csv", "--key", "id", "--score", "p", "--format", "json")
    assert done.code == 0, done.err
    assert loaded(done.out)["models"]["p"]["measures"]["auc"]["value"] == 1
    assert "label=y (guessed; set --label)" in done.err
    write("truth.csv", "id,y\na,1\nb,0\nd,1\n")
    unmatched = run("report", "scores.csv", "--truth", "truth.csv", "--key", "id", "--score", "p", "--label", "y")
    assert (unmatched.code, unmatched.out) == (2, "")
    assert "1" in unmatched.err
    alone = run("report", "scores.csv", "--truth", "truth.csv", "--score", "p", "--label", "y")
    assert alone.code == 2
    assert "--key" in alone.err


def test_long_format(run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "model,id,y,p\nA,1,1,0.9\nA,2,0,0.2\nB,1,1,0.1\nB,2,0,0.7\n")
    done = run("report", "a.csv", "--model-column", "model", "--key", "id", "--score", "p", "--format", "json")
    assert done.code == 0, done.err
    values = {name: m["measures"]["auc"]["value"] for name, m in loaded(done.out)["models"].items()}
    assert values == {"A": 1, "B": 0}


def test_the_level_and_the_title_reach_the_report(run, cancer: Path) -> None:  # type: ignore[no-untyped-def]
    narrow, wide = (
        loaded(run("report", cancer, *FOREST, "--level", level, "--format", "json").out)["models"]["random_forest"]
        for level in ("0.5", "0.99")
    )
    assert narrow["measures"]["auc"]["level"] == 0.5
    assert wide["measures"]["auc"]["low"] < narrow["measures"]["auc"]["low"]
    assert "Ward <7>" in run("report", cancer, *FOREST, "--title", "Ward <7>").out
    assert "Ward <7>" not in run("report", cancer, *FOREST, "--title", "Ward <7>", "--format", "html").out
    for level in ("0", "1", "95", "-1", "nan"):
        bad = run("report", cancer, *FOREST, "--level", level)
        assert bad.code == 2
        assert "--level" in bad.err


@pytest.mark.slow
def test_the_policy_for_undefined(run, process, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p\n1,0.1\n0,0.2\n")
    command = ["report", "a.csv", "--score", "p", "--format", "json"]
    plain = loaded(run(*command).out)["models"]["p"]["measures"]["positive_predictive_value"]
    assert plain["value"] is None
    assert plain["reason"]
    zero = loaded(run(*command, "--undefined", "0").out)["models"]["p"]["measures"]["positive_predictive_value"]
    assert zero["value"] == 0
    refused = run(*command, "--undefined", "raise")
    assert (refused.code, refused.out) == (2, "")
    assert "undefined" in refused.err
    warned = process(*command, "--undefined", "warn")
    assert warned.code == 0
    assert "thresher: warning: " in warned.err
    assert "Warning:" not in warned.err
    assert run(*command, "--undefined", "zero").code == 2


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_notes_name_options_not_keywords(run, write, form: str) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", "y,p,g\n" + 10 * "1,0.1,a\n0,0.9,a\n1,0.2,b\n0,0.15,b\n")
    out = run("report", "a.csv", "--score", "p", "--by", "g", "--format", form).out
    assert "--threshold" in out
    assert "--lower-is-positive" in out
    assert "threshold=" not in out.replace("data-threshold=", "")
    assert "direction=" not in out


def test_the_defaults_in_the_help_are_those_of_the_library(run) -> None:  # type: ignore[no-untyped-def]
    from thresher.conventions import DEFAULT_THRESHOLD, LEVEL, SEED

    text = " ".join(run("report", "--help").out.split())
    assert f"Confidence level of the intervals, such as 0.9 or 90%. [default: {LEVEL}]" in text
    assert f"Seed of everything random. [default: {SEED}]" in text
    assert f"Default: {DEFAULT_THRESHOLD} where every score" in text


def test_the_command_to_copy_names_the_files_and_their_options(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lines = [f"{i % 2},{(i * 7 % 10) / 10},{1 + i % 3}" for i in range(20)]
    (tmp_path / "my rows.csv").write_text("y,p,w\n" + "\n".join(lines))
    done = run("report", "my rows.csv", "--label", "y", "--score", "p", "--weight", "w", "-o", "r.html", "-q")
    assert done.code == 0, done.err
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    call = json.loads(page.split('id="data">')[1].split("</script>")[0])["call"]["command"]
    assert call == ["my rows.csv", "--weight", "w", "--label", "y", "--positive", "1"]
    assert run("threshold", *call, "--score", "p", "--cost-fp", "1", "--cost-fn", "5").code == 0
