"""Public names, each imported from its module at its first use."""

from thresher.analysis.chosen import (
    AtPrevalence as AtPrevalence,
    ChosenThreshold as ChosenThreshold,
    at_prevalence as at_prevalence,
    choose_for as choose_for,
    chosen_threshold as chosen_threshold,
    flipped as flipped,
)
from thresher.analysis.class_decisions import ClassDecision as ClassDecision, decide as decide
from thresher.analysis.comparing import compare as compare, headline as headline
from thresher.analysis.subsets import FoldSpread as FoldSpread, Subgroups as Subgroups, fold_spread as fold_spread
from thresher.analysis.judging import judge_quality as judge_quality, judges_of as judges_of
from thresher.analysis.thresholds import (
    best_models_of as best_models_of,
    dominance_of as dominance_of,
    joint_hull_of as joint_hull_of,
    scored_models as scored_models,
)
