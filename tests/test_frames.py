"""Dataframes of results when no library, or not the one wanted, is there."""

import pytest

from thresher import results
from thresher.errors import MissingDependencyError


def test_without_any_library_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(results, "find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match="pip install polars"):
        results.to_frame({"a": [1]}, "pandas")


def test_the_library_of_the_data_comes_first_and_then_whichever_is_installed(monkeypatch):
    asked = []
    monkeypatch.setattr(results, "find_spec", asked.append)
    for backend in ("pandas", None, "dask"):
        with pytest.raises(MissingDependencyError):
            results.to_frame({}, backend)
    assert asked == ["pandas", *results.LIBRARIES, *results.LIBRARIES, *results.LIBRARIES]
