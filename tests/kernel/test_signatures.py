"""The table of the compiled functions says what their C++ says, and nothing else reaches them."""

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

import thresher.kernel
from thresher.kernel.signatures import SIGNATURES, addresses, array_kinds

NATIVE = Path(thresher.kernel.__file__).parent / "native"
C_TYPES = {
    "std::int32_t": {"int"}, "std::int64_t": {"long"}, "std::uint64_t": {"seed"}, "double": {"double"},
    "std::uint8_t*": {"u1"}, "char*": {"u1"}, "std::int8_t*": {"i1"}, "std::int32_t*": {"i4", "cancel"},
    "std::uint32_t*": {"u4"}, "std::int64_t*": {"i8", "out"}, "double*": {"f8", "out"}, "double* const*": {"out"},
    "std::uint64_t*": {"f8"}, "void*": {"n", "n8", "f8", "any", "out"},
}  # fmt: skip
"""Kinds of arguments by their types; as bits of scores a kernel also writes doubles."""

OF_BYTES = {"letters:u4"}
"""Arrays whose bytes a function reads, whatever they are."""


def declared():
    """Types of the arguments of every function of the library, but for the last, by name."""
    for path in sorted(NATIVE.glob("*.cpp")):
        for name, arguments in re.findall(
            r"THRESHER_API std::int32_t thresher_(\w+)\(([^)]*)\)", path.read_text("utf-8")
        ):
            parts = [re.sub(r"const |\[\[maybe_unused\]\]", "", part).strip() for part in arguments.split(",")]
            *types, last = [re.match(r"[\w:]+\*?( const\*)?", part)[0] for part in parts]
            assert last == "std::int64_t*", name
            yield name, types


@pytest.mark.skipif(not NATIVE.is_dir(), reason="installed without its sources")
def test_every_function_is_declared_as_it_is():
    found = dict(declared())
    assert set(found) == set(SIGNATURES)
    for name, types in found.items():
        arguments = SIGNATURES[name].split()
        assert len(arguments) == len(types), name
        for argument, kind in zip(arguments, types, strict=True):
            known = argument.partition(":")[2].strip("?~") or "cancel"
            assert known in C_TYPES[kind] or argument in OF_BYTES, (name, argument, kind)


def taken(name, place, array):
    return addresses([array_kinds(name)[place]], [array])[0]


def test_arrays_of_another_type_are_refused():
    with pytest.raises(AttributeError):
        taken("concordance", 0, None)
    assert taken("concordance", 2, None) is None


def test_arrays_with_gaps_are_refused():
    column = np.arange(10.0)[::2]
    column.flags.writeable = False
    with pytest.raises(ValueError, match="contiguous"):
        taken("concordance", 1, column)
    assert isinstance(taken("conditional", 1, column), ctypes.c_void_p)
