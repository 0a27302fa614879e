from thresher.decisions.concavities import Concavity, concavities
from thresher.decisions.costs import (
    CheapestLabels,
    Costs,
    cheapest_labels,
    expected_benefit,
    expected_cost,
    weighted_labels,
)
from thresher.decisions.criteria import Best, Budget, ClosestCorner, Constraint, MatchPrevalence
from thresher.decisions.criterion_text import parse_criterion
from thresher.decisions.dominance import Dominance, Lead, dominance
from thresher.decisions.h_measure import HMeasure, h_measure, minimum_weighted_loss
from thresher.decisions.hull import Hull, roc_hull
from thresher.decisions.isometrics import (
    Contours,
    IsoLine,
    Touch,
    contours,
    iso_accuracy,
    iso_cost,
    iso_f_beta,
    iso_precision,
    slide,
)
from thresher.decisions.joint_hull import JointHull, OwnedVertex, joint_hull
from thresher.decisions.operating import Choice, OperatingPoint, choose, non_dominated
from thresher.decisions.randomized import RandomizedClassifier, randomized
from thresher.decisions.reject import DEFERRED, RejectOption
from thresher.decisions.reject_choice import reject_option
from thresher.decisions.valid_range import ValidRange, valid_range

__all__ = [
    "DEFERRED",
    "Best",
    "Budget",
    "CheapestLabels",
    "Choice",
    "ClosestCorner",
    "Concavity",
    "Constraint",
    "Contours",
    "Costs",
    "Dominance",
    "HMeasure",
    "Hull",
    "IsoLine",
    "JointHull",
    "Lead",
    "MatchPrevalence",
    "OperatingPoint",
    "OwnedVertex",
    "RandomizedClassifier",
    "RejectOption",
    "Touch",
    "ValidRange",
    "cheapest_labels",
    "choose",
    "concavities",
    "contours",
    "dominance",
    "expected_benefit",
    "expected_cost",
    "h_measure",
    "iso_accuracy",
    "iso_cost",
    "iso_f_beta",
    "iso_precision",
    "joint_hull",
    "minimum_weighted_loss",
    "non_dominated",
    "parse_criterion",
    "randomized",
    "reject_option",
    "roc_hull",
    "slide",
    "valid_range",
    "weighted_labels",
]
