"""What the tests on Spark share."""

from typing import Any

import pytest


@pytest.fixture
def pulled(monkeypatch):
    """Numbers of rows that reach the driver, as they do."""
    from pyspark.sql.classic.dataframe import DataFrame

    found: list[int] = []
    for name in ("toArrow", "collect"):
        real = getattr(DataFrame, name)
        monkeypatch.setattr(DataFrame, name, lambda self, real=real: _noted(real(self), found))
    return found


def _noted(result: Any, pulled: list[int]) -> Any:
    pulled.append(getattr(result, "num_rows", None) or len(result))
    return result
