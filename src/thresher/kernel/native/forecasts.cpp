// The range of numbers, and the squared error of probabilities, each in one pass that checks every value on its way.
#include <algorithm>
#include <bit>

#include "extent.hpp"

namespace thresher {
namespace {

// Rows that are added before the next step of an exact sum.
constexpr std::size_t kPart = std::size_t{1} << 12;

struct Error {
    double sum = 0.0;
    bool fault = false;
};

// The squared errors of some rows. Sums run side by side, so that several rows are taken at once.
double squares_of(const std::uint8_t* truth, const double* probabilities, std::size_t rows, std::uint64_t& fault) {
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

double squared_error(const std::uint8_t* truth, const double* probabilities, std::int64_t count, int threads) {
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
            if (truth[i] > 1) throw BadRow{kTruth, i};
            if (std::isnan(probabilities[i])) throw BadRow{kScoreNan, i};
            if (!(probabilities[i] >= 0.0 && probabilities[i] <= 1.0)) throw BadRow{kScoreRange, i};
        }
    }
    return sum.value();
}

}  // namespace
}  // namespace thresher

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

THRESHER_API std::int32_t thresher_squared_error(const std::uint8_t* truth, const double* probabilities, std::int64_t rows,
                                                 std::int32_t threads, double* sum, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] { *sum = squared_error(truth, probabilities, rows, threads); });
}
