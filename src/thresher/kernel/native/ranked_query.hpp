// One ranked list with its judgements, as running values over its ranks; every measure of it reads these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace thresher {

// Gains by relevance, one table after the other; what was not judged gains nothing.
struct Gains {
    const double* values;
    std::size_t levels;
    double at(std::size_t table, std::int32_t relevance) const {
        const auto level = static_cast<std::size_t>(relevance);  // a negative one becomes a huge one
        return level < levels ? values[table * levels + level] : 0.0;
    }
};

// Running values: entry i is over the first i ranks. Where documents tie (`tied`: as much as the one before), a value
// is its mean over all orders of them [McSherry & Najork 2008]: each rank of r relevant among n tied has r/n of one.
class Query {
public:
    std::size_t length = 0;
    double relevant = 0;    // judged so, retrieved or not
    double irrelevant = 0;  // judged so, retrieved or not
    const std::int32_t* list = nullptr;
    std::vector<double> found, precision, none, judged;

    void read(const std::int32_t* from, const std::uint8_t* ties, std::size_t size, const std::int32_t* known,
              std::size_t count, std::int32_t level) {
        list = from;
        length = size;
        known_ = known;
        known_count_ = count;
        level_ = level;
        std::size_t above = 0;
        while (above < count && known[above] >= level) ++above;
        relevant = static_cast<double>(above);
        irrelevant = static_cast<double>(count - above);
        ends_.clear();
        for (std::size_t i = 1; i <= size; ++i) {
            if (i == size || ties == nullptr || ties[i] == 0) ends_.push_back(i);
        }
        for (auto* values : {&found, &precision, &none, &judged}) values->resize(size + 1);
        found[0] = precision[0] = judged[0] = 0.0;
        none[0] = 1.0;
        each_group([&](std::size_t a, std::size_t n) { add(a, n); });
    }

    std::size_t until(std::int64_t cut) const {
        return cut <= 0 || static_cast<std::size_t>(cut) > length ? length : static_cast<std::size_t>(cut);
    }

    bool is_relevant(std::size_t i) const { return list[i] >= level_; }
    std::int32_t level() const { return level_; }

    // Gains in rank order, ties sharing theirs.
    void ranked_gains(const Gains& gains, std::size_t table, std::vector<double>& out) const {
        out.resize(length);
        each_group([&](std::size_t a, std::size_t n) {
            double sum = 0.0;
            for (std::size_t i = a; i < a + n; ++i) sum += gains.at(table, list[i]);
            for (std::size_t i = a; i < a + n; ++i) out[i] = n == 1 ? sum : sum / static_cast<double>(n);
        });
    }

    // Positive gains of what was judged, falling: the best list there can be.
    void ideal_gains(const Gains& gains, std::size_t table, std::vector<double>& out) const {
        out.clear();
        for (std::size_t i = 0; i < known_count_; ++i) {
            const double gain = gains.at(table, known_[i]);
            if (gain > 0.0) out.push_back(gain);
        }
        if (!std::is_sorted(out.rbegin(), out.rend())) std::sort(out.begin(), out.end(), std::greater<>());
    }

    // Chance that a reader who stops at each document with its chance of satisfying is still reading after i ranks.
    // Over orders of tied ones: with m_j the mean product of j of the n factors, adding a factor x to n − 1 gives
    // m_j (n − j)/n + x m_{j−1} j/n, and factors of 1 alone give 1.
    void reading(const Gains& chances, std::size_t table, std::vector<double>& out) const {
        out.assign(length + 1, 1.0);
        std::vector<double> means;
        each_group([&](std::size_t a, std::size_t n) {
            if (n == 1) {
                out[a + 1] = out[a] * (1.0 - chances.at(table, list[a]));
                return;
            }
            means.assign(n + 1, 1.0);
            std::size_t count = 0;
            for (std::size_t i = a; i < a + n; ++i) count += chances.at(table, list[i]) == 0.0;
            for (std::size_t i = a; i < a + n; ++i) {
                const double chance = chances.at(table, list[i]);
                if (chance == 0.0) continue;
                const auto size = static_cast<double>(++count);
                for (std::size_t j = count; j > 0; --j) {
                    const auto rank = static_cast<double>(j);
                    means[j] = (j < count ? means[j] * (size - rank) / size : 0.0) +
                               (1.0 - chance) * means[j - 1] * rank / size;
                }
            }
            for (std::size_t j = 1; j <= n; ++j) out[a + j] = out[a] * means[j];
        });
    }

    // Sum over relevant documents of the share of the first R irrelevant judged ones that do not come before; among
    // tied ones any number of the tied irrelevant ones comes before with equal chance.
    double preferences() const {
        const double most = std::min(irrelevant, relevant);
        double sum = 0.0;
        double before = 0.0;
        each_group([&](std::size_t a, std::size_t n) {
            double wanted = 0.0;
            double unwanted = 0.0;
            for (std::size_t i = a; i < a + n; ++i) {
                wanted += is_relevant(i);
                unwanted += list[i] >= 0 && list[i] < level_;
            }
            if (wanted > 0.0) {
                double share = 0.0;
                for (double u = 0.0; u <= unwanted; u += 1.0) {
                    share += before + u > 0.0 ? 1.0 - std::min(before + u, relevant) / most : 1.0;
                }
                sum += wanted * (share / (unwanted + 1.0));
            }
            before += unwanted;
        });
        return sum;
    }

private:
    template <class Work>
    void each_group(const Work& work) const {
        std::size_t from = 0;
        for (const std::size_t to : ends_) {
            work(from, to - from);
            from = to;
        }
    }

    void add(std::size_t a, std::size_t n) {
        double r = 0.0;
        double seen = 0.0;
        for (std::size_t i = a; i < a + n; ++i) {
            r += is_relevant(i);
            seen += list[i] >= 0;
        }
        const auto size = static_cast<double>(n);
        double ratio = 1.0;
        for (std::size_t j = 1; j <= n; ++j) {
            const auto rank = static_cast<double>(j);
            const double earlier = n == 1 ? 0.0 : (rank - 1.0) * (r - 1.0) / (size - 1.0);
            const double hit = r == 0.0 ? 0.0 : r / size * (found[a] + 1.0 + earlier) / static_cast<double>(a + j);
            ratio *= std::max(0.0, size - r - rank + 1.0) / (size - rank + 1.0);
            found[a + j] = found[a] + r * rank / size;
            judged[a + j] = judged[a] + seen * rank / size;
            precision[a + j] = precision[a + j - 1] + hit;
            none[a + j] = none[a] * ratio;
        }
    }

    const std::int32_t* known_ = nullptr;
    std::size_t known_count_ = 0;
    std::int32_t level_ = 1;
    std::vector<std::size_t> ends_;
};

}  // namespace thresher
