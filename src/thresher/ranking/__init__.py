"""Rankings: how well the order of scores puts relevant items first.

`rank` evaluates the results of queries against judgements, as trec_eval does and beyond. The small functions are for
matrices in which every row is a ranking.
"""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "compare": ("Outcomes", "query_difference"),
    "evaluation": ("RankEvaluation",),
    "front": ("rank",),
    "gain": ("coverage", "discounted_gain", "label_precision", "misordered_share", "normalized_gain"),
    "lists": ("ranked_lists",),
    "run": ("RunEvaluation",),
    "wanted": ("wanted",),
}
"""Module → public names; loaded at first use, so that one measure does not cost the import of all."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES)
