"""Rankings: how well the order of scores puts relevant items first.

`rank` evaluates the results of queries against judgements, as trec_eval does and beyond. The small functions are for
matrices in which every row is a ranking.
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
