"""The difference of a measure between two scores of counted rows, which are not in memory.

It comes from sums over the rows, or, where no sums tell it, from resamples of the rows, drawn as cells of both scores.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thresher.conventions import Floats
from thresher.counts.added_pairs import error_of_differences
from thresher.counts.paired_sums import SUMS, PairedSums
from thresher.counts.pairs import PlacementMoments
from thresher.errors import OptionError, TaskError
from thresher.inference.auc.delong_rows import PlacedMoments
from thresher.inference.bootstrap.config import Bootstrap
from thresher.inference.comparing.resampled_bins import WHOLE, drawn_difference
from thresher.inference.comparing.resampling import by_correlated_intervals, by_resampling
from thresher.inference.comparing.rows import Side, Test, agreement, missing_threshold, paired, shares_by_cell
from thresher.inference.differences.difference import Difference, difference_bounds, undefined_difference
from thresher.inference.differences.mcnemar import mcnemar_difference
from thresher.inference.differences.means import paired_difference_of_sums
from thresher.inference.estimates.methods import methods_of
from thresher.measures.error_bounds import BY_BINS
from thresher.measures.measure_text import Wanted
from thresher.predictions import Predictions


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
        return replace(found, error_off=error_of_differences(pairs))
    sums, summed = pairs.sums, methods_of(wanted.entry.name).summed
    if sums is not None and wanted.at is None and summed is not None and test in ("auto", "means"):
        return _of_means(wanted, pairs, sums, SUMS.index(summed))
    shares = None if wanted.at is not None or sums is None else shares_by_cell(wanted, a.rows)
    if sums is None or shares is None or test not in ("auto", "means", "mcnemar", "mcnemar-exact"):
        drawn = _drawn(a, b, wanted, test, pairs, config or Bootstrap()) if test in ("auto", "bootstrap") else None
        if drawn is None:
            raise OptionError(
                f"scores that are counted are compared by measures of ranking and calibration, mean losses and "
                f"decisions; {wanted.title}{'' if test == 'auto' else f' by the test {test!r}'} needs the rows."
            )
        return drawn
    return _of_decisions(a, b, wanted, test, pairs, sums, shares)


def _drawn(
    a: Side, b: Side, wanted: Wanted, test: Test, pairs: PlacementMoments, config: Bootstrap
) -> Difference | None:
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
    sides = _decided_sides(a, b, _decided(a, b, sums, pairs.totals))
    found = by_correlated_intervals(*sides, wanted, config) if test == "auto" else None
    return found or by_resampling(*sides, wanted, config, is_paired=True)


def _decided_sides(a: Side, b: Side, decided: Floats) -> tuple[Side, Side]:
    """Two models on rows that they decide alike, each of which stands for as many as there are."""
    whole = np.rint(decided)
    cells = whole if np.allclose(whole, decided, rtol=0, atol=WHOLE) else decided
    places = np.nonzero(cells > 0)
    truth, *scores = (1 - place for place in places)
    rows = Predictions(
        truth=truth.astype(np.uint8),
        classes=a.rows.classes,
        scores={side.model: score.astype(np.float64) for side, score in zip((a, b), scores, strict=True)},
        weights=cells[places],
        weight_kind="frequency",
    )
    return Side(rows=rows, model=a.model, threshold=0.5), Side(rows=rows, model=b.model, threshold=0.5)


def _of_means(wanted: Wanted, pairs: PlacementMoments, sums: PairedSums, m: int) -> Difference:
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
    table = agreement(_decided(a, b, sums, pairs.totals), shares)
    if test == "means" or not np.array_equal(table, np.rint(table)):
        apart = table[0, 1], table[1, 0]
        return paired_difference_of_sums(float(table.sum()), apart[0] - apart[1], sum(apart), bounds=(-1.0, 1.0))
    return mcnemar_difference(table, method="exact" if test == "mcnemar-exact" else "mid-p")


def _decided(a: Side, b: Side, sums: PairedSums, totals: Floats) -> Floats:
    """Rows of each class that both scores decide in each way: (class, decided by a, decided by b)."""
    i, j = (sums.cuts.index((side.model, float(side.threshold or 0.0))) for side in (a, b))
    alike, one, two = (np.asarray(sums.both)[:, k, m] for k, m in ((i, j), (i, i), (j, j)))
    cells = [[alike, one - alike], [two - alike, totals - one - two + alike]]
    return np.moveaxis(np.array(cells, dtype=np.float64), -1, 0)


def _uncounted(side: Side, sums: PairedSums) -> str | None:
    """Why decisions at a threshold are not known row by row; None where they are."""
    if (side.model, float(side.threshold or 0.0)) in sums.cuts:
        return None
    known = ", ".join(f"{cut:g}" for name, cut in sums.cuts if name == side.model)
    return (
        f"{side.model}: its decisions at {side.threshold:g} were not counted together with those of other scores, but "
        f"at {known}: name the threshold when the rows are counted"
    )
