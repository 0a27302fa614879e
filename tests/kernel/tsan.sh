#!/usr/bin/env bash
# The kernel's own threads under the thread sanitizer: every function that starts some, on several threads at once.
#
# A Python that is not built with this sanitizer cannot run under it, so that a small program of C++ (tsan.cpp) calls the
# same interface. Needs GCC or Clang; runs on Linux.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# As one unit, which reads the standard library's headers once.
printf '#include "%s"\n' "$PWD"/src/thresher/kernel/native/*.cpp >"$build/kernel.cpp"
"${CXX:-c++}" -std=c++20 -O1 -g -fsanitize=thread -ffp-contract=off -pthread \
    -I src/thresher/kernel/native tests/kernel/tsan.cpp "$build/kernel.cpp" -o "$build/tsan"
# Where addresses are laid out at random over more bits than the sanitizer expects, it cannot start.
if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then
    TSAN_OPTIONS="halt_on_error=1" setarch -R "$build/tsan"
else
    TSAN_OPTIONS="halt_on_error=1" "$build/tsan"
fi
