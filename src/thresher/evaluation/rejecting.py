"""A model that may leave rows undecided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thresher.errors import OptionError
from thresher.evaluation.subject import need_scores

if TYPE_CHECKING:
    from thresher.inference.rejected import RejectSummary


def with_reject(model: Any, rule: str | None = None, **options: Any) -> RejectSummary:
    """Two thresholds and no decision between them, with estimates of the decided rows.

    Options as for `thresher.decisions.reject_option`: `lower` and `upper`, `costs` and `deferral`, or `accuracy`, and
    `prevalence`; or `rule`, which says them in words: "deferral=0.2" (with `costs`), "accuracy=0.99",
    "upper=precision>=0.98,lower=npv>=0.99".

    Raises:
        TaskError: the model has no scores.
        OptionError: an option is wrong, or no pair of thresholds does what is asked for.
    """
    from thresher.decisions.reject_choice import reject_option
    from thresher.decisions.reject_text import reject_rule
    from thresher.inference.rejected import reject_summary

    need_scores(model, "a reject option")
    said = {} if rule is None else reject_rule(rule)
    if twice := [name for name in said if options.get(name) is not None]:
        raise OptionError(f"{twice[0]} is given twice: by {twice[0]}=… and in the rule {rule!r}.")
    wanted = {**options, **said}
    option = reject_option(model.table, **wanted)
    costs = {name: wanted.get(name) for name in ("costs", "deferral")}
    found = reject_summary(option, **{**costs, **model.matrix_options})
    negative, positive = model.predictions.classes
    return replace(found, model=model.name, labels=(positive, negative))
