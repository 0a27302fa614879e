"""Public names, each imported from its module at its first use."""

from thresher.evaluation.counting import BatchCounter as BatchCounter, counter as counter
from thresher.evaluation.counting import count as count
from thresher.evaluation.estimators import evaluate_estimator as evaluate_estimator
from thresher.evaluation.front import evaluate as evaluate
from thresher.evaluation.model import ModelEvaluation as ModelEvaluation
from thresher.evaluation.models import Evaluation as Evaluation
