// Lines of TREC files, a block at a time: queries, documents and numbers into compact columns.
#include <charconv>
#include <string_view>

#include "common.hpp"
#include "texts.hpp"

namespace thresher {
namespace {

// Fields of a line that matter, by their places: judgements are "query iteration document relevance", results are
// "query iteration document rank score tag" and whatever follows, places "query document rank".
struct Form {
    int least;
    int most;
    int document;
    int number;
    int tag;
};
constexpr Form kForms[] = {{4, 4, 2, 3, -1}, {6, 1 << 30, 2, 4, 5}, {3, 3, 1, 2, -1}};

// A table, because every byte of a file is asked.
struct Spaces {
    bool is[256] = {};
    constexpr Spaces() {
        for (const char c : {' ', '\t', '\r', '\v', '\f'}) is[static_cast<unsigned char>(c)] = true;
    }
};
constexpr Spaces kSpaces;
bool is_space(char c) { return kSpaces.is[static_cast<unsigned char>(c)]; }

constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// A plain decimal of at most 2^53 over a power of ten up to 10^22: both are floats, so one division rounds once and is
// right [Clinger 1990].
bool short_decimal(std::string_view text, double& value) {
    std::size_t i = 0;
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) i = 1;
    std::uint64_t digits = 0;
    int count = 0;
    int after = 0;
    bool point = false;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (c >= '0' && c <= '9') {
            if (++count > 18) return false;
            digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
            after += point ? 1 : 0;
        } else if (c == '.' && !point) {
            point = true;
        } else {
            return false;
        }
    }
    if (count == 0 || digits > (std::uint64_t{1} << 53)) return false;
    value = static_cast<double>(digits) / kPowers[after];
    if (negative) value = -value;
    return true;
}

bool number_of(std::string_view text, double& value) {
    if (short_decimal(text, value)) return true;
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    if (!text.empty() && text[0] == '+') {  // which from_chars does not take
        text.remove_prefix(1);
        if (!text.empty() && text[0] == '-') return false;
    }
    const auto found = std::from_chars(text.data(), text.data() + text.size(), value);
    return found.ec == std::errc() && found.ptr == text.data() + text.size();
#else
    return false;
#endif
}

struct LineColumns {
    double* numbers;
    char* documents;
    std::int64_t* document_ends;
    char* queries;
    std::int64_t* query_ends;
    std::int64_t* query_rows;
    std::int64_t* unread;
};

// Place of each count in the report.
enum Report { kRows, kDocumentBytes, kQueries, kQueryBytes, kUnread, kBadAt, kBadFields, kTagAt, kTagSize, kLines };

struct Line {
    std::string_view query, document, number, tag;
    int fields = 0;
};

Line fields_of(const char* from, const char* to, const Form& form) {
    Line line;
    while (from < to) {
        while (from < to && is_space(*from)) ++from;
        const char* start = from;
        while (from < to && !is_space(*from)) ++from;
        if (start == from) break;
        const std::string_view field(start, static_cast<std::size_t>(from - start));
        if (line.fields == 0) line.query = field;
        if (line.fields == form.document) line.document = field;
        if (line.fields == form.number) line.number = field;
        if (line.fields == form.tag) line.tag = field;
        ++line.fields;
        if (line.fields == form.least && form.most > form.least) break;  // what follows is never looked at
    }
    return line;
}

void put(std::string_view text, char* bytes, std::int64_t* ends, std::int64_t& used, std::int64_t row) {
    std::memcpy(bytes + used, text.data(), text.size());
    used += static_cast<std::int64_t>(text.size());
    ends[row] = used;
}

// Stops at the first line with too few or too many fields and reports where it begins.
void read(const char* data, std::size_t size, const Form& form, const LineColumns& out, std::int64_t* report) {
    std::string_view before;
    const char* const end = data + size;
    const char* next = data;
    for (const char* at = data; at < end; at = next) {
        const void* found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
        const char* stop = found == nullptr ? end : static_cast<const char*>(found);
        next = found == nullptr ? end : stop + 1;
        report[kLines] += found != nullptr;
        while (at < stop && is_space(*at)) ++at;
        if (at == stop || *at == '#') continue;
        const Line line = fields_of(at, stop, form);
        if (line.fields < form.least || line.fields > form.most) {
            report[kBadAt] = at - data;
            report[kBadFields] = line.fields;
            return;
        }
        const std::int64_t row = report[kRows]++;
        if (report[kQueries] == 0 || line.query != before) {
            out.query_rows[report[kQueries]] = row;
            put(line.query, out.queries, out.query_ends, report[kQueryBytes], report[kQueries]++);
            before = line.query;
        }
        put(line.document, out.documents, out.document_ends, report[kDocumentBytes], row);
        if (!number_of(line.number, out.numbers[row])) {
            std::int64_t* unread = out.unread + 3 * report[kUnread]++;
            unread[0] = row;
            unread[1] = line.number.data() - data;
            unread[2] = static_cast<std::int64_t>(line.number.size());
        }
        report[kTagAt] = line.tag.empty() ? -1 : line.tag.data() - data;
        report[kTagSize] = static_cast<std::int64_t>(line.tag.size());
    }
}

}  // namespace
}  // namespace thresher

// Reads whole lines. `form` is 0 for judgements, 1 for results, 2 for places. Every column has room for as many rows as the shortest
// lines would make of the block, and the texts for as many bytes as it has; `unread` (rows × 3) is the row, place and
// length of every number that is left to the caller. `report` holds ten zeros but for kBadAt and kTagAt, which are −1;
// its last entry is the ends of lines up to where reading stopped.
THRESHER_API std::int32_t thresher_trec_lines(const char* data, std::int64_t size, std::int32_t form, double* numbers,
                                              char* documents, std::int64_t* document_ends, char* queries,
                                              std::int64_t* query_ends, std::int64_t* query_rows, std::int64_t* unread,
                                              std::int64_t* report, std::int64_t* bad_row) {
    using namespace thresher;
    return guarded(bad_row, [&] {
        read(data, static_cast<std::size_t>(size), kForms[form],
             LineColumns{numbers, documents, document_ends, queries, query_ends, query_rows, unread}, report);
    });
}
