"""How much a probability explains and how far it is from its own recalibration: computed when they are asked for."""

from __future__ import annotations

import numpy as np

from thresher.counts.scores import ScoreTable
from thresher.late import late
from thresher.measures.areas import NO_N, NO_P, auc
from thresher.measures.fitted import CLIP, NO_SLOPE, READABLE, per_fit
from thresher.measures.probability import ONE_CLASS, root_brier_score
from thresher.measures.registry import measure

# A measure's row of data stays a row.
# fmt: off


@measure("nagelkerke r squared", "r2", text="(1 − exp((L − L₀)/n))/(1 − exp(−L₀/n)), L = −2·log-likelihood",
         needs="table", group="probabilities", bounds=(-np.inf, 1.0), undefined=(*READABLE, ONE_CLASS), fitted=True,
         title="Nagelkerke's R²", source="Nagelkerke 1991")
@per_fit
def nagelkerke_r2(t: ScoreTable) -> float:
    """Share of the likelihood that the scores gain over the prevalence; below 0 they lose."""
    return float(late("formulas").overall_fit(t, clip=CLIP).r2)


@measure("d index", text="(L₀ − L* − 1)/n, L* of the recalibrated scores", needs="table", group="probabilities",
         bounds=(-np.inf, np.inf), undefined=(*READABLE, NO_SLOPE), fitted=True, source="Harrell 2015")
@per_fit
def discrimination_index(t: ScoreTable) -> float:
    """Likelihood that the recalibrated scores gain, for each row: Harrell's D."""
    return float(late("formulas").overall_fit(t, clip=CLIP).discrimination)


@measure("q index", text="D − U = (L₀ − L + 1)/n", needs="table", group="probabilities", bounds=(-np.inf, np.inf),
         undefined=(*READABLE, NO_SLOPE), fitted=True, source="Harrell 2015")
@per_fit
def quality_index(t: ScoreTable) -> float:
    """Discrimination less unreliability, for each row: Harrell's Q."""
    return float(late("formulas").overall_fit(t, clip=CLIP).quality)


@measure(text="max of |s − recalibrated s|", needs="table", group="calibration", better="lower",
         undefined=(*READABLE, NO_SLOPE), fitted=True, title="Emax", source="Harrell 2015")
@per_fit
def emax(t: ScoreTable) -> float:
    """Largest distance of a score from its logistic recalibration."""
    return float(late("formulas").overall_fit(t, clip=CLIP).largest)


@measure(text="0.9 quantile of |s − recalibrated s|", needs="table", group="calibration", better="lower",
         undefined=(*READABLE, NO_SLOPE), fitted=True, title="E90", source="Harrell 2015")
@per_fit
def e90(t: ScoreTable) -> float:
    """Distance from their logistic recalibration that nine in ten rows keep within."""
    return float(late("formulas").overall_fit(t, clip=CLIP).ninth)


@measure("ici", "integrated calibration index", text="mean of |s − recalibrated s|", needs="table",
         group="calibration", better="lower", undefined=(*READABLE, NO_SLOPE), fitted=True, title="Eavg",
         source="Harrell 2015; Austin & Steyerberg 2019")
@per_fit
def eavg(t: ScoreTable) -> float:
    """Mean distance of the scores from their logistic recalibration."""
    return float(late("formulas").overall_fit(t, clip=CLIP).mean)


@measure("squared error accuracy roc", text="(accuracy at 0.5 + AUC + 1 − √Brier)/3", needs="table",
         group="probabilities", undefined=(*READABLE, NO_P, NO_N), fitted=True, title="SAR",
         source="Caruana & Niculescu-Mizil 2004")
@per_fit
def sar(t: ScoreTable) -> float:
    """Mean of accuracy at ½, area under the ROC and one minus the root Brier score."""
    return float((t.at(0.5).accuracy + auc(t) + 1 - root_brier_score(t)) / 3)


# fmt: on
