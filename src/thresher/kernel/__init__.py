"""The inner loops: sorting, counting and sweeping, compiled where possible and in NumPy otherwise.

Both implementations take the same checked arrays and return the same values; `thresher.kernel.reference` is the one to
read. `implementation()` says which runs, `why()` says why; the environment variable ``THRESHER_KERNEL`` (``native`` or
``reference``) decides it by hand.
"""

from thresher._util.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, is_guarded=False)
