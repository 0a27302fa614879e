// Memory for rows, and what of it is kept for whoever needs some next.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace thresher {

#if defined(__linux__)

// Large memory comes from the system and goes back to it, unless somebody keeps what is given back: the system clears all
// that it hands out, which takes longer than to write it, and a report needs as much again for every model.
class Memory {
public:
    static constexpr std::size_t kLarge = std::size_t{4} << 20;

    static Memory& of_process() {
        static Memory* const memory = new Memory;  // never destroyed: what is given back at the very end still finds it
        return *memory;
    }

    // Room for `bytes` bytes; null where there is none.
    void* take(std::size_t bytes) {
        bytes = whole(bytes);
        if (void* kept = take_kept(bytes)) return kept;
        void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED) return nullptr;
        // A page fault then brings 2 MB instead of 4 kB, and scattered writes stay within the address cache's reach.
        madvise(got, bytes, MADV_HUGEPAGE);
        return got;
    }

    void give(void* memory, std::size_t bytes) {
        bytes = whole(bytes);
        const std::lock_guard<std::mutex> lock(guard_);
        try {
            if (keepers_ > 0) return join(static_cast<char*>(memory), bytes);
        } catch (const std::bad_alloc&) {
        }
        munmap(memory, bytes);
    }

    // Counts those who want memory to be kept; after the last all of it goes back.
    void keep(int more) {
        const std::lock_guard<std::mutex> lock(guard_);
        keepers_ += more;
        if (keepers_ > 0) return;
        for (const auto& [memory, bytes] : kept_) munmap(memory, bytes);
        kept_.clear();
    }

    bool is_keeping() {
        const std::lock_guard<std::mutex> lock(guard_);
        return keepers_ > 0;
    }

private:
    // What is kept may be handed out in parts, which begin and end at pages of any size in use.
    static std::size_t whole(std::size_t bytes) {
        constexpr std::size_t kPage = std::size_t{64} << 10;
        return (bytes + kPage - 1) / kPage * kPage;
    }

    // The smallest kept block that is large enough; the rest of it stays.
    void* take_kept(std::size_t bytes) {
        const std::lock_guard<std::mutex> lock(guard_);
        auto least = kept_.end();
        for (auto one = kept_.begin(); one != kept_.end(); ++one) {
            if (one->second >= bytes && (least == kept_.end() || one->second < least->second)) least = one;
        }
        if (least == kept_.end()) return nullptr;
        auto found = kept_.extract(least);
        char* const memory = found.key();
        if (found.mapped() > bytes) {
            found.key() += bytes;
            found.mapped() -= bytes;
            kept_.insert(std::move(found));
        }
        return memory;
    }

    // Keeps what was given back, as one with what is kept on both sides of it.
    void join(char* memory, std::size_t bytes) {
        const auto next = kept_.lower_bound(memory);
        const auto before = next == kept_.begin() ? kept_.end() : std::prev(next);
        const bool is_next = next != kept_.end() && memory + bytes == next->first;
        if (before != kept_.end() && before->first + before->second == memory) {
            before->second += bytes + (is_next ? next->second : 0);
            if (is_next) kept_.erase(next);
        } else if (is_next) {
            auto found = kept_.extract(next);
            found.key() = memory;
            found.mapped() += bytes;
            kept_.insert(std::move(found));
        } else {
            kept_.emplace(memory, bytes);
        }
    }

    std::mutex guard_;
    int keepers_ = 0;
    std::map<char*, std::size_t> kept_;
};

#endif

// Uninitialised memory.
template <class T>
class Block {
public:
    Block() = default;
    explicit Block(std::size_t count) : bytes_(count * sizeof(T)) {
        if (bytes_ == 0) return;
#if defined(__linux__)
        data_ = static_cast<T*>(bytes_ >= Memory::kLarge ? Memory::of_process().take(bytes_) : std::malloc(bytes_));
#else
        data_ = static_cast<T*>(std::malloc(bytes_));
#endif
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
        if (bytes_ >= Memory::kLarge) {
            Memory::of_process().give(data_, bytes_);
            return;
        }
#endif
        std::free(data_);
    }
    T* get() const { return data_; }
    T& operator[](std::size_t i) const { return data_[i]; }

private:
    T* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace thresher
