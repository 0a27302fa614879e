"""A long table is measured block by block, to the same values."""

import numpy as np
import pytest

from thresher.counts import ThresholdTable
from thresher.measures import measures, registry

RNG = np.random.default_rng(4)
TABLE = ThresholdTable.from_scores(RNG.integers(0, 2, 40), RNG.integers(0, 25, 40), weights=RNG.random(40))


@pytest.mark.parametrize("prior", [None, 0.2])
@pytest.mark.parametrize("entry", list(measures("cells", "matrix")), ids=lambda entry: entry.name)
def test_blocks_change_nothing(entry, prior, monkeypatch):
    table = TABLE if prior is None else TABLE.with_prevalence(prior)
    required = [name for name, default in entry.parameters.items() if default is registry.REQUIRED]
    needed = {name: "linear" if name == "weights" else 0.3 for name in required}
    whole = entry(table, **needed)
    monkeypatch.setattr(registry, "BLOCK", 7)
    np.testing.assert_array_equal(entry(table, **needed), whole)


def test_a_parameter_of_every_threshold_is_not_cut(monkeypatch):
    entry = registry.find("net_benefit")
    name = next(iter(entry.parameters))
    given = {name: np.linspace(0, 0.9, len(TABLE))}
    whole = entry(TABLE, **given)
    monkeypatch.setattr(registry, "BLOCK", 7)
    np.testing.assert_array_equal(entry(TABLE, **given), whole)
