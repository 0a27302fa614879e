"""By which name the weights of rows reach what an estimator fits, and where they do not."""

from __future__ import annotations

import inspect
import sys
from typing import Any

NAME = "sample_weight"


def weight_keyword(estimator: Any) -> str | None:
    """Name by which `fit` takes the weights of rows; None when it takes none.

    Of a pipeline it is that of the last step, of a search that of the estimator which it tunes. Where scikit-learn's
    metadata routing is on, such estimators take `sample_weight` when a part of them requests it.
    """
    if _takes_weights(estimator):
        return NAME
    if routes_metadata(estimator):
        return NAME if _requests_weights(estimator) else None
    if (last := _last_step(estimator)) is not None:
        inner = weight_keyword(last[1])
        return None if inner is None else f"{last[0]}__{inner}"
    return weight_keyword(estimator.estimator) if is_search(estimator) else None


def why_unweighted(estimator: Any) -> str:
    """Why weights do not reach an estimator that has no `weight_keyword`."""
    if routes_metadata(estimator) and not _takes_nothing_on(estimator):
        return "scikit-learn's metadata routing is on, and no part of it requests sample_weight"
    return "fit takes no sample_weight"


def is_search(estimator: Any) -> bool:
    """Whether an estimator tunes another and hands on to it what `fit` gets, as scikit-learn's searches do."""
    return hasattr(estimator, "estimator") and hasattr(estimator, "refit") and hasattr(estimator, "cv")


def has_search(estimator: Any) -> bool:
    """Whether an estimator tunes another, by itself or in the last step of a pipeline."""
    last = _last_step(estimator)
    return is_search(estimator) if last is None else has_search(last[1])


def routes_metadata(estimator: Any) -> bool:
    """Whether scikit-learn's metadata routing is on, and what `fit` gets is handed on by it."""
    if "sklearn" not in sys.modules or not hasattr(estimator, "get_metadata_routing"):
        return False
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing"))


def _takes_weights(estimator: Any) -> bool:
    try:
        return NAME in inspect.signature(estimator.fit).parameters
    except (TypeError, ValueError):
        return False


def _last_step(estimator: Any) -> tuple[str, Any] | None:
    """Name and estimator of the last step of a pipeline; None of any other estimator."""
    steps = getattr(estimator, "steps", None)
    return steps[-1] if isinstance(steps, list) and steps else None


def _takes_nothing_on(estimator: Any) -> bool:
    """Whether an estimator hands on nothing, being neither a pipeline nor anything around another estimator."""
    from sklearn.utils.metadata_routing import MetadataRouter

    return not isinstance(_routing(estimator), MetadataRouter)


def _requests_weights(estimator: Any) -> bool:
    routing = _routing(estimator)
    return routing is not None and NAME in routing.consumes("fit", {NAME})


def _routing(estimator: Any) -> Any:
    """What scikit-learn knows of the requests of an estimator; None of the few for which it has not that yet."""
    from sklearn.utils.metadata_routing import get_routing_for_object

    try:
        return get_routing_for_object(estimator)
    except NotImplementedError:
        return None
