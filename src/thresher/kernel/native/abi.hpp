// The plain C interface that thresher.kernel.binding calls through ctypes.
//
// Every function returns a Status. Positive ones name what is wrong with the row stored in *bad_row; their numbers are
// repeated in values.py. The caller owns all memory and has checked every type and length; kChanged says that a fault was
// found and then gone, because another thread writes to the rows. `cancel` points to a flag
// that another thread may set to have the call give up early.
#pragma once

#include <cstdint>

#if defined(_WIN32)
#define THRESHER_API extern "C" __declspec(dllexport)
#else
#define THRESHER_API extern "C" __attribute__((visibility("default")))
#endif

// Raised whenever a signature or a Status changes, so that a stale library is refused, not called.
inline constexpr std::int64_t kAbiVersion = 22;

enum Status : std::int32_t {
    kChanged = -4,
    kInternal = -3,
    kCancelled = -2,
    kNoMemory = -1,
    kOk = 0,
    kTruth = 1,
    kScoreNan = 2,
    kWeightNan = 3,
    kWeightNegative = 4,
    kWeightInfinite = 5,
    kTruthCode = 6,
    kPredictedCode = 7,
    kCountNan = 8,
    kCountNegative = 9,
    kCountInfinite = 10,
    kCountOverflow = 11,
    kScoreRange = 12,
};

// Columns of scored rows. `weights` may be null.
struct RowColumns {
    const std::uint8_t* truth;
    const double* scores;
    const double* weights;
    std::int64_t rows;
};

// Two columns of a score table: whole numbers of `whole` bytes, 1, 4 or 8, or double when it is 0.
struct TableColumns {
    const void* positive;
    const void* negative;
    std::int64_t rows;
    std::int64_t whole;
};
