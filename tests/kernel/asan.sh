#!/usr/bin/env bash
# The kernel's tests, and those of ranked lists, with a library that checks every address and every undefined operation.
#
# The library is built into a temporary directory and named by THRESHER_NATIVE_LIBRARY. Python itself is not built with
# the sanitizers, so their runtime is loaded before it. Leaks are not looked for: Python leaves memory to the system when
# it ends. Needs GCC or Clang, CMake and what the tests need; runs on Linux.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

compiler=${CXX:-c++}
cmake -S . -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DTHRESHER_SANITIZE=address,undefined >"$build/log" || { cat "$build/log"; exit 1; }
cmake --build "$build" --parallel 2 >>"$build/log" || { cat "$build/log"; exit 1; }

runtime=$("$compiler" -print-file-name=libasan.so)
if [ ! -e "$runtime" ]; then
    echo "no address sanitizer runtime beside $compiler" >&2
    exit 1
fi

# The C++ runtime comes second, or the sanitizer would not find the function that throws.
preload="$runtime $("$compiler" -print-file-name=libstdc++.so.6)"

# Allocation by Python's own arenas would hide an access beyond the end of an array.
# While another thread changes the arrays (test_changing.py): long enough that a wrong write would be seen.
export THRESHER_CHANGING_SECONDS=0.3
export PYTHONMALLOC=malloc THRESHER_KERNEL=native THRESHER_NATIVE_LIBRARY="$build/_native.so"
# Reports go to files, because pytest captures what the process writes and a report ends the process.
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:log_path=$build/report"
export UBSAN_OPTIONS="print_stacktrace=1:log_path=$build/report"
LD_PRELOAD="$preload" "${PYTHON:-python}" -c '
import thresher.kernel as kernel
assert kernel.implementation() == "native" and "'"$build"'" in kernel.why(), kernel.why()
'
LD_PRELOAD="$preload" "${PYTHON:-python}" -m pytest -q -p no:cacheprovider \
    -m "not (peer or browser or reference or spark or long)" tests/kernel tests/ranking/test_list_measures.py tests/ranking/test_trec_files.py "$@" || {
    cat "$build"/report.* >&2 2>/dev/null || true
    exit 1
}
