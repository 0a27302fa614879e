"""The difference of a measure between two scores of counted rows: from sums over the rows, which are not in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thresher.counts.paired_sums import SUMS, PairedSums
from thresher.counts.pairs import PlacementMoments
from thresher.errors import OptionError, TaskError
from thresher.inference.auc.delong_moments import PlacedMoments
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.comparing.drawn_counts import drawn_decisions, drawn_difference
from thresher.inference.comparing.rows import Side, Test, missing_threshold, paired, shares_by_cell
from thresher.inference.differences.difference import Difference, difference_bounds, undefined_difference
from thresher.inference.differences.mcnemar import mcnemar_difference
from thresher.inference.differences.means import paired_difference_of_sums
from thresher.inference.estimates.methods import methods_of
from thresher.measures.error_bounds import BY_BINS
from thresher.measures.measure_text import Wanted

Floats = NDArray[np.float64]


def counted_difference(
    a: Side, b: Side, wanted: Wanted, test: Test, pairs: PlacementMoments, config: Bootstrap | None = None
) -> Difference:
    """Difference of two scores by the moments of their pairs, those of `a` before those of `b`, or by resamples.

    Raises:
        OptionError: the measure, or the test, needs the rows.
        TaskError: the measure is one of probabilities, which the scores are not.
    """
    if wanted.at is None and methods_of(wanted.entry.name).line is not None and test in ("auto", "delong"):
        found = paired(a, b, wanted, test, (PlacedMoments(pairs), 0, 1))
        assert found is not None
        return found
    sums, summed = pairs.sums, methods_of(wanted.entry.name).summed
    if sums is not None and wanted.at is None and summed is not None and test in ("auto", "means"):
        return _of_means(wanted, pairs, sums, SUMS.index(summed))
    shares = None if wanted.at is not None or sums is None else shares_by_cell(wanted, a.rows)
    if sums is None or shares is None or test not in ("auto", "means", "mcnemar", "mcnemar-exact"):
        drawn = _drawn(a, b, wanted, pairs, config or Bootstrap()) if test in ("auto", "bootstrap") else None
        if drawn is None:
            raise OptionError(
                f"scores that are counted are compared by measures of ranking and calibration, mean losses and "
                f"decisions, and {wanted.title} or this test needs the rows."
            )
        return drawn
    return _of_decisions(a, b, wanted, test, pairs, sums, shares)


def _drawn(a: Side, b: Side, wanted: Wanted, pairs: PlacementMoments, config: Bootstrap) -> Difference | None:
    """Difference by resamples of counted rows; None where these do not tell it."""
    sums, entry = pairs.sums, wanted.entry
    if wanted.at is not None:
        return None
    if entry.name in BY_BINS and pairs.cells is not None:
        tables = [side.rows.counts[side.model] for side in (a, b) if side.rows.counts is not None]
        return drawn_difference(wanted, (a.model, b.model), tables, pairs.cells, config)
    if entry.needs not in ("cells", "matrix") or sums is None:
        return None
    if reason := missing_threshold(a, b, wanted) or _uncounted(a, sums) or _uncounted(b, sums):
        return undefined_difference("bootstrap", reason)
    i, j = (sums.cuts.index((side.model, float(side.threshold or 0.0))) for side in (a, b))
    return drawn_decisions(wanted, (i, j), (sums, pairs.totals), config)


def _of_means(wanted: Wanted, pairs: PlacementMoments, sums: PairedSums, m: int) -> Difference:
    """Difference of two mean losses."""
    if np.isnan(sums.first[m]).any():
        raise TaskError(f"{wanted.title} needs probabilities of the positive class, in [0, 1].")
    one, two = (float(value) if np.isfinite(value) else np.nan for value in sums.first[m])
    bounds = difference_bounds(wanted.entry.bounds)
    return paired_difference_of_sums(float(pairs.totals.sum()), one - two, float(sums.squares[m, 0, 1]), bounds=bounds)


def _of_decisions(
    a: Side,
    b: Side,
    wanted: Wanted,
    test: Test,
    pairs: PlacementMoments,
    sums: PairedSums,
    shares: tuple[Floats, Floats],
) -> Difference:
    """McNemar's test of two shares, from how often each class's rows are decided alike."""
    reason = missing_threshold(a, b, wanted) or _uncounted(a, sums) or _uncounted(b, sums)
    if reason:
        return undefined_difference("McNemar's test", reason)
    i, j = (sums.cuts.index((side.model, float(side.threshold or 0.0))) for side in (a, b))
    table = np.zeros((2, 2))
    successes, trials = shares
    for side, (cells, rows) in enumerate(zip((slice(0, 2), slice(2, 4)), pairs.totals, strict=True)):
        if not trials[cells][0]:
            continue
        both = sums.both[side]
        alike, one, two = both[i, j], both[i, i], both[j, j]
        decided = ((alike, one - alike), (two - alike, rows - one - two + alike))
        wrong = (successes[cells] == 0).astype(int)  # of a row that is predicted positive, and of another
        for first in (0, 1):
            for second in (0, 1):
                table[wrong[first], wrong[second]] += decided[first][second]
    if test == "means" or not np.array_equal(table, np.rint(table)):
        apart = table[0, 1], table[1, 0]
        return paired_difference_of_sums(float(table.sum()), apart[0] - apart[1], sum(apart), bounds=(-1.0, 1.0))
    return mcnemar_difference(table, method="exact" if test == "mcnemar-exact" else "mid-p")


def _uncounted(side: Side, sums: PairedSums) -> str | None:
    """Why decisions at a threshold are not known row by row; None where they are."""
    if (side.model, float(side.threshold or 0.0)) in sums.cuts:
        return None
    known = ", ".join(f"{cut:g}" for name, cut in sums.cuts if name == side.model)
    return (
        f"{side.model}: its decisions at {side.threshold:g} were not counted together with those of other scores, but "
        f"at {known}: name the threshold when the rows are counted"
    )
