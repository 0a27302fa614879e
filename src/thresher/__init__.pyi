"""Public names, each imported from its module at its first use."""

from thresher import (
    calibration as calibration,
    counts as counts,
    curves as curves,
    decisions as decisions,
    displays as displays,
    errors as errors,
    evaluation as evaluation,
    gate as gate,
    inference as inference,
    measures as measures,
    metrics as metrics,
    multiclass as multiclass,
    plot as plot,
    predictions as predictions,
    ranking as ranking,
    resampling as resampling,
    testing as testing,
)
from thresher.counts import (
    ConfusionMatrix as ConfusionMatrix,
    Counts as Counts,
    RankedLists as RankedLists,
    ScoreTable as ScoreTable,
    ThresholdTable as ThresholdTable,
)
from thresher.curves.curve import Curve as Curve
from thresher.errors import InputError as InputError, ThresherError as ThresherError
from thresher.evaluation import (
    Evaluation as Evaluation,
    count as count,
    counter as counter,
    evaluate as evaluate,
    evaluate_estimator as evaluate_estimator,
)
from thresher.examples import load_example as load_example
from thresher.inference.bootstrap.config import Bootstrap as Bootstrap
from thresher.inference.expected import expected as expected
from thresher.predictions import Predictions as Predictions
from thresher.ranking import rank as rank
from thresher.resampling import (
    Assessment as Assessment,
    Bootstrap632 as Bootstrap632,
    Bootstrap632Plus as Bootstrap632Plus,
    BootstrapOOB as BootstrapOOB,
    GroupKFold as GroupKFold,
    Holdout as Holdout,
    KFold as KFold,
    LeaveOneOut as LeaveOneOut,
    Nested as Nested,
    OptimismBootstrap as OptimismBootstrap,
    RandomSubsampling as RandomSubsampling,
    Resubstitution as Resubstitution,
    TimeSplits as TimeSplits,
    assess as assess,
)
from thresher.results import Estimate as Estimate
from thresher.terms import find as find

__version__: str
