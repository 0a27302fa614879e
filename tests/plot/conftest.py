"""A canvas without a screen for every test that draws, and no figure left behind."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _canvas(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.node.get_closest_marker("peer") is None:
        yield
        return
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield
    pyplot.close("all")
