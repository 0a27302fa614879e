"""The example data as arrays: truth, and scores by model."""

from functools import cache

import numpy as np

from thresher.examples import EXAMPLES, load_example


@cache
def columns(name):
    """Columns of an example by name."""
    return {key: np.asarray(column) for key, column in load_example(name).items()}


def truth(name):
    """Truth of an example as 0 and 1."""
    about = EXAMPLES[name]
    return (columns(name)[about["label"]] == about["positive"]).astype(np.uint8)


def scores(name, model):
    """Scores of a model."""
    return columns(name)[model].astype(np.float64)


MODELS = [(name, model) for name, about in EXAMPLES.items() for model in about["scores"]]
"""Every model of every example."""
