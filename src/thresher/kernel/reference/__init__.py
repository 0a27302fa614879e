"""The kernel in plain NumPy: the definition of each function, and the fallback without a compiled library."""

from thresher.kernel.reference.classes import *  # noqa: F403
from thresher.kernel.reference.ranked import *  # noqa: F403
from thresher.kernel.reference.resampling import *  # noqa: F403
from thresher.kernel.reference.rows import *  # noqa: F403
from thresher.kernel.reference.sums import *  # noqa: F403  # noqa: F403
from thresher.kernel.rounding import rounded as rounded
