"""The class that a model's posteriors are decided for by another rule than the largest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.evaluation.class_decisions import ClassDecision


def decide(
    model: Any,
    *,
    costs: Any = None,
    benefit: bool = False,
    weights: Any = None,
    maximize: str | None = None,
    minimize: str | None = None,
    folds: Any = 5,
    rng: int | None = None,
) -> ClassDecision:
    """Decide each row's class from its posteriors: by costs, by class weights, or by weights that a measure prefers.

    Args:
        costs: (K, K), rows the truth and columns the decision, in the order of the classes, or costs by truth and
            decision, {"a": {"b": 5}}: the class of the least expected cost is decided for.
        benefit: the costs are gains.
        weights: one number for every class, in order or by label: the class of largest p_k/w_k, so that a larger weight
            takes fewer rows. Weights are class thresholds.
        maximize, minimize: a measure of the decisions, such as "macro_f1", "balanced_accuracy" or "error_rate"; the
            weights that make it best are searched for.
        folds: how many to make, or the fold of each row, for the value that is not optimistic; None for none.
        rng: seed of the folds; that of the evaluation by default.

    Raises:
        TaskError: the model has no posteriors of several classes.
        OptionError: none or several of the ways, or a measure that weights cannot be chosen by.
        InputError: costs or weights that do not fit the classes.

    Elkan (2001) for costs; Lipton et al. (2014) for weights by a measure.

    >>> import thresher as th
    >>> model = th.evaluate(th.load_example("wine"), label="cultivar", probabilities="bayes_")["bayes"]
    >>> model.decide(maximize="macro_f1")
    ClassDecision('bayes', highest macro F1: 0.8378 on the same rows, cross-fitted 0.8154)
    >>> model.decide(weights=[0.4, 0.3, 0.3]).accuracy.value.__round__(3)
    0.787
    """
    from thresher.evaluation.class_decisions import decision_of
    from thresher.evaluation.subject import need

    need(model, "multiclass", ".decide()")
    ways: dict[str, Any] = {"costs": costs, "weights": weights, "maximize": maximize, "minimize": minimize}
    return decision_of(model, ways, benefit=benefit, folds=folds, rng=model.rng if rng is None else rng)
