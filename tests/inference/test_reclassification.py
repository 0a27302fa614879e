"""Net reclassification and integrated discrimination, row by row, and how often their intervals hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InputError
from thresher.inference import reclassification

ROW = st.tuples(st.integers(0, 1), st.integers(0, 10), st.integers(0, 10))


@given(st.lists(ROW, min_size=4, max_size=15), st.sampled_from([(), (0.5,), (0.2, 0.6)]))
def test_row_by_row(rows: list[tuple[int, int, int]], cuts: tuple[float, ...]) -> None:
    y = [row[0] for row in rows]
    old, new = ([row[i] / 10 for row in rows] for i in (1, 2))
    if not 2 <= sum(y) <= len(y) - 2:
        with pytest.raises(InputError, match="two rows of each class"):
            reclassification(y, old, new, cuts=cuts)
        return
    place = (lambda p: sum(p >= cut for cut in cuts)) if cuts else float
    ups = {c: [place(b) > place(a) for t, a, b in zip(y, old, new, strict=True) if t == c] for c in (0, 1)}
    downs = {c: [place(b) < place(a) for t, a, b in zip(y, old, new, strict=True) if t == c] for c in (0, 1)}
    found = reclassification(y, old, new, cuts=cuts)
    assert found.nri_events.value == pytest.approx(np.mean(ups[1]) - np.mean(downs[1]))
    assert found.nri_nonevents.value == pytest.approx(np.mean(downs[0]) - np.mean(ups[0]))
    assert found.nri.value == pytest.approx(found.nri_events.value + found.nri_nonevents.value)
    gain = {c: np.mean([b - a for t, a, b in zip(y, old, new, strict=True) if t == c]) for c in (0, 1)}
    assert found.idi.value == pytest.approx(gain[1] - gain[0])
    swapped = reclassification(y, new, old, cuts=cuts)
    assert swapped.nri.value == pytest.approx(-found.nri.value)


def test_the_warning_comes_with_it() -> None:
    found = reclassification([1, 1, 0, 0], [0.3, 0.6, 0.2, 0.6], [0.6, 0.7, 0.1, 0.4])
    assert "miscalibrated" in found.warning
    assert "miscalibrated" in repr(found)
    assert found.to_dict()["idi"]["value"] == pytest.approx(0.35)


def test_the_intervals_hold() -> None:
    rng, held = np.random.default_rng(6), {"nri": 0, "idi": 0}
    # Moves of +0.1, 0 or −0.1 with known chances: NRI = 0.2 + 0.1, IDI = 0.1·(0.2 + 0.1).
    truth = {"nri": 0.3, "idi": 0.03}
    y = np.repeat([1, 0], [80, 120])
    for _ in range(400):
        moves = np.where(
            y == 1, rng.choice([1, 0, -1], 200, p=[0.4, 0.4, 0.2]), rng.choice([1, 0, -1], 200, p=[0.2, 0.5, 0.3])
        )
        found = reclassification(y, np.full(200, 0.5), 0.5 + 0.1 * moves)
        for name, value in truth.items():
            estimate = getattr(found, name)
            held[name] += estimate.low <= value <= estimate.high
    assert all(0.92 <= count / 400 <= 0.98 for count in held.values())
