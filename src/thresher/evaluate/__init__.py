"""From predictions to an `Evaluation`: every value with its interval, frozen."""

from thresher.evaluate.evaluation import Evaluation
from thresher.evaluate.front import evaluate, evaluate_estimator
from thresher.evaluate.model import ModelEvaluation

__all__ = ["Evaluation", "ModelEvaluation", "evaluate", "evaluate_estimator"]
