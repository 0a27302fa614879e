import shlex
from pathlib import Path

import pytest

from thresher.examples import EXAMPLES, example_bytes, load_example


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_writes_the_example_and_the_command_to_try(run, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    done = run("example", name)
    assert (done.code, done.out) == (0, "")
    assert (tmp_path / f"{name}.csv").read_bytes() == example_bytes(name)
    assert f"thresher report {name}.csv" in done.err


def test_the_command_to_try_works(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    said = run("example", "-o", "my file.csv").err
    command = shlex.split(said.partition("now try: ")[2])
    done = run(*command[1:])
    assert done.code == 0, done.err
    assert (tmp_path / "report.html").stat().st_size > 1000


def test_another_file_is_not_overwritten_unless_forced(run, write) -> None:  # type: ignore[no-untyped-def]
    path = write("breast_cancer.csv", "mine")
    refused = run("example")
    assert refused.code == 2
    assert "--force" in refused.err
    assert path.read_text() == "mine"
    assert run("example", "--force").code == 0
    assert path.read_bytes() == example_bytes("breast_cancer")
    assert run("example").code == 0


def test_to_stdout_it_is_data_only(run) -> None:  # type: ignore[no-untyped-def]
    done = run("example", "digit_eight", "-o", "-")
    assert (done.code, done.err) == (0, "")
    assert done.out.encode() == example_bytes("digit_eight")


def test_list_and_unknown_names(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    listed = run("example", "--list")
    assert listed.code == 0
    assert all(name in listed.out for name in EXAMPLES)
    unknown = run("example", "iris")
    assert unknown.code == 2
    assert all(name in unknown.err for name in EXAMPLES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["ten", "five", "tied"])
def test_small_rows_are_a_file_to_walk(run, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    done = run("example", name)
    assert done.code == 0, done.err
    rows = load_example(name)
    written = [line.split(",") for line in (tmp_path / f"{name}.csv").read_text().splitlines()]
    assert written[0] == ["truth", "score"]
    assert [(int(truth), float(score)) for truth, score in written[1:]] == list(zip(*rows.values(), strict=True))
    walked = run(*shlex.split(done.err.partition("now try: ")[2])[1:])
    assert walked.code == 0, walked.err
    concordant = {"ten": 19, "five": 5, "tied": 18}  # pairs, ties a half: the last area
    assert float(walked.out.splitlines()[-1].split(",")[-1]) == concordant[name]
