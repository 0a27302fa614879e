"""Public names, each imported from its module at its first use."""

# fmt: off
from thresher.decisions.costs import (
    CheapestLabels as CheapestLabels, Costs as Costs, FixedThreshold as FixedThreshold,
    cheapest_labels as cheapest_labels, expected_benefit as expected_benefit, expected_cost as expected_cost,
    weighted_labels as weighted_labels,
)
from thresher.decisions.criteria import (
    Balance as Balance, Best as Best, Budget as Budget, ClosestCorner as ClosestCorner, Constraint as Constraint,
    MatchPrevalence as MatchPrevalence, register_criterion as register_criterion,
)
from thresher.decisions.criterion_options import parse_criterion as parse_criterion
from thresher.decisions.dominance import Dominance as Dominance, Lead as Lead, dominance as dominance
from thresher.decisions.h_measure import (
    HMeasure as HMeasure, h_measure as h_measure, minimum_weighted_loss as minimum_weighted_loss,
)
from thresher.decisions.hull import (
    Concavity as Concavity, Hull as Hull, ValidRange as ValidRange, concavities as concavities, roc_hull as roc_hull,
    valid_range as valid_range,
)
from thresher.decisions.isometrics import (
    Contours as Contours, IsoLine as IsoLine, Touch as Touch, contours as contours, iso_accuracy as iso_accuracy,
    iso_cost as iso_cost, iso_f_beta as iso_f_beta, iso_precision as iso_precision, slide as slide,
)
from thresher.decisions.joint_hull import (
    JointHull as JointHull, OwnedVertex as OwnedVertex, RandomizedClassifier as RandomizedClassifier,
    joint_hull as joint_hull, randomized as randomized,
)
from thresher.decisions.operating import (
    Choice as Choice, OperatingPoint as OperatingPoint, choose as choose, non_dominated as non_dominated,
    undominated as undominated,
)
from thresher.decisions.reject import (
    DEFERRED as DEFERRED, RejectOption as RejectOption, reject_option as reject_option,
)
from thresher.decisions.rules import (
    ClassRule as ClassRule, RuleClassifier as RuleClassifier,
    ScoreRule as ScoreRule, rule_from_dict as rule_from_dict, rule_from_json as rule_from_json,
)
