#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::rl {

/// The linear equations x = b + Cx, where C has no diagonal: what is left of an equation with
/// coefficient `weight` of its own unknown, divided by that.
struct Couplings {
    std::vector<std::int64_t> first{0};
    std::vector<std::int32_t> next;  ///< ascending within a row
    std::vector<double> factor;
    std::vector<double> weight;

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(weight.size()); }
    /// (Cx)(i)
    [[nodiscard]] double sum(const double* x, std::int64_t i) const {
        double sum = 0;
        for (std::int64_t k = first[at(i)]; k < first[at(i + 1)]; ++k) {
            sum += factor[at(k)] * x[next[at(k)]];
        }
        return sum;
    }
    /// start + (Cx)(i) over unknowns in [begin, i).
    [[nodiscard]] double sum_before(double start,
                                    const double* x,
                                    std::int64_t i,
                                    std::int64_t begin) const {
        for (std::int64_t k = first[at(i)]; k < first[at(i + 1)]; ++k) {
            const std::int64_t j = next[at(k)];
            if (j >= begin && j < i) {
                start += factor[at(k)] * x[j];
            }
        }
        return start;
    }
    /// start + (Cx)(i), where unknowns outside [begin, end) are those of `old`. What a sweep has
    /// just changed is added last, so that the processor can begin before it is known.
    template <bool is_backwards>
    [[nodiscard]] double sum_seen(double start,
                                  const double* x,
                                  const double* old,
                                  std::int64_t i,
                                  std::int64_t begin,
                                  std::int64_t end) const {
        const std::int64_t from = first[at(i)];
        const std::int64_t to = first[at(i + 1)];
        for (std::int64_t n = from; n < to; ++n) {
            const std::int64_t k = is_backwards ? n : from + to - 1 - n;
            const std::int64_t j = next[at(k)];
            start += factor[at(k)] * (j >= begin && j < end ? x : old)[j];
        }
        return start;
    }
    void end_row(double own) {
        weight.push_back(own);
        first.push_back(static_cast<std::int64_t>(next.size()));
    }
};

/// Rows of the parts one after the other; empties them.
Couplings joined(std::vector<Couplings>& parts);

/// Unknowns by blocks of a fixed length, so that nothing depends on the number of threads.
class Blocks {
public:
    Blocks(std::int64_t items, runtime::ThreadTeam& team, std::int64_t length = 16384)
        : items_(items), length_(length), team_(team) {}
    [[nodiscard]] std::ptrdiff_t count() const { return (items_ + length_ - 1) / length_; }

    /// body(begin, end, block) for each.
    template <typename F>
    void each(F&& body) const {
        team_.parallel_for(count(), [&](std::ptrdiff_t block, int) {
            body(block * length_, std::min(items_, (block + 1) * length_), block);
        });
    }
    /// body(begin, end) of each, folded in order.
    template <typename T, typename F, typename G>
    T fold(T start, F&& body, G&& fold) const {
        return team_.ordered_reduce(
            count(),
            std::move(start),
            [&](std::ptrdiff_t block, int) {
                return body(block * length_, std::min(items_, (block + 1) * length_));
            },
            fold);
    }
    /// Σ term(i)
    template <typename F>
    double sum(F&& term) const {
        return fold(
            0.0,
            [&](std::int64_t begin, std::int64_t end) {
                double sum = 0;
                for (std::int64_t i = begin; i < end; ++i) {
                    sum += term(at(i));
                }
                return sum;
            },
            [](double a, double b) { return a + b; });
    }
    /// body(i)
    template <typename F>
    void for_all(F&& body) const {
        each([&](std::int64_t begin, std::int64_t end, std::ptrdiff_t) {
            for (std::int64_t i = begin; i < end; ++i) {
                body(at(i));
            }
        });
    }

private:
    std::int64_t items_;
    std::int64_t length_;
    runtime::ThreadTeam& team_;
};

}  // namespace lockstep::rl
