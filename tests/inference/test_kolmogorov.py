"""Kolmogorov's quantiles against scipy."""

import pytest
from scipy.special import kolmogi

from thresher.inference.curves.bands import kolmogorov_quantile


@pytest.mark.parametrize("tail", [1e-300, 1e-12, 1e-3, 0.0253, 0.05, 0.3, 0.5, 0.9, 0.999])
def test_quantiles_are_those_of_scipy(tail: float) -> None:
    assert kolmogorov_quantile(tail) == pytest.approx(kolmogi(tail), rel=1e-13)
