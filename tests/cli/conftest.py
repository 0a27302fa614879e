"""How the tests run the command: in this process for its logic, as a process of its own for what only that shows."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]
Environment = Callable[..., dict[str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, in an empty directory."""
    from thresher.cli.main import cli

    monkeypatch.chdir(tmp_path)
    # The terminal of whoever runs the tests is not part of them.
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback=(80, 24): os.terminal_size(fallback))

    def start(*args: object, stdin: str | bytes | None = None) -> Ran:
        result = CliRunner().invoke(cli, [str(arg) for arg in args], input=stdin, prog_name="thresher")
        assert "Traceback" not in result.stderr
        return Ran(result.exit_code, result.stdout, result.stderr)

    return start


@pytest.fixture
def environment() -> Environment:
    """This process's environment, in which the same thresher is found from any directory, with changes."""
    import thresher

    source = str(Path(thresher.__file__).resolve().parents[1])
    return lambda **changes: {**os.environ, "PYTHONPATH": source, **changes}


@pytest.fixture
def process(tmp_path: Path, environment: Environment) -> Run:
    """Run the command as a process of its own, in an empty directory."""

    def start(*args: object, stdin: bytes | None = None, **env: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "thresher", *map(str, args)],
            input=b"" if stdin is None else stdin,
            capture_output=True,
            cwd=tmp_path,
            env=environment(**env),
            timeout=60,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return start


@pytest.fixture
def started(tmp_path: Path, environment: Environment) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start the command as a process of its own and leave it running; it is ended with the test."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*args: object, stderr: int = subprocess.PIPE, **env: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "thresher", *map(str, args)]
        # A job that a shell started in the background ignores Ctrl-C, and so would what it starts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            ran = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, cwd=tmp_path, env=environment(**env))
        finally:
            signal.signal(signal.SIGINT, before)
        running.append(ran)
        return ran

    yield start
    for ran in running:
        ran.kill()
        ran.wait()
        for stream in (ran.stdout, ran.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file of this name and text in the directory that the command runs in."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return put
