"""Files, pipes and disks that do not behave: one sentence, one exit code, nothing half written."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import thresher as th
from thresher._util.atomic_file import atomic_write
from thresher.cli.deciding import read_costs
from thresher.cli.exit import CommandError
from thresher.cli.main import COMMANDS, cli
from thresher.counts import ScoreTable
from thresher.counts.saved import signed

ROWS = "y,p\n0,.02\n0,.1\n0,.2\n1,.9\n1,.97\n1,.05\n"
FITTED = ("calibrate", "p.csv", "--label", "y", "--score", "p", "--method", "platt")
FULL = Path("/dev/full")
on_posix = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("text", "this is not a saved thresher.CalibrationMap: it is not JSON text: Expecting value"),
        ("null", "this is not a saved thresher.CalibrationMap."),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"maps":' * 100_000, "it is nested too deeply"),
        ("\xff", "cannot be read: 'utf-8' codec can't decode"),
        (
            json.dumps(signed({"kind": "thresher.CalibrationMap", "schema": 1, "method": ["platt"]})),
            "method ['platt']",
        ),
        ('{"kind": "thresher.CalibrationMap", "schema": 1, "method": "platt"}', "lacks its checksum"),
        ('{"kind": "thresher.CalibrationMap", "schema": true, "method": "platt"}', "of schema True"),
        ('{"kind": "thresher.CalibrationMap", "schema": 1, "method": "platt", "slope": ' + "9" * 5000 + "}", "digit"),
    ],
)
def test_what_is_no_map_is_said(run, write, text, said) -> None:  # type: ignore[no-untyped-def]
    write("p.csv", ROWS)
    write("map.json", text.encode("latin-1"))
    done = run("calibrate", "p.csv", "--score", "p", "--map", "map.json")
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.startswith("thresher: --map map.json")


def test_an_edited_map_is_refused_and_a_falling_one_is_said(run, write) -> None:  # type: ignore[no-untyped-def]
    write("p.csv", ROWS)
    assert run(*FITTED, "-o", "map.json", "-q").err == ""
    form = json.loads(Path("map.json").read_text(encoding="utf-8"))
    write("edited.json", json.dumps(form | {"slope": -1.0}))
    done = run("calibrate", "p.csv", "--score", "p", "--map", "edited.json")
    assert (done.code, done.out) == (2, "")
    assert "was changed after it was written: its checksum does not fit" in done.err
    bare = {name: value for name, value in form.items() if name != "checksum"}
    write("falling.json", json.dumps(signed(bare | {"slope": -1.0})))
    done = run("calibrate", "p.csv", "--score", "p", "--map", "falling.json")
    assert done.code == 0
    assert "warning: the slope of the map is negative, so a higher score gets a lower probability." in done.err


def test_a_baseline_nested_deeply_is_said(run, write) -> None:  # type: ignore[no-untyped-def]
    write("p.csv", ROWS)
    write("b.json", "[" * 100_000)
    done = run("check", "p.csv", "--label", "y", "--score", "p", "--max-drop", "auc=0.1", "--baseline", "b.json")
    assert (done.code, done.out) == (2, "")
    assert "the baseline 'b.json' is not a JSON report" in done.err


@pytest.mark.slow
@on_posix
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("args", "out", "err", "code"),
    [
        (("report", "none.csv"), None, FULL, 2),
        (("check", "p.csv", "--label", "y", "--score", "p", "--fail-under", "auc=1"), None, FULL, 1),
        (("measures",), FULL, None, 2),
        (("measures", "--format", "json"), FULL, FULL, 2),
    ],
)
def test_a_full_disk_leaves_the_exit_code(tmp_path, environment, write, args, out, err, code, unbuffered) -> None:  # type: ignore[no-untyped-def]
    import subprocess
    import sys

    write("p.csv", ROWS)
    with open(out or os.devnull, "w") as stdout, open(err or tmp_path / "err", "w") as stderr:
        done = subprocess.run(
            [sys.executable, "-m", "thresher", *args], stdout=stdout, stderr=stderr, cwd=tmp_path,
            env=environment(PYTHONUNBUFFERED=unbuffered), check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == code
    if err is None:
        said = (tmp_path / "err").read_text(encoding="utf-8")
        assert said == "thresher: cannot read or write: No space left on device.\n"


@on_posix
def test_a_pipe_is_written_into_and_stays_a_pipe(run, write, tmp_path) -> None:  # type: ignore[no-untyped-def]
    write("p.csv", ROWS)
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text(encoding="utf-8")), daemon=True)
    reader.start()
    done = run("report", "p.csv", "--label", "y", "--score", "p", "-o", "pipe.json", "-q")
    reader.join(20)
    assert done.code == 0, done.err
    assert json.loads(found[0])["n"] == 6
    assert pipe.is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "pipe.json"]
    os.symlink("/dev/null", tmp_path / "null.json")
    assert run("report", "p.csv", "--label", "y", "--score", "p", "-o", "null.json", "-q").code == 0
    assert Path("/dev/null").is_char_device()
    os.symlink(FULL, tmp_path / "full.json")
    done = run("report", "p.csv", "--label", "y", "--score", "p", "-o", "full.json", "-q")
    assert done.code == 2
    assert "cannot write the report to 'full.json': no space left on device." in done.err


def test_a_file_is_there_whole_or_as_it_was(tmp_path) -> None:  # type: ignore[no-untyped-def]
    target = tmp_path / "a.txt"
    target.write_text("before")
    target.chmod(0o640)

    def half() -> None:
        with atomic_write(target) as place:
            place.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert target.read_text() == "before"
    with atomic_write(target) as place:
        place.write_text("after")
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == 0o640
    with pytest.raises(IsADirectoryError), atomic_write(tmp_path):
        pass


@pytest.mark.parametrize("name", ["\udcff", "a\ud800b"])
def test_half_a_character_in_a_name_is_written_as_a_question_mark(run, write, name) -> None:  # type: ignore[no-untyped-def]
    write("t.csv", "y,a\n" + "".join(f"{i % 2},{(i * 7) % 11}\n" for i in range(24)))
    estimator = f"{name}=thresher.resampling.nearest_mean:NearestMean()"
    files = [part for suffix in ("html", "json", "csv", "md", "txt") for part in ("-o", f"x.{suffix}")]
    done = run("assess", "t.csv", "--label", "y", "--method", "kfold:2", "--estimator", estimator, *files, "-q")
    assert done.code == 0, done.err
    for path in Path().glob("x.*"):
        assert path.read_bytes().decode("utf-8")
    done = run("assess", "t.csv", "--label", "y", "--estimator", f'a:B(c="{name}")')
    assert done.code == 2
    assert "half a character of UTF-16 is not text; an estimator is written" in done.err


def paths() -> Iterator[tuple[str, list[str]]]:
    """Every place of every command that takes the name of a file, with a null byte in it."""
    for command in COMMANDS:
        for each in cli.get_command(click.Context(cli), command).params:
            if "FILE" in (each.metavar or "FILES" * (each.name == "files")):
                yield command, ["a\0b.csv"] if each.param_type_name == "argument" else [each.opts[-1], "a\0b.html"]


def test_a_null_byte_in_any_name_of_a_file_is_told(run) -> None:  # type: ignore[no-untyped-def]
    places = list(paths())
    assert len(places) > 25
    for command, given in places:
        done = run(command, *given)
        assert (done.code, done.out) == (2, "")
        assert "html' has a null byte" in done.err or "csv' has a null byte" in done.err


@pytest.mark.parametrize("name", ["a\0b", "\0", "a\0/b", "~a\0/b", "*\0"])
def test_a_null_byte_in_the_name_of_a_file_is_an_error_of_its_own(name, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(ROWS)
    Path("j.qrels").write_text("1 0 d1 1\n")
    ev = th.evaluate("p.csv", "p", label="y")
    table = ScoreTable.from_scores([0, 1], [0.1, 0.2])
    for call in (
        lambda: th.evaluate(f"{name}.csv", "p", label="y"),
        lambda: th.evaluate(["p.csv", f"{name}.csv"], "p", label="y"),
        lambda: th.evaluate(Path(f"{name}.csv"), "p", label="y"),
        lambda: th.evaluate("p.csv", "p", label="y", truth=f"{name}.csv", key="k"),
        lambda: th.rank(f"{name}.qrels", "p.csv"),
        lambda: th.rank("j.qrels", f"{name}.run"),
        lambda: table.save(f"{name}.parquet"),
        lambda: ScoreTable.load(f"{name}.parquet"),
        lambda: ev.predictions.save(f"{name}.parquet"),
        lambda: th.Predictions.load(f"{name}.parquet"),
        lambda: ev.report(f"{name}.html"),
        lambda: read_costs(f"{name}.csv"),
    ):
        with pytest.raises((th.ThresherError, CommandError), match=r"null byte|no file"):
            call()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["j.qrels", "p.csv"]
