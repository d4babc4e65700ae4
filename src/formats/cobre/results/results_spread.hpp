#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/formats/cobre/simulation_summary.hpp"

namespace lockstep::formats::cobre::out {

/// Values of (item, stage) over scenarios, kept until their distribution is asked for.
class Samples {
public:
    /// @param weight  of the scenarios, mean 1; empty: 1 each. Must outlive the samples
    Samples(std::size_t items,
            std::size_t stages,
            std::size_t scenarios,
            std::span<const double> weight);

    void set(std::size_t item, std::size_t stage, std::size_t scenario, double value) {
        values_[(item * stages_ + stage) * scenarios_ + scenario] = value;
    }
    void add(std::size_t item, std::size_t stage, std::size_t scenario, double value) {
        values_[(item * stages_ + stage) * scenarios_ + scenario] += value;
    }

    /// Distribution of an item, and its values in some scenarios.
    [[nodiscard]] Spread spread(std::size_t item, const std::vector<std::size_t>& singles) const;
    [[nodiscard]] double get(std::size_t item, std::size_t stage, std::size_t scenario) const {
        return values_[(item * stages_ + stage) * scenarios_ + scenario];
    }
    /// Weighted mean over scenarios by stage, added up in scenario order.
    [[nodiscard]] std::vector<double> mean(std::size_t item) const;

    /// Bytes that one item takes.
    static std::size_t item_bytes(std::size_t stages, std::size_t scenarios) {
        return stages * scenarios * sizeof(double);
    }

private:
    [[nodiscard]] std::span<const double> of(std::size_t item, std::size_t stage) const {
        return std::span(values_).subspan((item * stages_ + stage) * scenarios_, scenarios_);
    }
    std::size_t stages_;
    std::size_t scenarios_;
    std::span<const double> weight_;
    std::vector<double> values_;
};

}  // namespace lockstep::formats::cobre::out
