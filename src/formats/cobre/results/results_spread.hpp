#pragma once

#include <cstddef>
#include <vector>

#include "lockstep/formats/cobre/simulation_summary.hpp"

namespace lockstep::formats::cobre::out {

/// Values of (item, stage) over scenarios, kept until their distribution is asked for.
class Samples {
public:
    Samples(std::size_t items, std::size_t stages, std::size_t scenarios);

    void set(std::size_t item, std::size_t stage, std::size_t scenario, double value) {
        values_[(item * stages_ + stage) * scenarios_ + scenario] = value;
    }
    void add(std::size_t item, std::size_t stage, std::size_t scenario, double value) {
        values_[(item * stages_ + stage) * scenarios_ + scenario] += value;
    }

    /// Distribution of an item, and its values in some scenarios; its samples are sorted then and
    /// of no more use.
    [[nodiscard]] Spread spread(std::size_t item, const std::vector<std::size_t>& singles);
    [[nodiscard]] double get(std::size_t item, std::size_t stage, std::size_t scenario) const {
        return values_[(item * stages_ + stage) * scenarios_ + scenario];
    }
    /// Mean over scenarios by stage, added up in scenario order.
    [[nodiscard]] std::vector<double> mean(std::size_t item) const;

    /// Bytes that one item takes.
    static std::size_t item_bytes(std::size_t stages, std::size_t scenarios) {
        return stages * scenarios * sizeof(double);
    }

private:
    std::size_t stages_;
    std::size_t scenarios_;
    std::vector<double> values_;
};

/// Value at position p·(n - 1) of sorted values, linear between neighbours; 0 of none.
double percentile(const double* sorted, std::size_t n, double p);

}  // namespace lockstep::formats::cobre::out
