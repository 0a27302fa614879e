"""Finding and loading the compiled library."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

# Equal to kAbiVersion in native/abi.hpp: a library built from other sources is refused, never called.
ABI_VERSION = 17

_int, _long, _pointer = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p
_table = [_pointer, _pointer, _long, _int]
_stream = [_pointer, _long, ctypes.c_uint64, _long, _long, _int, _pointer]
_rows = [_pointer, _pointer, _pointer, _long, _int, _pointer]

# The argument types of every function; all return a status as int32 and take `bad_row`, or an address, last.
SIGNATURES: dict[str, list[type]] = {
    "thresher_keep_memory": [_int],
    "thresher_take_memory": [_long],
    "thresher_give_memory": [_long],
    "thresher_table": [*_rows, _int, *[_pointer] * 6],
    "thresher_concordance": [*_rows, _int, _pointer, _pointer],
    "thresher_curve_points": [*_rows, *[_int] * 4, *[_pointer] * 4],
    "thresher_average_precision": [*_rows, _int, _pointer],
    "thresher_count_rounded": [*[_pointer] * 3, _long, *[_pointer] * 2, _long, *[_int] * 3, *[_pointer] * 4],
    "thresher_joint_cells": [*[_pointer] * 3, _long, _long, _int, *[_pointer] * 3, _int, _long, *[_pointer] * 4],
    "thresher_merged_scores": [_pointer, _long, _pointer, _long, _int, *[_pointer] * 4],
    "thresher_rounded": [_pointer, _long, _int, _int, _pointer],
    "thresher_conditional": [*[_pointer] * 3, *[_long] * 4, _int, _int, *[_pointer] * 8],
    "thresher_conditional_replicates": [*[_pointer] * 3, *[_long] * 4, _pointer, _long, _int, *[_pointer] * 3],
    "thresher_ordinal_volume": [*[_pointer] * 3, _long, _long, _pointer, _long, _int, *[_pointer] * 3],
    "thresher_assignment": [_pointer, *[_long] * 3, _pointer, _long, ctypes.c_double, _int, *[_pointer] * 2],
    "thresher_placements": [*_rows, _long, _pointer, _pointer],
    "thresher_products": [_pointer, _pointer, _long, _int, _pointer],
    "thresher_draws": [*_stream, _pointer],
    "thresher_drawn_cells": [*_stream, _pointer, _long, _pointer, _pointer],
    "thresher_replicates": [*_stream, *[_pointer] * 2, *[_long] * 2, *[_pointer, _long] * 3, _int, _pointer],
    "thresher_confusion": [_pointer, _pointer, _int, _pointer, _long, _long, _int, _pointer, _pointer],
    "thresher_delong_sums": [*_table, *[_pointer] * 5],
    "thresher_pr_areas": [*_table, _pointer],
    "thresher_loss_moments": [_pointer, *_table, _pointer, _pointer, _int, _pointer],
    "thresher_binary_codes": [_pointer, _long, _int, _pointer],
    "thresher_squared_error": [_pointer, _int, _pointer, _long, _int, _pointer],
    "thresher_precision_influence": [*_table, _pointer, _pointer, *[ctypes.c_double] * 3, _pointer],
    "thresher_extremes": [*_table, _pointer, _pointer],
    "thresher_hull": [*_table, _pointer, _pointer],
    "thresher_fold": [*_table, _pointer, _pointer, _pointer],
    "thresher_cumulate_at": [*_table, _pointer, _long, _pointer, _pointer],
    "thresher_range_sums": [_pointer, *_table, *[_pointer] * 4, _long, _int, *[_pointer] * 3],
    "thresher_first_reaching": [*_table, _pointer, _long, _pointer, _long, _pointer, _pointer],
    "thresher_leads": [*_table, _pointer, _pointer, _long, *[_pointer] * 4],
    "thresher_polyline_deviation": [*_table, _pointer, _long, _pointer],
    "thresher_trec_lines": [_pointer, _long, _int, *[_pointer] * 8],
    "thresher_text_codes": [_pointer, _pointer, _long, *[_pointer] * 3],
    "thresher_padded_codes": [_pointer, _long, _long, *[_pointer] * 3],
    "thresher_fixed_texts": [_pointer, *[_long] * 3, _int, *[_pointer] * 3],
    "thresher_split_texts": [_pointer, _long, _int, _long, *[_pointer] * 3],
    "thresher_number_texts": [_pointer, _long, _pointer, _pointer],
    "thresher_look_up": [*[_pointer] * 3, _long, *[_pointer] * 4, _long, _long, _int, *[_pointer] * 3],
    "thresher_rank_lists": [*[_pointer] * 5, _long, _long, _int, _int, *[_pointer] * 4],
    "thresher_ranked_measures": [
        *[_pointer] * 5,
        _long,
        _int,
        *[_pointer] * 4,
        _long,
        _pointer,
        _long,
        _long,
        _int,
        *[_pointer] * 2,
    ],
}


class UnusableLibraryError(Exception):
    """Why there is no library to use, as a sentence."""


def path() -> Path:
    """Return where the library is expected: THRESHER_NATIVE_LIBRARY, else beside this file."""
    named = os.environ.get("THRESHER_NATIVE_LIBRARY")
    if named:
        return Path(named)
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return Path(__file__).with_name(f"_native{suffix}")


def load() -> ctypes.CDLL:
    """Load the library and declare its functions; raise `UnusableLibraryError` if that cannot be done."""
    where = path()
    if not where.exists():
        raise UnusableLibraryError(f"no compiled library at {where}; it is built where a C++20 compiler is found")
    try:
        library = ctypes.CDLL(str(where))
        library.thresher_abi_version.restype = _long
        version = library.thresher_abi_version()
        if version != ABI_VERSION:
            raise UnusableLibraryError(f"{where} is of interface version {version}, {ABI_VERSION} is needed; reinstall")
        for name, arguments in SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes = [*arguments, _pointer]
            function.restype = _int
    except (OSError, AttributeError) as error:
        raise UnusableLibraryError(f"{where} cannot be loaded: {error}") from error
    return library
