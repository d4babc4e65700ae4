#include "formats/cobre/results/results_spread.hpp"

#include <algorithm>

namespace lockstep::formats::cobre::out {
namespace {

double mean_of(const double* values, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += values[i];
    }
    return n == 0 ? 0 : sum / static_cast<double>(n);
}

}  // namespace

Samples::Samples(std::size_t items, std::size_t stages, std::size_t scenarios)
    : stages_(stages), scenarios_(scenarios), values_(items * stages * scenarios) {}

Spread Samples::spread(std::size_t item, const std::vector<std::size_t>& singles) {
    Spread out;
    out.mean = mean(item);
    for (const std::size_t scenario : singles) {
        auto& path = out.singles.emplace_back();
        for (std::size_t stage = 0; stage < stages_; ++stage) {
            path.push_back(get(item, stage, scenario));
        }
    }
    for (std::size_t stage = 0; stage < stages_; ++stage) {
        double* first = values_.data() + (item * stages_ + stage) * scenarios_;
        std::sort(first, first + scenarios_);
        out.min.push_back(percentile(first, scenarios_, 0));
        out.p10.push_back(percentile(first, scenarios_, 0.1));
        out.median.push_back(percentile(first, scenarios_, 0.5));
        out.p90.push_back(percentile(first, scenarios_, 0.9));
        out.max.push_back(percentile(first, scenarios_, 1));
    }
    return out;
}

std::vector<double> Samples::mean(std::size_t item) const {
    std::vector<double> out;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
        out.push_back(mean_of(values_.data() + (item * stages_ + stage) * scenarios_, scenarios_));
    }
    return out;
}

double percentile(const double* sorted, std::size_t n, double p) {
    if (n == 0) {
        return 0;
    }
    const double position = p * static_cast<double>(n - 1);
    const auto low = std::min(static_cast<std::size_t>(position), n - 1);
    const std::size_t high = std::min(low + 1, n - 1);
    const double share = position - static_cast<double>(low);
    return sorted[low] + share * (sorted[high] - sorted[low]);
}

}  // namespace lockstep::formats::cobre::out
