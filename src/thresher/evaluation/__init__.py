"""From predictions to an `Evaluation`: every value with its interval, frozen."""

from thresher.evaluation.estimators import evaluate_estimator
from thresher.evaluation.front import evaluate
from thresher.evaluation.model import ModelEvaluation
from thresher.evaluation.models import Evaluation

__all__ = ["Evaluation", "ModelEvaluation", "evaluate", "evaluate_estimator"]
