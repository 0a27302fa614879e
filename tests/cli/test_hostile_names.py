"""Names that would do something where they are shown: in a terminal, in a spreadsheet."""

import csv
import io
import unicodedata
from pathlib import Path

import numpy as np
import pytest

ESC = "\x1b[2J\x1b]0;title\x07"
MORE = f"{ESC}\x7f\x9b2J\u202e"
FILE, LABEL, SCORE, OTHER, GROUP = (f"{name}{ESC}" for name in ("file", "y", "a", "b", "g"))


@pytest.fixture
def hostile(write) -> Path:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    a, b = rng.normal(size=(2, 40)) + y
    lines = [f"{'ill' if t else 'well'}{ESC},{s:.3f},{r:.3f},{'u' if i % 3 else 'v'}{ESC},{i // 2}" for i, (t, s, r) in
             enumerate(zip(y, a, b, strict=True))]  # fmt: skip
    return write(f"{FILE}.csv", f"{LABEL},{SCORE},{OTHER},{GROUP},id\n" + "\n".join(lines) + "\n")


ILL = ("--label", LABEL, "--positive", f"ill{ESC}")
CALLS = {
    "report": (*ILL, "--score", SCORE, "--score", OTHER, "--by", GROUP, "--threshold", "0.5"),
    "compare": (*ILL, "--score", SCORE, "--score", OTHER),
    "threshold": (*ILL, "--score", SCORE, "--max", "mcc"),
    "table": (*ILL, "--score", SCORE, "--format", "text", "--thin", "5"),
    "check": (*ILL, "--score", SCORE, "--by", GROUP, "--fail-under", "auc=0.9"),
    "calibrate": (*ILL, "--score", SCORE, "--method", "platt", "-o", "map.json"),
}


@pytest.mark.parametrize("command", CALLS)
def test_no_name_moves_the_cursor(run, hostile, command) -> None:  # type: ignore[no-untyped-def]
    done = run(command, hostile.name, *CALLS[command])
    assert done.code in (0, 1), done.err
    assert "\x1b" not in done.out + done.err
    assert "\x07" not in done.out + done.err
    assert "\\x1b[2J" in done.out + done.err
    if command in ("report", "threshold"):
        assert run(command, hostile.name, *CALLS[command], "-o", f"{FILE}.txt", "-q").code == 0
        assert "\x1b" not in Path(f"{FILE}.txt").read_text(encoding="utf-8")


FORMS = {
    "report": ("text", "json", "csv", "markdown", "latex", "html"),
    "compare": ("text", "json", "csv", "markdown", "latex"),
    "threshold": ("text", "json", "csv", "markdown"),
    "table": ("text", "json", "csv"),
    "check": ("text", "json", "csv", "markdown", "github"),
}


@pytest.mark.parametrize(("command", "form"), [(command, form) for command, forms in FORMS.items() for form in forms])
def test_no_form_has_control_characters(run, hostile, command, form) -> None:  # type: ignore[no-untyped-def]
    """CSV and GitHub's annotations had them as they were, and JSON those after the first 128 characters."""
    given = [word.replace(ESC, MORE) for word in CALLS[command] if word not in {"--format", "text"}]
    hostile.write_text(hostile.read_text(encoding="utf-8").replace(ESC, MORE), encoding="utf-8")
    done = run(command, hostile.name, *given, "--format", form, *(("--junit", "j.xml") if command == "check" else ()))
    assert done.code in (0, 1), done.err
    written = done.out + (Path("j.xml").read_text(encoding="utf-8") if command == "check" else "")
    assert not [c for c in written if unicodedata.category(c) in ("Cc", "Cf") and c not in "\t\n"]
    assert "2J" in written


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_a_line_break_in_a_name_breaks_no_line(run, write, form) -> None:  # type: ignore[no-untyped-def]
    """The heading of the groups did."""
    write("p.csv", 'y,"s\nNAME","g\nNAME"\n' + "1,.9,a\n0,.2,b\n1,.4,b\n0,.3,a\n" * 9)
    done = run("report", "p.csv", "--label", "y", "--score", "s\nNAME", "--by", "g\nNAME", "--format", form)
    assert "NAME" in done.out
    assert not [line for line in done.out.splitlines() if line.startswith("NAME")]


@pytest.mark.parametrize(
    "args",
    [
        ("report", f"no{FILE}.csv"),
        ("report", "x.csv", "--label", LABEL),
        ("report", "x.csv", "--level", ESC),
        ("assess", "x.csv", "--label", "y", "--estimator", f"a{ESC}"),
        ("rank", "--qrels", FILE, "--run", FILE),
        (f"rep{ESC}",),
        ("report", "x.csv", "--label", "y", "--score", SCORE, "-o", f"{ESC}.pdf"),
    ],
)
def test_no_error_moves_the_cursor(run, write, args) -> None:  # type: ignore[no-untyped-def]
    write("x.csv", f"y,{SCORE}\n0,1\n")
    done = run(*args)
    assert done.code == 2
    assert "\x1b" not in done.out + done.err
    assert "\x07" not in done.out + done.err


def test_ranked_runs_and_assessed_models_are_shown_as_they_are_written(run, write) -> None:  # type: ignore[no-untyped-def]
    write("q.txt", f"q{ESC} 0 d1 1\nq{ESC} 0 d2 0\n".replace(" title", "title"))
    write("r.txt", f"q{ESC} Q0 d1 1 2.0 run{ESC}\nq{ESC} Q0 d2 2 1.0 run{ESC}\n")
    for more in ((), ("--per-query",), ("--format", "text")):
        done = run("rank", "--qrels", "q.txt", "--run", "r.txt", "-m", "map", *more)
        assert done.code == 0
        assert "\x1b" not in done.err
        assert "--format" not in more or "\x1b" not in done.out


FORMULAS = ["=1+1", "+cmd", "-2+3", "@sum", "\t=1"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_name_is_no_formula_in_a_spreadsheet(run, write, name) -> None:  # type: ignore[no-untyped-def]
    rows = "\n".join(f"{i % 2},{(i * 7) % 11},{(i * 5) % 7}" for i in range(30))
    write("p.csv", f'y,"{name}",b\n{rows}\n')
    given = ("p.csv", "--label", "y", "--score", name)
    for call in (
        ("report", *given, "--format", "csv"),
        ("table", *given),
        ("compare", *given, "--score", "b", "--format", "csv"),
        ("check", *given, "--fail-under", "auc=0.1", "--format", "csv"),
        ("threshold", *given, "--max", "mcc", "--format", "csv"),
    ):
        done = run(*call)
        assert done.code == 0, done.err
        cells = [cell for row in csv.reader(io.StringIO(done.out)) for cell in row]
        assert any(cell.startswith(f"'{name}") for cell in cells)
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t"))]


def test_rows_that_are_passed_on_stay_as_they_are(run, write) -> None:  # type: ignore[no-untyped-def]
    write("p.csv", "y,p,note\n" + "".join(f"{i % 2},{(i * 7 % 11) / 11:.3f},=1+{i}\n" for i in range(12)))
    done = run("calibrate", "p.csv", "--label", "y", "--score", "p", "--apply", "p.csv", "--same-rows", "-q")
    assert done.code == 0, done.err
    assert [row[2] for row in csv.reader(io.StringIO(done.out))][1:] == [f"=1+{i}" for i in range(12)]


def test_a_bar_shows_names_as_they_are_written(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from thresher.cli.streams import progress
    from thresher.resampling.running import progress_bar

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    name = "\x1b]0;title\x07 [/red] [bold]"
    monkeypatch.setattr("sys.stderr", shown := Terminal())
    with progress(quiet=False) as reading:
        assert reading is not None
        reading(0.5, name)
    with progress_bar(True) as fitting:
        assert fitting is not None
        fitting(1, 2, name)
    assert shown.getvalue().count("\\x1b]0;title\\x07 [/red] [bold]") >= 2
    assert "\x1b]0;title" not in shown.getvalue()
