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


@pytest.mark.parametrize(
    ("labels", "spelling", "positive"),
    [
        (("true", "false"), "true", True), (("True", "False"), "FALSE", False), (("1", "2"), "2.0", 2),
        (("0.5", "1.5"), "1.50", 1.5), (("01", "02"), "02", "02"), (("1", "1"), "1.0", 1),
        (("true", "true"), "TRUE", True), (("1", "0"), "True", 1), (("true", "false"), "1", True),
    ],
)  # fmt: skip
def test_positive_is_spelled_on_a_command_line(run, write, labels, spelling: str, positive: object) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", f"y,p\n{labels[0]},0.9\n{labels[1]},0.2\n")
    given = loaded(run("report", "a.csv", "--score", "p", "--positive", spelling, "--format", "json").out)
    assert given["positive"] == positive
    hits, misses = given["models"]["p"]["confusion_matrix"]["counts"][0]
    assert hits + misses == (2 if labels[0] == labels[1] else 1)


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


def test_the_defaults_in_the_help_are_those_of_the_library(run) -> None:  # type: ignore[no-untyped-def]
    from thresher.conventions import DEFAULT_THRESHOLD, LEVEL, SEED

    text = " ".join(run("report", "--help").out.split())
    assert f"Confidence level of the intervals, such as 0.9 or 90%. [default: {LEVEL}]" in text
    assert f"Random seed. [default: {SEED}]" in text
    assert f"Default: {DEFAULT_THRESHOLD} for a model" in text


def test_the_command_to_copy_names_the_files_and_their_options(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lines = [f"{i % 2},{(i * 7 % 10) / 10},{1 + i % 3}" for i in range(20)]
    (tmp_path / "my rows.csv").write_text("y,p,w\n" + "\n".join(lines))
    done = run("report", "my rows.csv", "--label", "y", "--score", "p", "--weight", "w", "-o", "r.html", "-q")
    assert done.code == 0, done.err
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    call = json.loads(page.split('id="data">')[1].split("</script>")[0])["call"]["command"]
    assert call == ["my rows.csv", "--weight", "w", "--label", "y", "--positive", "1"]
    assert run("threshold", *call, "--score", "p", "--cost-fp", "1", "--cost-fn", "5").code == 0
