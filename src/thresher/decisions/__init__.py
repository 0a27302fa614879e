"""Decisions: costs and prevalence, the hull, lines of equal value, and where to put the threshold."""

from thresher.lazy import lazy_names

PLACES: dict[str, tuple[str, ...]] = {
    "criterion_options": ("parse_criterion",),
    "concavities": ("Concavity", "concavities"),
    "contours": ("Contours", "contours"),
    "costs": ("CheapestLabels", "Costs", "cheapest_labels", "expected_benefit", "expected_cost", "weighted_labels"),
    "criteria": ("Balance", "Best", "Budget", "ClosestCorner", "Constraint", "MatchPrevalence", "register_criterion"),
    "dominance": ("Dominance", "Lead", "dominance"),
    "fixed_threshold": ("FixedThreshold",),
    "h_measure": ("HMeasure", "h_measure", "minimum_weighted_loss"),
    "hull": ("Hull", "roc_hull"),
    "isometrics": (
        "IsoLine",
        "Touch",
        "iso_accuracy",
        "iso_cost",
        "iso_f_beta",
        "iso_precision",
        "slide",
    ),
    "joint_hull": ("JointHull", "OwnedVertex", "joint_hull"),
    "operating": ("Choice", "OperatingPoint", "choose", "non_dominated", "undominated"),
    "randomized": ("RandomizedClassifier", "randomized"),
    "reject": ("DEFERRED", "RejectOption"),
    "reject_choice": ("reject_option",),
    "rules": ("ClassRule", "RuleClassifier", "ScoreRule", "rule_from_dict", "rule_from_json"),
    "valid_range": ("ValidRange", "valid_range"),
}
"""Module → public names; loaded at first use, so that one of them does not cost the import of all."""

__all__, __getattr__, __dir__ = lazy_names(__name__, PLACES)
