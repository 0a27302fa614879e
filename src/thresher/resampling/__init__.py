"""Estimating how good a model will be on rows it has not seen: cross-validation, holdout and the bootstrap.

`assess(estimator, X, y, method=KFold(10), …)` gives an `Assessment`:

* `assessment["accuracy"]` (one model) or `assessment["forest"]["accuracy"]` (several): an `Estimate`, by the rule of
  the method; `assessment["forest"]` is a `ModelAssessment` with `.pooled(m)`, `.fold_mean(m)`, `.fold_sd(m)`,
  `.values(m)` (one a split), `.fold_columns(…)`, `.folds` (a dataframe), `.average_roc()`, `.average_pr()`,
  `.evaluation`, `.predictions`, `.source.judged` (arrays: codes, scores, posteriors, `fit_seconds`, `predict_seconds`,
  `score_seconds`, `done`, `errors`, `chosen`, `fitted`).
* `assessment.evaluation`: each row's first held-out prediction by all models, as an `Evaluation`, with all it offers.
* `assessment.compare("a", "b", measure=…)`, `.differences("a", "b")` split by split, `.posterior("a", "b", rope=…)`,
  `.folds`, `.to_frame()`, `.to_dict()`, `.save(path)`, `Assessment.load(path)`, `.notes`, `.is_complete`,
  `.is_interrupted`.

`method_of("kfold:10")` reads a method from text; `keep_models=True` keeps the fitted estimators.

Beyond one number: `learning_curve` and `robustness` give a `Series` of scores against rows learned from, noise, wrong
labels, missing values or prevalence; `scalability` adds time and memory with their `Growth`; `speed` and `model_facts`
give a model's time, memory and size; `estimator_from_text` makes an estimator from one line of text.
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
