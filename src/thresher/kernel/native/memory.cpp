// Large memory for arrays of Python, while somebody keeps what is given back.
#include "common.hpp"

THRESHER_API std::int32_t thresher_keep_memory([[maybe_unused]] std::int32_t more, std::int64_t*) {
#if defined(__linux__)
    thresher::Memory::of_process().keep(more);
#endif
    return kOk;
}

// Nothing, where nobody keeps memory: the caller's own is as good then.
THRESHER_API std::int32_t thresher_take_memory([[maybe_unused]] std::int64_t bytes, std::int64_t* address) {
    *address = 0;
#if defined(__linux__)
    thresher::Memory& memory = thresher::Memory::of_process();
    if (static_cast<std::size_t>(bytes) < thresher::Memory::kLarge || !memory.is_keeping()) return kOk;
    *address = reinterpret_cast<std::int64_t>(memory.take(static_cast<std::size_t>(bytes)));
#endif
    return kOk;
}

THRESHER_API std::int32_t thresher_give_memory([[maybe_unused]] std::int64_t bytes, [[maybe_unused]] std::int64_t* address) {
#if defined(__linux__)
    thresher::Memory::of_process().give(reinterpret_cast<void*>(*address), static_cast<std::size_t>(bytes));
#endif
    return kOk;
}
