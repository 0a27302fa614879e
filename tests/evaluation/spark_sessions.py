"""Sessions of a real Spark that the tests share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

QUICK = {
    "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",  # or what Arrow has without a zone gets one
}  # fmt: skip
"""Settings of a Spark that counts a few rows: to compile a query takes longer than to run it."""

JAVA = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""The same for Java itself: a third of the processor time of a test went into its best compiler."""


@contextmanager
def spark_session(master: str, python: str, **more: str) -> Iterator[Any]:
    """Session whose executors start this Python; the environment is what it was afterwards."""
    from pyspark.sql import SparkSession

    before = dict(os.environ)
    os.environ |= JAVA | {"PYSPARK_PYTHON": python}
    builder = SparkSession.builder.master(master)
    for name, value in (QUICK | more).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
    restore(before)


def restore(before: dict[str, str]) -> None:
    """Take back what a session left in the environment."""
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ |= before
