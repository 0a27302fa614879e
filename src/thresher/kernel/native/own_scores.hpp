// The scores of the true classes in order.
#pragma once

#include "classes.hpp"

namespace thresher {

// The scores of the true classes, distinct ones by falling score: what micro averages compare every cell with.
template <class W>
struct Own {
    std::vector<std::uint64_t> keys;
    std::vector<W> weight;
    // Weight of all that score higher; one more entry than there are keys.
    std::vector<W> before;
    // Place of every row among the keys.
    std::vector<std::uint32_t> place;

    Own(const ClassTable& table, const Cancel& cancel, bool places) {
        const Block<ClassRow> items(table.rows);
        std::size_t count = 0;
        for (std::size_t i = 0; i < table.rows; ++i) {
            const auto k = static_cast<std::size_t>(table.codes[i]);
            const double score = table.scores[i * table.row_step + k * table.column_step];
            items[count] = {key_of(score), 0, static_cast<std::uint32_t>(i)};
            count += table.weight<W>(i) > 0;
        }
        if (places) place.resize(table.rows);
        Sorter<ClassRow> sorter(cancel);
        const ClassRow* sorted = count > 0 ? sorter.sort(items.get(), count) : items.get();
        before.push_back(0);
        for (std::size_t i = 0; i < count; ++i) {
            if (keys.empty() || sorted[i].code != keys.back()) {
                if (!keys.empty()) before.push_back(before.back() + weight.back());
                keys.push_back(sorted[i].code);
                weight.push_back(0);
            }
            weight.back() += table.weight<W>(sorted[i].row);
            if (places) place[sorted[i].row] = static_cast<std::uint32_t>(keys.size() - 1);
        }
        if (!keys.empty()) before.push_back(before.back() + weight.back());
    }
};

}  // namespace thresher
