"""Dataframes of Spark Connect are counted as those of a Spark in the same process: a real server on loopback."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import thresher
from engine_cases import CASES, WRONG, check_found
from evaluation.spark_sessions import JAVA, QUICK, restore
from evaluation.test_spark_counts import counted
from thresher.errors import ThresherError

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]

EXACTLY = ("infinities", "two scores with gaps", "frequencies", "true groups")

STARTING = 300
"""Seconds that a server may take to start on a busy machine."""


@pytest.fixture(scope="module")
def server():
    """Address of a Connect server of two threads, which is gone afterwards."""
    import pyspark

    home = os.path.dirname(pyspark.__file__)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": port,
        "spark.driver.host": "127.0.0.1", **QUICK,
    }  # fmt: skip
    command = [f"{home}/bin/spark-submit", "--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    command += [
        "--master",
        "local[2]",
        *(part for item in settings.items() for part in ("--conf", "{}={}".format(*item))),
    ]
    with tempfile.TemporaryDirectory() as folder, Path(folder, "log").open("wb") as log:
        env = {**os.environ, **JAVA, "SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable}
        env["PYTHONPATH"] = str(Path(thresher.__file__).parents[1])  # which may be a place of this folder's own
        run = subprocess.Popen([*command, "spark-internal"], env=env, cwd=folder, stdout=log, stderr=log)
        try:
            _wait_for(port, run)
            yield f"sc://127.0.0.1:{port}"
        finally:
            run.terminate()
            run.wait(60)


def _wait_for(port: int, run: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + STARTING
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert run.poll() is None, "the server ended"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.2)


@pytest.fixture(scope="module")
def connect(server):
    """Session of a client without a Java machine of its own; what it leaves in the environment is taken back."""
    from pyspark.sql import SparkSession

    before = dict(os.environ)
    session = SparkSession.builder.remote(server).getOrCreate()
    yield session
    session.stop()
    restore(before)


@pytest.mark.parametrize("name", [*EXACTLY, "ties", "both directions", "truth values", "texts"])
def test_counts_are_those_of_arrays(connect, name):
    """The queries are those of a Spark in the same process, where every case is tried; the client's types are not."""
    check_found(counted(connect, CASES[name]), CASES[name])


@pytest.mark.parametrize("name", list(WRONG)[::5])  # the sentences are those of any Spark
def test_what_is_wrong_is_refused(connect, name):
    case, _ = WRONG[name]
    with pytest.raises(ThresherError):
        counted(connect, case)


def test_the_session_has_no_java_of_its_own(connect):
    assert type(connect).__module__ == "pyspark.sql.connect.session"


def test_the_same_rows_counted_again_are_the_same_counts(connect):
    assert counted(connect, CASES["groups"]) == counted(connect, CASES["groups"])
