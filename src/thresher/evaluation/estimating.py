"""One measure of a model by its name, parameters and fixed points included."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.conventions import confidence_level, resolve_undefined
from thresher.inference.bootstrap_config import Bootstrap, as_bootstrap

if TYPE_CHECKING:
    from thresher.results import Estimate


def estimate(
    model: Any, measure: str, *, bootstrap: Bootstrap | int | None = None, level: float | None = None
) -> Estimate:
    """`Estimate` of a measure by its name, with parameters after a colon, or at a fixed value of another measure.

    "auc", "f_beta:beta=2", or "sensitivity@specificity=0.95": there the threshold is the best observed one that
    keeps to the fixed value, and the interval of a rate takes in that it was estimated. `bootstrap` makes the interval
    of any measure by resampling; that of the evaluation serves those that have no formula.

    Raises:
        UnknownMeasureError: there is no such measure.
        OptionError: a parameter, a fixed value or the level is none.
        TaskError: the measure belongs to another task.
        UndefinedError: the measure is undefined, and the evaluation has `undefined="raise"`.

    >>> import thresher as th
    >>> rows = th.load_example("breast_cancer")
    >>> forest = th.evaluate(rows, label="diagnosis", positive="malignant", scores="random_forest")["random_forest"]
    >>> forest.estimate("sensitivity@specificity=0.95").format(3)
    '0.915 [0.836, 0.958]'

    Source of the interval at a fixed rate: Pepe 2003, section 5.2; Bahadur 1966; Hall & Sheather 1988.
    """
    from thresher.evaluation.subject import TASKS, need_scores
    from thresher.evaluation.value import measured_value
    from thresher.inference.compare_measure import wanted
    from thresher.inference.scored import lacks_probabilities

    config = None if bootstrap is None else as_bootstrap(bootstrap, model.rng)
    level = model.level if level is None else confidence_level(level)
    asked = wanted(measure)
    scored = asked.at is not None or asked.entry.needs == "table"
    if scored and not (model.task in TASKS and asked.at is None):
        need_scores(model, asked.title)
    found = measured_value(model, asked, level=level, bootstrap=config, every=config is not None)
    unfit = scored and model.task == "binary" and lacks_probabilities(asked.entry, model.scores)
    if not math.isnan(found.value) or unfit:
        return found
    value = resolve_undefined(found.value, model.undefined, asked.title, found.reason or "it is 0/0")
    return replace(found, value=value)
