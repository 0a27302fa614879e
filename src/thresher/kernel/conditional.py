"""Functions of several score columns at once: one column for every class."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.kernel import checks
from thresher.kernel.reference.conditional import conditional_concordance as in_numpy
from thresher.kernel.values import Counts
