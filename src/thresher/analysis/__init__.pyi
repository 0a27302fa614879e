"""Public names, each imported from its module at its first use."""

from thresher.analysis.choosing import (
    AtPrevalence as AtPrevalence,
    at_prevalence as at_prevalence,
    best_models_of as best_models_of,
    choose_for as choose_for,
    dominance_of as dominance_of,
    flipped as flipped,
    joint_hull_of as joint_hull_of,
    scored_models as scored_models,
)
from thresher.analysis.chosen import ChosenThreshold as ChosenThreshold, chosen_threshold as chosen_threshold
from thresher.analysis.class_decisions import ClassDecision as ClassDecision, decide as decide
from thresher.analysis.comparing import compare as compare, headline as headline
from thresher.analysis.subsets import FoldSpread as FoldSpread, Subgroups as Subgroups, fold_spread as fold_spread
from thresher.analysis.judging import judge_quality as judge_quality, judges_of as judges_of
