"""Public names, each imported from its module at its first use."""

# fmt: off
from thresher.multiclass.assigned_volume import posterior_volume as posterior_volume
from thresher.multiclass.class_weights import (
    ClassWeights as ClassWeights, optimize_class_weights as optimize_class_weights,
)
from thresher.multiclass.hand_till import ConditionalAuc as ConditionalAuc, conditional_auc as conditional_auc
from thresher.multiclass.losses import (
    brier_losses as brier_losses, log_losses as log_losses, loss_sums as loss_sums,
    mutual_information as mutual_information, top_k_accuracy as top_k_accuracy, top_k_credit as top_k_credit,
)
from thresher.multiclass.multilabel import (
    multilabel_average as multilabel_average, multilabel_counts as multilabel_counts,
    multilabel_losses as multilabel_losses,
)
from thresher.multiclass.posteriors import Posteriors as Posteriors
from thresher.multiclass.surface import (
    RocSurface as RocSurface, Triples as Triples, Volume as Volume, ordinal_volume as ordinal_volume,
    roc_surface as roc_surface, triples as triples,
)
