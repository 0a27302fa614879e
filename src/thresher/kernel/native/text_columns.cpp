// Columns of texts: codes of equal ones, and how they are made of what NumPy and Python hold.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "common.hpp"
#include "texts.hpp"

namespace thresher {
namespace {

char* put_letter(std::uint32_t letter, char* at) {
    const auto tail = [letter](int shift) { return static_cast<char>(0x80U | ((letter >> shift) & 0x3FU)); };
    if (letter < 0x80U) {
        *at++ = static_cast<char>(letter);
    } else if (letter < 0x800U) {
        *at++ = static_cast<char>(0xC0U | (letter >> 6));
        *at++ = tail(0);
    } else if (letter < 0x10000U) {
        *at++ = static_cast<char>(0xE0U | (letter >> 12));
        *at++ = tail(6);
        *at++ = tail(0);
    } else {
        *at++ = static_cast<char>(0xF0U | (letter >> 18));
        *at++ = tail(12);
        *at++ = tail(6);
        *at++ = tail(0);
    }
    return at;
}

// Texts of one size each, padded: as bytes they are equal when the texts are.
struct Padded {
    const char* data;
    std::size_t width;
    std::uint64_t hash(std::size_t i) const { return Texts::hash_of(data + i * width, width); }
    bool equal(std::size_t i, const Padded& other, std::size_t j) const {
        return width == 0 || std::memcmp(data + i * width, other.data + j * width, width) == 0;
    }
};

// Codes in order of first appearance. The table holds rows plus one, so that 0 is an empty place.
template <class Column>
std::int64_t code(const Column& texts, std::size_t rows, std::int32_t* codes, std::int64_t* firsts) {
    std::size_t capacity = 1024;
    std::vector<std::int32_t> table(capacity, 0);
    std::int64_t count = 0;
    const auto place = [&](std::size_t row) {
        std::size_t at = texts.hash(row) & (capacity - 1);
        while (table[at] != 0 && !texts.equal(row, texts, static_cast<std::size_t>(firsts[table[at] - 1]))) {
            at = (at + 1) & (capacity - 1);
        }
        return at;
    };
    for (std::size_t row = 0; row < rows; ++row) {
        if (row > 0 && texts.equal(row, texts, row - 1)) {
            codes[row] = codes[row - 1];
            continue;
        }
        std::size_t at = place(row);
        if (table[at] == 0) {
            if (static_cast<std::size_t>(count) * 2 >= capacity) {
                capacity *= 4;
                table.assign(capacity, 0);
                for (std::int64_t k = 0; k < count; ++k) {
                    table[place(static_cast<std::size_t>(firsts[k]))] = static_cast<std::int32_t>(k + 1);
                }
                at = place(row);
            }
            firsts[count++] = static_cast<std::int64_t>(row);
            table[at] = static_cast<std::int32_t>(count);
        }
        codes[row] = table[at] - 1;
    }
    return count;
}

// Rows of a fixed width of UCS-4 letters, padded with zeros.
struct Fixed {
    const std::uint32_t* letters;
    std::int64_t rows;
    std::int64_t width;
};

// How many bytes of a row are left without the zeros at its end.
std::size_t unpadded(const char* row, std::size_t width) {
    for (; width >= 8; width -= 8) {
        std::uint64_t last = 0;
        std::memcpy(&last, row + width - 8, 8);
        if constexpr (std::endian::native == std::endian::little) {
            if (last != 0) return width - static_cast<std::size_t>(std::countl_zero(last)) / 8;
        } else if (last != 0) {
            break;
        }
    }
    while (width > 0 && row[width - 1] == 0) --width;
    return width;
}

// Rows from … to of letters below 128 from `at` on, where there is room for all of their letters; null at another letter.
// Letters are narrowed many at a time, and rows copied by words, which may write beyond a row but never beyond the room.
char* narrow_letters(const Fixed& texts, std::int64_t from, std::int64_t to, char* at, std::int64_t* sizes) {
    constexpr std::int64_t kLetters = 1 << 14;
    const auto width = static_cast<std::size_t>(texts.width);
    const char* const room = at + static_cast<std::size_t>(to - from) * width;
    const std::int64_t step = std::max<std::int64_t>(1, kLetters / std::max<std::int64_t>(1, texts.width));
    std::vector<char> bytes(static_cast<std::size_t>(step) * width + 8);
    for (std::int64_t first = from; first < to; first += step) {
        const std::int64_t count = std::min(step, to - first);
        const std::uint32_t* letters = texts.letters + first * texts.width;
        const std::size_t size = static_cast<std::size_t>(count) * width;
        std::uint32_t any = 0;
        for (std::size_t k = 0; k < size; ++k) {
            any |= letters[k];
            bytes[k] = static_cast<char>(letters[k]);
        }
        if (any >= 0x80U) return nullptr;
        for (std::int64_t i = 0; i < count; ++i) {
            const char* row = bytes.data() + static_cast<std::size_t>(i) * width;
            const std::size_t length = unpadded(row, width);
            const std::size_t words = (length + 7) / 8 * 8;
            if (words <= static_cast<std::size_t>(room - at)) {
                for (std::size_t k = 0; k < words; k += 8) std::memcpy(at + k, row + k, 8);
            } else {
                std::memcpy(at, row, length);
            }
            sizes[first + i] = static_cast<std::int64_t>(length);
            at += length;
        }
    }
    return at;
}

// The same of any letters, with room for four bytes each.
char* encode_letters(const Fixed& texts, std::int64_t from, std::int64_t to, char* at, std::int64_t* sizes) {
    for (std::int64_t i = from; i < to; ++i) {
        const std::uint32_t* row = texts.letters + i * texts.width;
        std::int64_t length = texts.width;
        while (length > 0 && row[length - 1] == 0) --length;
        const char* const start = at;
        for (std::int64_t k = 0; k < length; ++k) at = put_letter(row[k], at);
        sizes[i] = at - start;
    }
    return at;
}

// Every thread writes its share of the rows where it fits in any case; then the shares are moved together. False when a
// letter needs more than `most` bytes, 1 or 4.
bool encode_all(const Fixed& texts, std::int64_t most, int threads, char* bytes, std::int64_t* offsets) {
    std::vector<char*> ends(static_cast<std::size_t>(threads));
    const auto first = [&](int index) { return texts.rows * index / threads; };
    const auto begin = [&](int index) { return bytes + first(index) * texts.width * most; };
    run_threads(threads, [&](int index) {
        const auto write = most == 1 ? narrow_letters : encode_letters;
        ends[static_cast<std::size_t>(index)] = write(texts, first(index), first(index + 1), begin(index), offsets + 1);
    });
    char* to = bytes;
    for (int index = 0; index < threads; ++index) {
        const char* const end = ends[static_cast<std::size_t>(index)];
        if (end == nullptr) return false;
        const std::ptrdiff_t size = end - begin(index);
        if (to != begin(index)) std::memmove(to, begin(index), static_cast<std::size_t>(size));
        to += size;
    }
    offsets[0] = 0;
    for (std::int64_t i = 0; i < texts.rows; ++i) offsets[i + 1] += offsets[i];
    return true;
}

}  // namespace
}  // namespace thresher

// Fewer than 2^31 distinct texts; `firsts` has room for one row each.
THRESHER_API std::int32_t thresher_text_codes(const char* data, const std::int64_t* offsets, std::int64_t rows,
                                              std::int32_t* codes, std::int64_t* firsts, std::int64_t* count,
                                              std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row,
                   [&] { *count = code(Texts{data, offsets}, static_cast<std::size_t>(rows), codes, firsts); });
}

// The same of texts of `width` bytes each, padded alike.
THRESHER_API std::int32_t thresher_padded_codes(const char* data, std::int64_t width, std::int64_t rows,
                                                std::int32_t* codes, std::int64_t* firsts, std::int64_t* count,
                                                std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        *count = code(Padded{data, static_cast<std::size_t>(width)}, static_cast<std::size_t>(rows), codes, firsts);
    });
}

// Texts of a fixed width of UCS-4 letters, padded with zeros, as UTF-8. `bytes` has room for `most` (1 or 4) bytes for
// every letter; `matched` gets 1, or 0 when a letter takes more, and then the rest means nothing.
THRESHER_API std::int32_t thresher_fixed_texts(const std::uint32_t* letters, std::int64_t rows, std::int64_t width,
                                               std::int64_t most, std::int32_t threads, char* bytes,
                                               std::int64_t* offsets, std::int64_t* matched, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row,
                   [&] { *matched = encode_all({letters, rows, width}, most, threads, bytes, offsets) ? 1 : 0; });
}

// Whole numbers as decimal text; `bytes` has room for 20 each.
THRESHER_API std::int32_t thresher_number_texts(const std::int64_t* values, std::int64_t rows, char* bytes,
                                                std::int64_t* offsets, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        char* at = bytes;
        offsets[0] = 0;
        for (std::int64_t i = 0; i < rows; ++i) {
            at = std::to_chars(at, at + 20, values[i]).ptr;
            offsets[i + 1] = at - bytes;
        }
    });
}
