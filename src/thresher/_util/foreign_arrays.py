"""Arrays of torch, CuPy, JAX and the array API: their device, distinct rows and values in NumPy.

Imports no library of the caller's; `array-api-compat` only for an array on a device.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.errors import InputError, LargeCopyWarning

ON_HOST = (1, 3)
"""DLPack's numbers of memory that the processor reads: its own, and the part of it that is pinned for CUDA."""

MOST_LABELS = 64
"""Distinct labels up to which rows are counted on their device: each takes a pass over them."""

LARGE = 100_000_000
"""Bytes from which a copy from a device is reported."""


def is_foreign(values: Any) -> bool:
    """Return whether a value is an array of another library than NumPy and the dataframe libraries."""
    kind = type(values)
    return hasattr(kind, "__dlpack__") and not isinstance(values, np.ndarray) and not hasattr(kind, "__arrow_c_array__")


def is_on_device(values: Any) -> bool:
    """Return whether a value is an array on a device, which the processor cannot read."""
    return is_foreign(values) and int(values.__dlpack_device__()[0]) not in ON_HOST


def namespace(values: Any) -> Any:
    """Return the functions for an array, by the names of the array API."""
    from array_api_compat import array_namespace

    return array_namespace(values)


def to_host(values: Any) -> Any:
    """Return an array of another library as a NumPy array, and mappings of such; other values as they are.

    Half precision of any kind becomes float32. Memory of the host is shared, a gradient is left behind.

    Warns:
        LargeCopyWarning: more than 100 MB are copied from a device.
    """
    if isinstance(values, Mapping):
        is_any = any(map(is_foreign, values.values()))
        return {name: to_host(value) for name, value in values.items()} if is_any else values
    if not is_foreign(values):
        return values
    if is_on_device(values) and (size := _bytes(values)) > LARGE:
        warnings.warn(
            f"{size / 1e6:,.0f} MB are copied from {device_name(values)}: this needs the rows in the host's memory.",
            LargeCopyWarning,
            stacklevel=2,
        )
    found = _copied(values)
    # NumPy knows bfloat16 only as raw bytes of a registered name.
    return found.astype(np.float32) if found.dtype.kind == "V" or found.dtype == np.float16 else found


def device_name(values: Any) -> str:
    """Return the name of an array's device, as its library writes it."""
    return str(getattr(values, "device", "its device"))


def _bytes(values: Any) -> int:
    width = getattr(values, "itemsize", None) or getattr(values.dtype, "itemsize", None) or 8
    return int(np.prod(values.shape)) * int(width)


def _copied(values: Any) -> NDArray[Any]:
    if hasattr(values, "detach"):
        known = values.detach()
        return np.asarray((known.float() if str(known.dtype) == "torch.bfloat16" else known).numpy(force=True))
    if is_on_device(values) and hasattr(values, "get"):
        return np.asarray(values.get())
    if is_on_device(values) and hasattr(values, "to_device"):
        home = values.__array_namespace__().__array_namespace_info__().default_device()
        return np.asarray(values.to_device(home))
    return np.asarray(values)


def without_half_precision(values: Any) -> Any:
    """Return an array on a device without gradient; half precision, which cannot be sorted everywhere, as float32."""
    xp = namespace(values)
    known = values.detach() if hasattr(values, "detach") else values
    is_half = str(known.dtype).rpartition(".")[2] in ("float16", "bfloat16")
    return xp.astype(known, xp.float32) if is_half else known


def has_float64(values: Any) -> bool:
    """Return whether an array's library and device compute in float64; Metal does not, JAX only if configured."""
    xp = namespace(values)
    try:
        return str(xp.astype(without_half_precision(values)[:0], xp.float64).dtype).endswith("float64")
    except (TypeError, RuntimeError):
        return False


class DistinctPairs:
    """Distinct pairs of label and value of two columns on a device, and how often each is there; still there.

    Raises:
        InputError: there are more than 64 distinct labels.
    """

    def __init__(self, truth: Any, values: Any) -> None:
        xp, truth, values = namespace(truth), without_half_precision(truth), without_half_precision(values)
        self._labels = np.unique(to_host(xp.unique_values(truth)))
        if self._labels.size > MOST_LABELS:
            raise InputError(
                f"there are {self._labels.size:,} distinct labels on {device_name(truth)}: at most {MOST_LABELS} are "
                "counted there. Copy both columns to the host."
            )
        rows = (xp.isnan(truth) if np.isnan(label) else truth == label.item() for label in self._labels)
        self._parts = [xp.unique_counts(values[own]) for own in rows]

    def __len__(self) -> int:
        return sum(int(found.shape[0]) for found, _ in self._parts)

    def to_host(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
        """Return labels, values in rising order for each label, and counts."""
        found = [(to_host(values), to_host(counts)) for values, counts in self._parts]
        orders = [np.argsort(values, kind="stable") for values, _ in found]
        values, counts = (
            np.concatenate([pair[i][order] for pair, order in zip(found, orders, strict=True)]) for i in (0, 1)
        )
        return np.repeat(self._labels, [len(order) for order in orders]), values, counts.astype(np.int64)
