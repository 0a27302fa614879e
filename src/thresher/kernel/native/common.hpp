// What every part of the kernel uses: memory, threads, wide integers, exact sums.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "abi.hpp"

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

// Uninitialised memory. Large blocks ask for huge pages: a page fault then brings 2 MB instead of 4 kB, and scattered
// writes stay within the reach of the address cache.
template <class T>
class Block {
public:
    Block() = default;
    explicit Block(std::size_t count) : bytes_(count * sizeof(T)) {
        if (bytes_ == 0) return;
#if defined(__linux__)
        if (bytes_ >= kHuge) {
            void* got = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (got == MAP_FAILED) throw std::bad_alloc();
            madvise(got, bytes_, MADV_HUGEPAGE);
            data_ = static_cast<T*>(got);
            return;
        }
#endif
        data_ = static_cast<T*>(std::malloc(bytes_));
        if (data_ == nullptr) throw std::bad_alloc();
    }
    Block(Block&& other) noexcept : data_(other.data_), bytes_(other.bytes_) { other.data_ = nullptr; }
    Block& operator=(Block&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() {
        if (data_ == nullptr) return;
#if defined(__linux__)
        if (bytes_ >= kHuge) {
            munmap(data_, bytes_);
            return;
        }
#endif
        std::free(data_);
    }
    T* get() const { return data_; }
    T& operator[](std::size_t i) const { return data_[i]; }

private:
    static constexpr std::size_t kHuge = std::size_t{4} << 20;
    T* data_ = nullptr;
    std::size_t bytes_ = 0;
};

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
// all have ended. Where no thread can be started its share runs in this one.
template <class Work>
void run_threads(int count, const Work& work) {
    std::exception_ptr failure;
    std::mutex guard;
    const auto safely = [&](int index) {
        try {
            work(index);
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

// A running sum whose error does not grow with the number of terms [Neumaier 1974].
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
