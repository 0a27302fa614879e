"""A canvas without a screen for every test that draws, and no figure left behind."""

from collections.abc import Iterator

import pytest

import thresher as th


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


@pytest.fixture(scope="package")
def ev() -> th.Evaluation:
    """Two models of the example of breast cancer."""
    rows = th.load_example("breast_cancer")
    models = {name: rows[name] for name in ("logistic_regression", "random_forest")}
    return th.evaluate(rows["diagnosis"], models, positive="malignant")
