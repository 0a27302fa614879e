// Calls the kernel's functions that start threads, from two threads at once, on several threads each; what they return
// must not depend on it. Built and run by tsan.sh.
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "abi.hpp"

THRESHER_API std::int32_t thresher_table(const std::uint8_t*, const double*, const double*, std::int64_t, std::int32_t,
                                         const std::int32_t*, double*, double*, double*, double*, double*,
                                         std::int64_t*, std::int64_t*);
THRESHER_API std::int32_t thresher_counted(const std::uint8_t*, const double*, std::int64_t, std::int32_t,
                                           const std::int32_t*, double*, std::int8_t*, void*, std::int32_t,
                                           std::int64_t*, std::int64_t*);
THRESHER_API std::int32_t thresher_concordance(const std::uint8_t*, const double*, const double*, std::int64_t,
                                               std::int32_t, const std::int32_t*, std::int64_t*, double*,
                                               std::int64_t*);
THRESHER_API std::int32_t thresher_average_precision(const std::uint8_t*, const double*, const double*, std::int64_t,
                                                     std::int32_t, const std::int32_t*, double*,
                                                     std::int64_t*);
THRESHER_API std::int32_t thresher_curve_points(const std::uint8_t*, const double*, const double*, std::int64_t,
                                                std::int32_t, const std::int32_t*, std::int32_t, std::int32_t,
                                                std::int32_t, double*, double*, double*, std::int64_t*,
                                                std::int64_t*);
THRESHER_API std::int32_t thresher_placements(const std::uint8_t*, const double*, const double*, std::int64_t, std::int32_t,
                                              const std::int32_t*, std::int64_t, void*, void*, std::int64_t*);
THRESHER_API std::int32_t thresher_confusion(const void*, std::int32_t, const void*, std::int32_t, const double*,
                                             std::int64_t, std::int64_t, std::int32_t, const std::int32_t*, void*,
                                             std::int64_t*);
THRESHER_API std::int32_t thresher_delong_sums(const void*, const void*, std::int64_t, std::int32_t, const double*,
                                               const double*, std::int32_t, std::int64_t*, double*, double*,
                                               std::int64_t*);
THRESHER_API std::int32_t thresher_pr_areas(const void*, const void*, std::int64_t, std::int32_t, std::int32_t, double*,
                                            std::int64_t*);
THRESHER_API std::int32_t thresher_fold(const void*, const void*, std::int64_t, std::int32_t, std::int32_t, void*, void*,
                                        std::int64_t*, std::int64_t*);
THRESHER_API std::int32_t thresher_extent(const double*, std::int64_t, std::int32_t, double*, std::int64_t*);
THRESHER_API std::int32_t thresher_draws(const std::int64_t*, std::int64_t, std::uint64_t, std::int64_t, std::int64_t,
                                         std::int32_t, const std::int32_t*, std::uint8_t*, std::int64_t*);
THRESHER_API std::int32_t thresher_squared_error(const std::uint8_t*, const double*, std::int64_t, std::int32_t,
                                                 double*, std::int64_t*);
THRESHER_API std::int32_t thresher_conditional(const std::int64_t*, const double*, const double*, std::int64_t,
                                               std::int64_t, std::int64_t, std::int64_t, std::int32_t, std::int32_t,
                                               const std::int32_t*, void*, void*, double*, const double*, double*, void*,
                                               void*, std::int64_t*);
THRESHER_API std::int32_t thresher_ordinal_volume(const std::int64_t*, const double*, const double*, std::int64_t,
                                                  std::int64_t, const std::uint8_t*, std::int64_t, std::int32_t,
                                                  const std::int32_t*, double*, double*, std::int64_t*);

namespace {

constexpr std::int64_t kRows = 140'000;
constexpr std::int64_t kClasses = 3;

struct Data {
    std::vector<std::uint8_t> truth;
    std::vector<std::int64_t> codes;
    std::vector<double> scores, weights;

    Data() : truth(kRows), codes(kRows), scores(kClasses * kRows), weights(kRows) {
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        for (auto& score : scores) score = static_cast<double>(static_cast<int>(uniform(random) * 20'000)) / 20'000;
        for (std::int64_t i = 0; i < kRows; ++i) {
            truth[i] = random() % 3 == 0;
            codes[i] = static_cast<std::int64_t>(random() % kClasses);
            weights[i] = uniform(random);
        }
    }
};

// Everything that a number of threads returns, as bytes.
class Answers {
public:
    template <class T>
    T* room(std::size_t count) {
        blocks_.emplace_back(count * sizeof(T));
        return reinterpret_cast<T*>(blocks_.back().data());
    }
    void expect(std::int32_t status) { ok_ = ok_ && status == 0; }
    bool ok() const { return ok_; }
    bool operator==(const Answers& other) const { return blocks_ == other.blocks_; }

private:
    std::vector<std::vector<unsigned char>> blocks_;
    bool ok_ = true;
};

Answers answers(const Data& d, int threads) {
    Answers all;
    std::int32_t cancel = 0;
    std::int64_t bad = 0;
    for (const double* weights : {static_cast<const double*>(nullptr), d.weights.data()}) {
        all.expect(thresher_concordance(d.truth.data(), d.scores.data(), weights, kRows, threads, &cancel,
                                        all.room<std::int64_t>(4), all.room<double>(3), &bad));
        all.expect(thresher_conditional(d.codes.data(), d.scores.data(), weights, kRows, kClasses, kClasses, 1, 1, threads,
                                        &cancel, all.room<double>(kClasses * kClasses), all.room<double>(kClasses),
                                        all.room<double>(6 * kClasses), nullptr, nullptr, nullptr, nullptr, &bad));
    }
    all.expect(thresher_table(d.truth.data(), d.scores.data(), d.weights.data(), kRows, threads, &cancel,
                              all.room<double>(kRows), all.room<double>(kRows), all.room<double>(kRows), nullptr, nullptr,
                              all.room<std::int64_t>(1), &bad));
    all.expect(thresher_counted(d.truth.data(), d.scores.data(), kRows, threads, &cancel, all.room<double>(kRows),
                                all.room<std::int8_t>(2 * kRows), all.room<std::int32_t>(2 * kRows), 4,
                                all.room<std::int64_t>(2), &bad));
    all.expect(thresher_average_precision(d.truth.data(), d.scores.data(), nullptr, kRows, threads, &cancel,
                                          all.room<double>(1), &bad));
    for (const std::int32_t curve : {0, 1}) {
        all.expect(thresher_curve_points(d.truth.data(), d.scores.data(), nullptr, kRows, threads, &cancel, curve, 1, 0,
                                         all.room<double>(kRows + 1), all.room<double>(kRows + 1),
                                         all.room<double>(kRows + 1), all.room<std::int64_t>(1), &bad));
    }
    std::int64_t positives = 0;
    for (const std::uint8_t t : d.truth) positives += t;
    all.expect(thresher_placements(d.truth.data(), d.scores.data(), nullptr, kRows, threads, &cancel, kClasses,
                                   all.room<std::int64_t>(static_cast<std::size_t>(kClasses * positives)),
                                   all.room<std::int64_t>(static_cast<std::size_t>(kClasses * (kRows - positives))), &bad));
    all.expect(thresher_confusion(d.codes.data(), 8, d.truth.data(), 1, nullptr, kRows, kClasses, threads, &cancel,
                                  all.room<std::int64_t>(kClasses * kClasses), &bad));
    // The truth as positives beside the codes as negatives is a table, too.
    std::vector<std::int64_t> whole(d.truth.begin(), d.truth.end());
    all.expect(thresher_delong_sums(whole.data(), d.codes.data(), kRows, 8, nullptr, nullptr, threads,
                                    all.room<std::int64_t>(4), all.room<double>(3), all.room<double>(2), &bad));
    all.expect(thresher_pr_areas(whole.data(), d.codes.data(), kRows, 8, threads, all.room<double>(3), &bad));
    all.expect(thresher_fold(whole.data(), d.codes.data(), kRows, 8, threads, all.room<std::int64_t>(kRows),
                             all.room<std::int64_t>(kRows), all.room<std::int64_t>(2), &bad));
    all.expect(thresher_extent(d.scores.data(), kRows, threads, all.room<double>(2), &bad));
    const std::int64_t sizes[] = {1000, 2000};
    all.expect(thresher_draws(sizes, 2, 1, 0, 50, threads, &cancel, all.room<std::uint8_t>(50 * 3000), &bad));
    all.expect(thresher_squared_error(d.truth.data(), d.scores.data(), kRows, threads, all.room<double>(1), &bad));
    const std::vector<std::uint8_t> drawn(8 * kRows, 1);
    all.expect(thresher_ordinal_volume(d.codes.data(), d.scores.data(), nullptr, kRows, kClasses, drawn.data(), 8, threads,
                                       &cancel, all.room<double>(8), nullptr, &bad));
    return all;
}

}  // namespace

int main() {
    const Data data;
    const Answers wanted = answers(data, 1);
    Answers found[2];
    std::thread other([&] { found[1] = answers(data, 3); });
    found[0] = answers(data, 4);
    other.join();
    const bool fine = wanted.ok() && found[0].ok() && found[1].ok() && found[0] == wanted && found[1] == wanted;
    std::puts(fine ? "the kernel's threads: no race, and the same answers for any number of them" : "the answers differ");
    return fine ? 0 : 1;
}
