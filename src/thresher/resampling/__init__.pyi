"""Public names, each imported from its module at its first use."""

from thresher.resampling.assessment import Assessment as Assessment
from thresher.resampling.comparing import SplitDifferences as SplitDifferences
from thresher.resampling.corruption import (
    FeatureNoise as FeatureNoise,
    LabelNoise as LabelNoise,
    MissingValues as MissingValues,
    PrevalenceShift as PrevalenceShift,
)
from thresher.resampling.estimator_text import (
    estimator_from_text as estimator_from_text,
    parse_estimator as parse_estimator,
)
from thresher.resampling.estimates import Series as Series
from thresher.resampling.facts import ModelFacts as ModelFacts, model_facts as model_facts
from thresher.resampling.front import assess as assess
from thresher.resampling.growth import Growth as Growth, Scalability as Scalability, growth_exponent as growth_exponent
from thresher.resampling.method_forms import method_of as method_of, register_method as register_method
from thresher.resampling.methods import (
    Bootstrap632 as Bootstrap632,
    Bootstrap632Plus as Bootstrap632Plus,
    BootstrapOOB as BootstrapOOB,
    GroupKFold as GroupKFold,
    Holdout as Holdout,
    KFold as KFold,
    LeaveOneOut as LeaveOneOut,
    OptimismBootstrap as OptimismBootstrap,
    RandomSubsampling as RandomSubsampling,
    Resubstitution as Resubstitution,
    TimeSplits as TimeSplits,
)
from thresher.resampling.model import ModelAssessment as ModelAssessment
from thresher.resampling.nested import Nested as Nested
from thresher.resampling.robust import robustness as robustness, robustness_of_fitted as robustness_of_fitted
from thresher.resampling.scaling import learning_curve as learning_curve, scalability as scalability
from thresher.resampling.split_roles import (
    DistinctRows as DistinctRows,
    SplitRoles as SplitRoles,
    distinct_rows as distinct_rows,
    split_roles as split_roles,
)
from thresher.resampling.splits import Split as Split
from thresher.resampling.timing import Speed as Speed, speed as speed
