"""A model that may leave rows undecided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.inference.rejected import RejectSummary


def with_reject(model: Any, **options: Any) -> RejectSummary:
    """Two thresholds and no decision between them, with estimates of the decided rows.

    Options as for `thresher.decisions.reject_option`: `lower` and `upper`, `costs` and `deferral`, or `accuracy`.

    Raises:
        TaskError: the model has no scores.
        OptionError: an option is wrong, or no pair of thresholds does what is asked for.
    """
    from thresher.decisions import reject_option
    from thresher.inference.rejected import reject_summary

    model._need_scores("a reject option")
    return reject_summary(reject_option(model.table, **options), level=model.level, undefined=model.undefined)
