"""Reliability diagrams with matplotlib: the band of a calibrated score, the diagonal, and the curve."""

from __future__ import annotations

from typing import Any

from thresher.curves.curve import Curve


def draw_band(ax: Any, curve: Curve, color: str) -> None:
    """Shade where the isotonic curve of a calibrated score would lie, when the curve knows it."""
    low, high = curve.series.get("consistency_low"), curve.series.get("consistency_high")
    if low is not None and high is not None:
        options = {
            "alpha": 0.15,
            "linewidth": 0,
            "label": "consistency band" if not ax.collections else "_nolegend_",
            "gid": "thresher-band",
        }
        ax.fill_between(curve.x, low, high, color=color, **options)


def dress_calibration(ax: Any) -> None:
    """Set what a reliability diagram's axes say; both run from 0 to 1."""
    ax.set(xlabel="Score", ylabel="Share of positives", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
