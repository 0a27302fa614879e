"""A model's area over a part of a curve."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.evaluation.measured import draws_clusters, with_clusters
from thresher.evaluation.subject import need_scores
from thresher.inference.bootstrap_config import Bootstrap, as_bootstrap

if TYPE_CHECKING:
    from thresher.curves.regions import Part
    from thresher.inference.partial_areas import PartialAreaEstimate


def partial_area(
    model: Any, part: Part | str, *, bootstrap: Bootstrap | int | None = None, level: float | None = None
) -> PartialAreaEstimate:
    """Area over a part of a curve: "fpr<=0.1", "tpr>=0.9", both with a comma between, or "recall>=0.8" of precision.

    Raw, normalized and corrected for chance, with an interval: with `bootstrap` by resampling; that of the evaluation
    serves two-way areas and those of precision, which have no formula, and every area where it draws clusters.

    Raises:
        TaskError: the model has no scores.
        OptionError: the part is not understood.
    """
    from thresher.inference.partial_areas import has_formula, partial_area

    need_scores(model, "a partial area")
    serves = draws_clusters(model) or not has_formula(part)
    config = (model.bootstrap if serves else None) if bootstrap is None else as_bootstrap(bootstrap, model.rng)
    # Only resamples need the rows; the counts are there already.
    data = model.scores if config is None else model.predictions
    level = model.level if level is None else level
    found = partial_area(data, part, bootstrap=config, level=level, model=model.name)
    forms = {name: getattr(found, name) for name in ("raw", "normalized", "corrected")}
    told: dict[str, Any] = with_clusters(model, forms)
    return replace(found, **told)
