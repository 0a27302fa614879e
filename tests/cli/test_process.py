"""What only a process of its own shows: exit codes, streams kept apart, pipes, signals, locales, terminals."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "thresher"]
CSV = "y,p\n1,0.9\n0,0.2\n1,0.4\n0,0.6\n"


SLOW = pytest.mark.slow
LOCALE, ENCODING = {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "ascii_only"),
    [
        ("text", LOCALE), ("text", ENCODING), ("html", LOCALE), pytest.param("html", ENCODING, marks=SLOW),
        pytest.param("json", LOCALE, marks=SLOW), pytest.param("json", ENCODING, marks=SLOW),
    ],
)  # fmt: skip
def test_a_locale_without_unicode(process, write, form: str, ascii_only) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", CSV.replace("y,p", "y,façon"))
    done = process("report", "a.csv", "--score", "façon", "--format", form, PYTHONUTF8="0", **ascii_only)
    assert done.code == 0, done.err
    assert done.err == "thresher: label=y (guessed; set --label)\n"
    if form == "text":
        assert done.out.isascii()
        assert "fa\\xe7on" in done.out
        assert "-----" in done.out
    else:
        assert "façon" in done.out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a file's name is always Unicode")
@pytest.mark.parametrize("locale", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_files_of_any_name(environment, tmp_path: Path, locale: dict[str, str]) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "größe *[1].csv").write_text(CSV)
    (tmp_path / "größe *[2].csv").write_text("broken")
    command = [*COMMAND, "report", "größe *[1].csv", "--label", "y", "--score", "p", "-o", "für.json", "--quiet"]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment(**locale), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert json.loads((tmp_path / "für.json").read_text(encoding="utf-8"))["n"] == 4
    os.rename(os.fsencode(tmp_path / "größe *[1].csv"), os.fsencode(tmp_path) + b"/gr\xf6.csv")
    command = [*map(os.fsencode, COMMAND), b"report", b"gr\xf6.csv", b"--label", b"y", b"--score", b"p"]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment(**locale), check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"not UTF-8" in done.stderr


def in_one_process(commands, env) -> str:  # type: ignore[no-untyped-def]
    """Standard output of commands that a process runs one after the other, with the exit code after each."""
    each = (
        "import sys\n"
        "from thresher.cli import main\n"
        f"for args in {commands!r}:\n"
        "    sys.argv = ['thresher', *args]\n"
        "    try: main()\n"
        "    except SystemExit as end: print('exit', end.code or 0, flush=True)\n"
        "print(sorted(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", each], capture_output=True, env=env, check=True)
    assert done.stderr == b""
    return done.stdout.decode("utf-8")


def test_every_subcommand_writes_ascii_when_asked(environment) -> None:  # type: ignore[no-untyped-def]
    commands = [["measures"], ["measures", "auc"], ["doctor"], ["example", "--list"], ["--help"]]
    out = in_one_process(commands, environment(PYTHONIOENCODING="ascii"))
    assert out.count("\nexit 0\n") == len(commands)
    assert out.isascii()


def test_data_to_stdout_and_everything_else_to_stderr(process, run, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", CSV)
    done = process("report", "a.csv", "--format", "json", "-o", "a.html")
    assert done.code == 0
    assert json.loads(done.out)["n"] == 4
    assert done.err.splitlines() == [
        "thresher: label=y (guessed; set --label)",
        "thresher: score=p (guessed; set --score)",
        "thresher: wrote a.html",
    ]
    bad = run("report", "nothing.csv", "--label", "y", "--score", "p")
    assert (bad.code, bad.out) == (2, "")
    assert bad.err.startswith("thresher: ")
    assert "nothing.csv" in bad.err


@pytest.mark.slow
def test_no_colour_and_no_bar_in_a_pipe(process, write) -> None:  # type: ignore[no-untyped-def]
    write("a.csv", CSV)
    for env in ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        done = process("report", "a.csv", **env)
        assert "\x1b" not in done.out + done.err


@pytest.mark.slow
def test_stdin_is_read(process, run) -> None:  # type: ignore[no-untyped-def]
    whole = run("report", "-", "--label", "y", "--score", "p", "--format", "json", stdin=CSV.encode())
    assert whole.code == 0, whole.err
    assert json.loads(whole.out)["n"] == 4
    guessed = process("report", "-", "--format", "json", stdin=CSV.encode())
    assert guessed.code == 0, guessed.err
    assert json.loads(guessed.out)["models"] == json.loads(whole.out)["models"]
    empty = run("report", "-", "--label", "y", "--score", "p")
    assert (empty.code, empty.out) == (2, "")
    assert "Traceback" not in empty.err


@pytest.mark.slow
def test_one_command_feeds_the_next(environment, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    thresher = f"'{sys.executable}' -m thresher"
    line = f"{thresher} example -o - | {thresher} report - --label diagnosis --positive malignant "
    line += "--score random_forest --format json"
    done = subprocess.run(line, shell=True, capture_output=True, cwd=tmp_path, env=environment(), check=True)
    assert json.loads(done.stdout)["n"] == 569
    assert done.stderr == b""


@pytest.mark.parametrize(
    "form", ["csv", *(pytest.param(form, marks=pytest.mark.slow) for form in ("text", "json", "markdown"))]
)
def test_a_reader_who_stops_early_is_no_error(started, tmp_path: Path, form: str) -> None:  # type: ignore[no-untyped-def]
    rows = "".join(f"{i % 2},{i}\n" for i in range(30_000))
    (tmp_path / "long.csv").write_text("y,s\n" + rows)
    ran = started("table", "long.csv", "--label", "y", "--score", "s", "--format", form)
    assert ran.stdout.readline()
    ran.stdout.close()
    assert ran.stderr.read() == b""
    assert ran.wait(30) == 0


@pytest.mark.slow
def test_a_closed_stdout_is_no_crash(environment, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.csv").write_text(CSV)
    line = f"'{sys.executable}' -m thresher report a.csv --label y --score p -o a.html >&-"
    done = subprocess.run(line, shell=True, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(), check=False)
    assert (done.returncode, done.stderr) == (0, b"thresher: wrote a.html\n")


def test_ctrl_c_is_one_line_and_130(started, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    os.mkfifo(tmp_path / "a.csv")
    ran = started("report", "a.csv", "--label", "y", "--score", "p")
    with open(tmp_path / "a.csv", "wb") as pipe:  # opens as soon as the command reads
        pipe.write(b"y,p\n1,0.9\n")
        pipe.flush()
        out, err = _interrupted(ran)
    assert (ran.returncode, out, err) == (130, b"", b"thresher: interrupted\n")


def _interrupted(ran) -> tuple[bytes, bytes]:  # type: ignore[no-untyped-def]
    """What a command wrote that was told to stop; told again, as one does, when an import swallowed the first."""
    for _ in range(15):
        ran.send_signal(signal.SIGINT)
        try:
            return ran.communicate(timeout=2)  # type: ignore[no-any-return]
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("the command does not heed Ctrl-C")


@pytest.mark.slow
@pytest.mark.parametrize(("more", "bar"), [([], True), (["--quiet"], False)])
def test_the_bar_is_for_a_terminal(started, tmp_path: Path, more: list[str], bar: bool) -> None:  # type: ignore[no-untyped-def]
    pty = pytest.importorskip("pty")
    (tmp_path / "a.csv").write_text("y,p\n" + "1,0.9\n0,0.2\n" * 200_000)
    master, slave = pty.openpty()
    command = ["report", "a.csv", "--label", "y", "--score", "p", "--format", "csv", *more]
    ran = started(*command, stderr=slave, TERM="xterm", NO_COLOR="1")
    os.close(slave)
    said = drained(master)
    assert b"\x1b" not in ran.stdout.read()
    assert ran.wait(30) == 0
    assert bool(said) == bar
    assert b"\x1b[3" not in said  # NO_COLOR: the bar moves the cursor, but has no colour


def drained(master: int) -> bytes:
    """Everything that was written to the terminal until its last writer closed it."""
    said = b""
    try:
        while part := os.read(master, 4096):
            said += part
    except OSError:
        pass
    os.close(master)
    return said


def test_version_and_help(process, run) -> None:  # type: ignore[no-untyped-def]
    from thresher import __version__

    assert process("--version").out == f"thresher {__version__}\n"
    assert process("measures", "frobnication").code == 2
    shown = run("--help")
    for name in ("report", "table", "example", "measures", "doctor", "--version", "--debug", "_THRESHER_COMPLETE"):
        assert name in shown.out
    for name in ("report", "table", "example", "measures", "doctor"):
        one = run(name, "--help")
        assert (one.code, one.err) == (0, "")
        assert one.out.startswith(f"Usage: thresher {name} ")


@pytest.mark.slow
def test_completion_offers_subcommands_and_options(process) -> None:  # type: ignore[no-untyped-def]
    done = process(_THRESHER_COMPLETE="bash_complete", COMP_WORDS="thresher re", COMP_CWORD="1")
    assert "report" in done.out
    done = process(_THRESHER_COMPLETE="bash_complete", COMP_WORDS="thresher report --lab", COMP_CWORD="2")
    assert "--label" in done.out
    done = process(_THRESHER_COMPLETE="bash_complete", COMP_WORDS="thresher reprt --l", COMP_CWORD="2")
    assert (done.code, done.err) == (0, "")
    done = process(_THRESHER_COMPLETE="bash_complete", COMP_WORDS="thresher measures sens", COMP_CWORD="2")
    assert "sensitivity" in done.out
    done = process(_THRESHER_COMPLETE="bash_complete", COMP_WORDS="thresher example dig", COMP_CWORD="2")
    assert "digit_eight" in done.out
