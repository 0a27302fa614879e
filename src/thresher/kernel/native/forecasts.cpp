// Truth that comes as whole numbers of 64 bits, the range of numbers, and the squared error of probabilities, each in one
// pass that checks every value on its way.
#include <algorithm>
#include <bit>

#include "extent.hpp"

namespace thresher {
namespace {

// Rows that are added before the next step of an exact sum.
constexpr std::size_t kPart = std::size_t{1} << 12;

[[noreturn]] void throw_first_odd(const std::int64_t* values, std::int64_t rows) {
    for (std::int64_t i = 0; i < rows; ++i) {
        if (values[i] < 0 || values[i] > 1) throw BadRow{kTruth, i};
    }
    throw BadRow{kChanged, 0};
}

bool narrow(const std::int64_t* values, std::size_t from, std::size_t to, std::uint8_t* codes) {
    std::int64_t bits = 0;
    for (std::size_t i = from; i < to; ++i) {
        bits |= values[i];
        codes[i] = static_cast<std::uint8_t>(values[i]);
    }
    return (bits & ~std::int64_t{1}) == 0;
}

struct Error {
    double sum = 0.0;
    bool fault = false;
};

// The squared errors of some rows. Sums run side by side, so that several rows are taken at once.
template <class Truth>
double squares_of(const Truth* truth, const double* probabilities, std::size_t rows, std::uint64_t& fault) {
    constexpr std::size_t kLanes = 8;
    double sums[kLanes] = {};
    std::uint64_t odd = 0;
    const auto take = [&](std::size_t i, std::size_t lane) {
        const auto code = static_cast<std::uint64_t>(truth[i]);
        // 1.0 or 0.0, without a conversion.
        const double wanted = std::bit_cast<double>((std::uint64_t{0} - code) & std::bit_cast<std::uint64_t>(1.0));
        const double error = probabilities[i] - wanted;
        sums[lane] += error * error;
        odd |= code >> 1;
        // NaN denies both comparisons.
        odd |= static_cast<std::uint64_t>(!(probabilities[i] >= 0.0)) | static_cast<std::uint64_t>(!(probabilities[i] <= 1.0));
    };
    std::size_t i = 0;
    for (; i + kLanes <= rows; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) take(i + lane, lane);
    }
    for (; i < rows; ++i) take(i, 0);
    fault |= odd;
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

template <class Truth>
double squared_error(const Truth* truth, const double* probabilities, std::int64_t count, int threads) {
    const auto rows = static_cast<std::size_t>(count);
    std::vector<Error> errors(shares_of(rows));
    run_shares(rows, threads, [&](std::size_t share, std::size_t from, std::size_t to) {
        Sum sum;
        std::uint64_t fault = 0;
        for (; from < to; from += kPart) {
            sum.add(squares_of(truth + from, probabilities + from, std::min(kPart, to - from), fault));
        }
        errors[share] = {sum.value(), fault != 0};
    });
    Sum sum;
    for (const Error& error : errors) {
        sum.add(error.sum);
        if (!error.fault) continue;
        for (std::int64_t i = 0; i < count; ++i) {
            if (static_cast<std::uint64_t>(truth[i]) > 1) throw BadRow{kTruth, i};
            if (std::isnan(probabilities[i])) throw BadRow{kScoreNan, i};
            if (!(probabilities[i] >= 0.0 && probabilities[i] <= 1.0)) throw BadRow{kScoreRange, i};
        }
    }
    return sum.value();
}

}  // namespace
}  // namespace thresher

THRESHER_API std::int32_t thresher_binary_codes(const std::int64_t* values, std::int64_t rows, std::int32_t threads,
                                                std::uint8_t* codes, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        std::atomic<bool> fault{false};
        run_shares(static_cast<std::size_t>(rows), threads, [&](std::size_t, std::size_t from, std::size_t to) {
            if (!narrow(values, from, to, codes)) fault = true;
        });
        if (fault) throw_first_odd(values, rows);
    });
}

// out: the least and the greatest number; NaN both where one is, and for no numbers.
THRESHER_API std::int32_t thresher_extent(const double* values, std::int64_t rows, std::int32_t threads, double* out,
                                          std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        const auto count = static_cast<std::size_t>(rows);
        std::vector<Extent> parts(shares_of(count));
        std::atomic<bool> is_known{rows > 0};
        run_shares(count, threads, [&](std::size_t share, std::size_t from, std::size_t to) {
            parts[share] = extent_of(values + from, to - from);
            if (parts[share].finite) return;
            for (; from < to; ++from) {
                if (std::isnan(values[from])) is_known = false;
            }
        });
        const double infinity = std::numeric_limits<double>::infinity();
        out[0] = is_known ? infinity : kNaN;
        out[1] = is_known ? -infinity : kNaN;
        for (const Extent& part : parts) {
            if (!is_known) break;
            out[0] = std::min(out[0], part.lowest);
            out[1] = std::max(out[1], part.highest);
        }
    });
}

// `wide`: the truth has 64 bits a row, else 8.
THRESHER_API std::int32_t thresher_squared_error(const void* truth, std::int32_t wide, const double* probabilities,
                                                 std::int64_t rows, std::int32_t threads, double* sum,
                                                 std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        *sum = wide != 0 ? squared_error(static_cast<const std::int64_t*>(truth), probabilities, rows, threads)
                         : squared_error(static_cast<const std::uint8_t*>(truth), probabilities, rows, threads);
    });
}
