"""Calibration against scikit-learn, model-diagnostics, netcal, relplot and betacal: same rows, answers compared first.

    python benchmarks/bench_calibration.py                 # a million rows
    python benchmarks/bench_calibration.py --rows 1e5

Peers that are not installed are left out. Times "from a table" begin at the counts, which an evaluation has already.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from _timing import human, race

from thresher import kernel
from thresher.calibration import (
    calibration_curve,
    calibration_error,
    cox_calibration,
    decomposition,
    fit_map,
    smooth_calibration_error,
)
from thresher.counts import ScoreTable
from thresher.inference import calibration_band
from thresher.measures.calibration import isotonic_blocks, sums
from thresher.metrics import calibration_curve as sklearn_like


def optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"  ({name} is not installed)")
        return None


def fresh(table: ScoreTable, of: Callable[[ScoreTable], Any]) -> Callable[[], Any]:
    """Call without what was kept of the table before."""
    from dataclasses import replace

    return lambda: of(replace(table))


def isotonic(y: Any, s: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    from sklearn.isotonic import IsotonicRegression

    at = np.linspace(0, 1, 1000)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(s, y)
    assert np.allclose(fit_map(y, s).transform(at), theirs.predict(at), atol=1e-5)
    return lambda: fit_map(y, s), lambda: IsotonicRegression(out_of_bounds="clip").fit(s, y)


def bins(y: Any, s: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    from sklearn.calibration import calibration_curve as theirs

    for strategy in ("uniform", "quantile"):
        mine = sklearn_like(y, s, n_bins=10, strategy=strategy)
        assert all(np.allclose(a, b) for a, b in zip(mine, theirs(y, s, n_bins=10, strategy=strategy), strict=True))
    return (
        lambda: [sklearn_like(y, s, n_bins=10, strategy=how) for how in ("uniform", "quantile")],
        lambda: [theirs(y, s, n_bins=10, strategy=how) for how in ("uniform", "quantile")],
    )


def platt(y: Any, s: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    from sklearn.calibration import _SigmoidCalibration

    theirs, mine = _SigmoidCalibration().fit(s, y), fit_map(y, s, method="platt")
    assert np.allclose([-mine.slope, -mine.intercept], [theirs.a_, theirs.b_], rtol=1e-3)
    return lambda: fit_map(y, s, method="platt"), lambda: _SigmoidCalibration().fit(s, y)


def corp(y: Any, s: Any, scoring: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    loss = scoring.SquaredError()
    theirs = scoring.decompose(y, s, scoring_function=loss)
    assert np.isclose(decomposition(ScoreTable.from_scores(y, s)).miscalibration, theirs["miscalibration"].item())
    return (
        lambda: decomposition(ScoreTable.from_scores(y, s)),
        lambda: scoring.decompose(y, s, scoring_function=loss),
    )


def smooth(y: Any, s: Any, relplot: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    mine, theirs = smooth_calibration_error(ScoreTable.from_scores(y, s)), relplot.smECE(f=s, y=y)
    assert abs(mine - theirs) < 2e-3, (mine, theirs)
    return lambda: smooth_calibration_error(ScoreTable.from_scores(y, s)), lambda: relplot.smECE(f=s, y=y)


def beta(y: Any, s: Any, betacal: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    at = np.linspace(0.01, 0.99, 99)
    theirs = betacal.BetaCalibration(parameters="abm").fit(s.reshape(-1, 1), y)
    assert np.allclose(fit_map(y, s, method="beta").transform(at), theirs.predict(at), atol=1e-3)
    column = s.reshape(-1, 1)
    return (
        lambda: fit_map(y, s, method="beta"),
        lambda: betacal.BetaCalibration(parameters="abm").fit(column, y),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e6)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    n = int(options.rows)
    s = rng.beta(1, 2, n).clip(1e-6, 1 - 1e-6)
    y = (rng.random(n) < s**1.2).astype(np.uint8)
    print(f"{n:,} rows, kernel {kernel.implementation()}")
    pairs: dict[str, Any] = {}
    if optional("sklearn"):
        pairs |= {"isotonic map, scikit-learn": isotonic, "10 bins, scikit-learn": bins, "Platt, scikit-learn": platt}
    for name, module, of in (
        ("exact decomposition, model-diagnostics", "model_diagnostics.scoring", corp),
        ("smooth error, relplot", "relplot", smooth),
        ("beta map, betacal", "betacal", beta),
    ):
        peer = optional(module)
        if peer is not None:
            pairs[name] = lambda y, s, of=of, peer=peer: of(y, s, peer)
    for name, of in pairs.items():
        mine, theirs = of(y, s)
        times = race({"thresher": mine, "peer": theirs}, seconds=6, most=5)
        ratio = times["peer"].best / times["thresher"].best
        print(f"  {name:<40} {human(times['thresher'].best):>9} against {human(times['peer'].best):>9}: {ratio:.1f}×")
    table = ScoreTable.from_scores(y, s)
    alone = {
        "sums of all scores": sums.__wrapped__,
        "isotonic blocks": isotonic_blocks.__wrapped__,
        "reliability curve": calibration_curve,
        "band, 200 samples": lambda t: calibration_band(t, n=200, groups=256),
        "intercept and slope": cox_calibration,
        "ECE": calibration_error,
    }
    print("  from a table:")
    for name, of in alone.items():
        print(f"    {name:<38} {human(race({name: fresh(table, of)}, seconds=2, most=5)[name].best):>9}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
