#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "lockstep/base/math.hpp"

namespace lockstep::test {

/// Pearson's test of counts against probabilities, over any number of samples.
class ChiSquare {
public:
    /// Classes of which fewer than five are expected are counted as one.
    void add(const std::vector<double>& counts, const std::vector<double>& probabilities) {
        double total = 0;
        for (const double count : counts) {
            total += count;
        }
        Class rare{};
        int classes = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const Class now{counts[i], probabilities[i] * total};
            if (now.expected < 5) {
                rare = {rare.seen + now.seen, rare.expected + now.expected};
            } else {
                add_class(now);
                ++classes;
            }
        }
        if (rare.expected >= 5) {
            add_class(rare);
            ++classes;
        } else if (classes > 0) {
            // Too rare even together: their part of the sum is left out, which makes it smaller.
            rare = {};
        }
        freedom_ += classes > 0 ? classes - 1 : 0;
    }

    [[nodiscard]] int freedom() const { return freedom_; }
    [[nodiscard]] double statistic() const { return statistic_; }

    /// What the statistic of true probabilities exceeds with this probability.
    /// @par Source  Wilson and Hilferty's cube, within a hundredth for ten degrees of freedom and
    /// more
    [[nodiscard]] double bound(double false_alarm) const {
        const double part = 2.0 / (9.0 * freedom_);
        const double root = 1 - part - math::normal_quantile(false_alarm) * std::sqrt(part);
        return freedom_ * root * root * root;
    }

private:
    struct Class {
        double seen;
        double expected;
    };
    void add_class(const Class& now) {
        const double off = now.seen - now.expected;
        statistic_ += off * off / now.expected;
    }

    double statistic_ = 0;
    int freedom_ = 0;
};

}  // namespace lockstep::test
