// What every part of the kernel uses: threads, wide integers, exact sums; and memory, of memory.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "abi.hpp"
#include "memory.hpp"

// A loop that the compiler may not put into its caller, where others would take its registers.
#define THRESHER_APART __attribute__((noinline))

namespace thresher {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UWide;

// A fault of the data: thrown where it is found, turned into a status where the library is entered.
struct BadRow {
    Status status;
    std::int64_t row;
};

struct Cancelled {};

// Reads the caller's flag, a plain int32 in Python's memory that another thread sets.
class Cancel {
public:
    explicit Cancel(const std::int32_t* flag) : flag_(flag) {}
    bool set() const { return flag_ != nullptr && __atomic_load_n(flag_, __ATOMIC_RELAXED) != 0; }
    void check() const {
        if (set()) throw Cancelled{};
    }

private:
    const std::int32_t* flag_;
};

// Runs work(0) … work(count − 1), each once, on up to `count` threads. What a thread throws is thrown again here, after
// all have ended: of several faults of the data, the one of the first row. Where no thread can be started its share
// runs in this one.
template <class Work>
void run_threads(int count, const Work& work) {
    std::exception_ptr failure;
    std::optional<BadRow> fault;
    std::mutex guard;
    const auto safely = [&](int index) {
        try {
            work(index);
        } catch (const BadRow& bad) {
            const std::lock_guard<std::mutex> lock(guard);
            if (!fault || bad.row < fault->row) fault = bad;
        } catch (...) {
            const std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(count > 0 ? count - 1 : 0));
    int started = 1;
    for (; started < count; ++started) {
        try {
            threads.emplace_back(safely, started);
        } catch (const std::system_error&) {
            break;
        }
    }
    safely(0);
    for (int index = started; index < count; ++index) safely(index);
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
    if (fault) throw *fault;
}

// Rows that a thread takes at a time. They are the same for any number of threads, and so is what is added share by share.
inline constexpr std::size_t kShare = std::size_t{1} << 16;
inline constexpr std::size_t shares_of(std::size_t rows) { return (rows + kShare - 1) / kShare; }

// Calls work(share, from, to) for every share of the rows.
template <class Work>
void run_shares(std::size_t rows, int threads, const Work& work) {
    const std::size_t shares = shares_of(rows);
    const auto enough = static_cast<int>(std::min(shares, static_cast<std::size_t>(threads)));
    std::atomic<std::size_t> next{0};
    run_threads(enough, [&](int) {
        for (std::size_t s = next++; s < shares; s = next++) work(s, s * kShare, std::min(rows, (s + 1) * kShare));
    });
}

// A value that the compiler may not read from memory again, where another thread may have written since.
inline std::uint64_t read_once(std::uint64_t value) {
    asm("" : "+r"(value));
    return value;
}

// Calls `body` and turns what it throws into a status.
template <class Body>
std::int32_t guarded(std::int64_t* bad_row, const Body& body) noexcept {
    try {
        body();
        return kOk;
    } catch (const BadRow& bad) {
        *bad_row = bad.row;
        return bad.status;
    } catch (const Cancelled&) {
        return kCancelled;
    } catch (const std::bad_alloc&) {
        return kNoMemory;
    } catch (...) {
        return kInternal;
    }
}

// A running sum with an error that does not grow with the number of terms [Neumaier 1974].
class Sum {
public:
    void add(double term) {
        const double next = sum_ + term;
        // An infinite sum would turn the correction into NaN.
        if (std::isfinite(next)) lost_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - next) + term : (term - next) + sum_;
        sum_ = next;
    }
    double value() const { return sum_ + lost_; }

private:
    double sum_ = 0.0;
    double lost_ = 0.0;
};

}  // namespace thresher
