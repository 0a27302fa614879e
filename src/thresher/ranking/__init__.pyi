"""Public names, each imported from its module at its first use."""

from thresher.ranking.compare import Outcomes as Outcomes, query_difference as query_difference
from thresher.ranking.evaluation import RankEvaluation as RankEvaluation
from thresher.ranking.front import rank as rank
from thresher.ranking.gain import (
    coverage as coverage,
    discounted_gain as discounted_gain,
    label_precision as label_precision,
    misordered_share as misordered_share,
    normalized_gain as normalized_gain,
)
from thresher.ranking.lists import ranked_lists as ranked_lists
from thresher.ranking.run import RunEvaluation as RunEvaluation
from thresher.ranking.list_measures import list_measures as list_measures
