"""The one table of the compiled functions: the arguments of each, in order, and their types.

An argument is ``name:kind``. Kinds of arrays are the codes of NumPy (``f8``), ``n8`` for int64 or float64, ``n`` for
these or whole numbers of fewer bytes, and ``any`` for a type that another argument names; arrays are contiguous unless
the kind begins with ``~``. With ``?`` the argument can be None. Kinds of numbers are ``int``, ``long``, ``seed`` and
``double``; ``out`` is a place of `ctypes` for some numbers. ``cancel`` is the place of the flag that ends a long call.
Every function takes the place of a bad row last and returns a status.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

_RESAMPLED = "sizes:i8 strata:long seed:seed first:long count:long threads:int cancel"
_ROWS = "truth:u1 scores:f8 weights:f8? rows:long threads:int cancel"
_TABLE = "positive:n negative:n rows:long whole:int"
_SQUARES = "positive_squares:f8? negative_squares:f8?"
_TEXTS = "data:u1 offsets:i8 rows:long"

SIGNATURES: dict[str, str] = {
    "keep_memory": "more:int",
    "take_memory": "bytes:long",
    "give_memory": "bytes:long",
    "table": (f"{_ROWS} out:f8 positive:f8 negative:f8 positive_squares:f8? negative_squares:f8? size:out"),
    "counted": ("truth:u1 scores:f8 rows:long threads:int cancel out:f8 small:i1 wide:any width:int found:out"),
    "concordance": f"{_ROWS} whole:out real:out",
    "curve_points": f"{_ROWS} recall:int drop:int rising:int x:f8 y:f8 thresholds:f8 size:out",
    "average_precision": f"{_ROWS} value:out",
    "count_rounded": (
        "truth:u1 scores:f8 weights:f8? rows:long pages:i4 apart:i8 many:long bits:int lower:int narrow:int "
        "cancel counts:any strays:i8 strayed:out"
    ),
    "joint_cells": (
        "scores:out positive:any negative:n8? rows:long models:long bits:int lower:u1 cuts:f8 ends:i8 whole:int "
        "most:long cancel cells:f8 counts:n8 found:out"
    ),
    "merged_scores": "a:f8 size_a:long b:f8 size_b:long lower:int scores:f8 rows_a:i8 rows_b:i8 size:out",
    "rounded": "scores:f8 rows:long bits:int lower:int found:f8",
    "conditional": (
        "codes:i8 matrix:~f8 weights:f8? rows:long classes:long across:long along:long squared:int threads:int "
        "cancel twice:n8 micro:n8 moments:f8 laid:f8? influence:f8? own:n8? others:n8?"
    ),
    "conditional_replicates": (
        "codes:i8 matrix:~f8 weights:f8? rows:long classes:long across:long along:long drawn:u1 count:long "
        "threads:int cancel twice:n8 micro:n8"
    ),
    "ordinal_volume": (
        "codes:i8 scores:f8 weights:f8? rows:long classes:long drawn:u1? count:long threads:int cancel values:f8 "
        "influence:f8?"
    ),
    "assignment": (
        "matrix:~f8 classes:long across:long along:long tuples:i8 count:long tolerance:double threads:int cancel "
        "credit:f8"
    ),
    "placements": f"{_ROWS} models:long positive:any negative:any",
    "draws": f"{_RESAMPLED} found:u1",
    "drawn_cells": f"{_RESAMPLED} cells:i8 many:long sums:i8 lacking:i8",
    "replicates": (
        f"{_RESAMPLED} units:i4? weights:f8? positives:long negatives:long steps:i4 width:long rates:f8 many:long "
        "cuts:i8 pairs:long detailed:int found:f8"
    ),
    "confusion": (
        "truth:any truth_width:int predicted:any predicted_width:int weights:f8? rows:long classes:long threads:int "
        "cancel found:n8"
    ),
    "delong_sums": f"{_TABLE} {_SQUARES} threads:int whole_sums:out real_sums:out sums:out",
    "pr_areas": f"{_TABLE} threads:int areas:out",
    "loss_moments": f"scores:f8 {_TABLE} {_SQUARES} threads:int found:f8",
    "extent": "values:f8 rows:long threads:int found:out",
    "squared_error": "truth:u1 probabilities:f8 rows:long threads:int total:out",
    "precision_influence": f"{_TABLE} {_SQUARES} scale:double scale2:double value:double found:f8",
    "extremes": f"{_TABLE} found:out counts:out",
    "hull": f"{_TABLE} found:i8 size:out",
    "fold": f"{_TABLE} threads:int positive2:n8 negative2:n8 count:out",
    "cumulate_at": f"{_TABLE} indices:i8 many:long tp:n8 fp:n8",
    "range_sums": f"scores:f8? {_TABLE} {_SQUARES} starts:i8 ends:i8 many:long threads:int sums:n8 sums2:n8 others:f8",
    "leads": f"{_TABLE} positive2:n8 negative2:n8 rows2:long kinds:i1 fpr:f8 tpr:f8 size:out",
    "trec_lines": (
        "block:u1 size:long form:int numbers:f8 documents:u1 ends:i8 queries:u1 query_ends:i8 rows:i8 unread:i8 "
        "report:i8"
    ),
    "text_codes": f"{_TEXTS} codes:i4 firsts:i8 size:out",
    "padded_codes": "letters:u4 width:long rows:long codes:i4 firsts:i8 size:out",
    "fixed_texts": "letters:u4 rows:long width:long most:long threads:int data:u1 offsets:i8 matched:out",
    "number_texts": "values:i8 rows:long data:u1 offsets:i8",
    "look_up": (
        f"run_queries:i4 {_TEXTS} judged_queries:i4 judged:u1 judged_offsets:i8 relevance:i4 judgements:long "
        "queries:long threads:int cancel found:i4 report:i8"
    ),
    "rank_lists": (
        "codes:i4 data:u1? offsets:i8? scores:f8 relevance:i4 rows:long queries:long single:int threads:int "
        "cancel starts:i8 ranked:i4 tied:u1"
    ),
    "ranked_measures": (
        "starts:i8 ranked:i4 tied:u1? known_starts:i8 known:i4 queries:long level:int kinds:i4 tables:i4 cuts:i8 "
        "numbers:f8 measures:long gains:f8 rows:long levels:long threads:int cancel found:f8"
    ),
}
"""Arguments of the functions by their names, which begin with ``thresher_`` in the library."""

_NUMBERS: dict[str, Any] = {
    "int": ctypes.c_int32, "long": ctypes.c_int64, "seed": ctypes.c_uint64, "double": ctypes.c_double,
    "out": ctypes.c_void_p, "cancel": ctypes.c_void_p,
}  # fmt: skip
byref, from_buffer = ctypes.byref, ctypes.c_char.from_buffer


ArrayKind = tuple[tuple[np.dtype[Any], ...], bool, bool]
"""Types that an array argument may have, any if there are none; whether it may be None; whether it may have gaps."""


def kinds_of(name: str) -> list[str]:
    """Return the kinds of a function's arguments."""
    return [part.partition(":")[2] or "cancel" for part in SIGNATURES[name].split()]


def argument_types(name: str) -> list[Any]:
    """Return the `ctypes` type of each argument of a function, the place of a bad row last."""
    return [*(_NUMBERS.get(kind, ctypes.c_void_p) for kind in kinds_of(name)), ctypes.c_void_p]


def array_kinds(name: str) -> list[ArrayKind | None]:
    """Return the kind of each array argument of a function, None for a number, the cancel flag left out."""
    codes = {"any": (), "n8": ("i8", "f8"), "n": ("i8", "f8", "i4", "i1")}
    return [
        None if kind in _NUMBERS
        else (tuple(map(np.dtype, codes.get(code := kind.strip("?~"), (code,)))), kind[-1] == "?", kind[0] == "~")
        for kind in kinds_of(name)
        if kind != "cancel"
    ]  # fmt: skip


def addresses(kinds: Sequence[ArrayKind | None], arguments: Sequence[Any]) -> list[Any]:
    """Arguments as `ctypes` takes them: of an array where its data begin, None where there are none."""
    found: list[Any] = []
    for kind, value in zip(kinds, arguments, strict=True):
        if kind is None:
            found.append(value)
            continue
        types, is_optional, may_have_gaps = kind
        if value is None and is_optional:
            found.append(value)
        elif types and value.dtype not in types:
            raise TypeError(f"the kernel takes {' or '.join(map(str, types))} here, not {value.dtype}")
        elif not value.size:
            found.append(None)
        elif value.flags.writeable and not may_have_gaps:
            # Four times as fast as asking the array, which counts when there are only a hundred rows.
            found.append(byref(from_buffer(value)))  # which refuses gaps between values
        elif value.flags.c_contiguous or may_have_gaps:
            found.append(ctypes.c_void_p(value.__array_interface__["data"][0]))
            found[-1].array = value  # lives as long as its address
        else:
            raise ValueError("the kernel reads contiguous arrays only")
    return found
