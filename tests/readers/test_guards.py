"""DuckDB reads what it is given and nothing else: late fractions, pipes, extensions, threads."""

import io
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import duckdb
import numpy as np
import pytest

import thresher
from thresher.errors import InputError
from thresher.readers import load
from thresher.readers.duckdb_files import describe
from thresher.readers.files import find_files
from thresher.readers.session import session
from written_files import CSV, OPTIONS, write


def test_a_column_that_begins_with_whole_numbers_and_later_has_fractions_keeps_them():
    n = 60_000
    write("x.csv", "y,a,w\n" + "0,1,1\n1,0,1\n" * (n // 2) + "1,0.35,0.5\n")
    rows = load("x.csv", "a", label="y", weights="w")
    assert rows.scores["a"][-1] == 0.35
    assert rows.weights[-1] == 0.5
    write("x.jsonl", '{"y": 0, "a": 1}\n{"y": 1, "a": 0}\n' * (n // 2) + '{"y": 1, "a": 0.35}\n')
    assert load("x.jsonl", "a", label="y").scores["a"][-1] == 0.35


def test_standard_input_is_spooled_whole_and_once(monkeypatch):
    content = "y,a\n" + "".join(f"{i % 2},{i}\n" for i in range(200_000))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    [file] = find_files(["-"])
    assert os.path.isfile(file.path)
    assert Path(file.path).read_text() == content
    assert describe(["-"]) == [("y", "BIGINT"), ("a", "BIGINT")]
    assert len(load("-", "a", label="y")) == 200_000


@pytest.mark.slow
def test_no_row_of_a_pipe_is_lost_and_nothing_is_left_behind():
    n = 300_000
    program = """
        import sys
        from thresher.readers import load
        if __name__ == "__main__":
            rows = load(sys.argv[1], "a", label="y")
            print(len(rows), int(rows.scores["a"].sum()), rows.truth.sum())
    """
    script = write("read.py", textwrap.dedent(program))
    content = ("y,a\n" + "".join(f"{i % 2},{i}\n" for i in range(n))).encode()
    environment = os.environ | {"TMPDIR": os.getcwd(), "PYTHONPATH": str(Path(thresher.__file__).parents[1])}
    before = set(os.listdir())
    expected = f"{n} {n * (n - 1) // 2} {n // 2}"
    run = subprocess.run([sys.executable, script, "-"], input=content, capture_output=True, env=environment, check=True)
    assert run.stdout.decode().strip() == expected
    if hasattr(os, "mkfifo"):
        os.mkfifo("pipe")
        process = subprocess.Popen([sys.executable, script, "pipe"], stdout=subprocess.PIPE, env=environment)
        Path("pipe").write_bytes(content)
        assert process.communicate()[0].decode().strip() == expected
        os.unlink("pipe")
    assert set(os.listdir()) - {"__pycache__"} == before


def test_no_extension_is_installed_or_loaded_and_no_network_is_touched():
    with session() as connection:
        settings = "autoinstall_known_extensions", "autoload_known_extensions"
        for name in settings:
            assert connection.execute(f"SELECT current_setting('{name}')").fetchall() == [(False,)]
    with pytest.raises(InputError, match="requires the extension httpfs"), session() as connection:
        connection.execute("FROM 'https://example.invalid/x.parquet'")


def test_variables_of_the_caller_are_no_tables():
    secret = {"a": np.zeros(1)}
    assert secret
    with pytest.raises(InputError), session() as connection:
        connection.execute("SELECT * FROM secret")


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts the threads of the process in /proc")
def test_threads_are_joined_and_the_connection_closed_when_reading_ends():
    write("x.csv", CSV)
    write("bad.csv", "y,a\n1,x\n")
    load("x.csv", "a", **OPTIONS)
    before = len(os.listdir("/proc/self/task")), threading.active_count()
    for _ in range(3):
        load("x.csv", "a", **OPTIONS)
        with pytest.raises(InputError):
            load("bad.csv", "a", label="y")
    assert (len(os.listdir("/proc/self/task")), threading.active_count()) == before


@pytest.mark.usefixtures("databases_end")
def test_the_connection_is_closed_and_its_directory_gone_after_an_error():
    opened = []

    def fail():
        with session() as connection:
            opened.append(connection)
            opened.append(connection.execute("SELECT current_setting('temp_directory')").fetchall()[0][0])
            connection.execute("SELECT * FROM nowhere")

    with pytest.raises(InputError, match="cannot be read"):
        fail()
    with pytest.raises(duckdb.ConnectionException):
        opened[0].execute("SELECT 1")
    assert not os.path.exists(os.path.dirname(opened[1]))


@pytest.mark.parametrize("problem", ["Query interrupted", "another"])
def test_what_duckdb_makes_of_a_signal_is_an_interruption_again(problem):
    wanted = KeyboardInterrupt if problem == "Query interrupted" else RuntimeError
    with pytest.raises(wanted), session():
        raise RuntimeError(problem)


def test_a_query_that_is_interrupted_ends_as_by_control_c():
    def ask_much():
        with session() as connection:
            threading.Timer(0.05, connection.interrupt).start()
            connection.execute("SELECT max(hash(i)) FROM range(100_000_000_000) t(i)")

    with pytest.raises(KeyboardInterrupt):
        ask_much()


def test_arrays_and_files_need_no_dataframe_library():
    program = """
        import sys
        for name in ("pandas", "polars", "pyarrow"):
            sys.modules[name] = None
        import duckdb
        from thresher.readers import load
        duckdb.sql("SELECT 'ill' AS y, 0.5 AS a UNION ALL SELECT 'well', 0.25").write_parquet("x.parquet")
        for path in ("x.csv", "x.parquet"):
            assert load(path, "a", label="y", positive="ill").scores["a"].tolist() == [0.5, 0.25]
        assert load(["ill", "well"], [0.5, 0.25], positive="ill").truth.tolist() == [1, 0]
    """
    write("x.csv", "y,a\nill,0.5\nwell,0.25\n")
    run_alone(program)


def test_arrays_load_neither_duckdb_nor_narwhals():
    program = """
        import sys
        import numpy as np
        from thresher.readers import load
        load(np.array(["ill", "well"]), {"m": [0.5, 0.25]}, positive="ill", by=["u", "v"])
        assert not {"duckdb", "narwhals", "nanoarrow", "scipy", "pandas"} & set(sys.modules)
    """
    run_alone(program)


def run_alone(program):
    environment = os.environ | {"PYTHONPATH": str(Path(thresher.__file__).parents[1])}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def test_no_bar_is_printed_where_python_is_interactive():
    """DuckDB takes a Python without a main file, such as `python -c` or a notebook, for one that wants its own bar."""
    run_alone("""
        from thresher.counts import saved
        from thresher.readers.session import ask, session

        asked = "SELECT current_setting('enable_progress_bar')"
        with session() as one, saved._connected() as other:
            assert ask(one, asked) == ask(other, asked) == [(False,)]
    """)
