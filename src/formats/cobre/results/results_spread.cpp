#include "formats/cobre/results/results_spread.hpp"

#include <algorithm>
#include <numeric>

namespace lockstep::formats::cobre {

Distribution::Distribution(std::span<const double> values, std::span<const double> weight) {
    if (weight.empty()) {
        values_.assign(values.begin(), values.end());
        std::sort(values_.begin(), values_.end());
        return;
    }
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(
        order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
    double sum = 0;
    for (const auto i : order) {
        values_.push_back(values[i]);
        cumulative_.push_back(sum += weight[i]);
    }
}

double Distribution::quantile(double share) const {
    if (values_.empty()) {
        return 0;
    }
    if (!cumulative_.empty()) {
        // Sums of probabilities are off by roundings.
        const double wanted = share * cumulative_.back() * (1 - 1e-12);
        const auto place = std::lower_bound(cumulative_.begin(), cumulative_.end(), wanted);
        return values_[static_cast<std::size_t>(place - cumulative_.begin())];
    }
    const double position = share * static_cast<double>(values_.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(position), values_.size() - 1);
    const auto high = std::min(low + 1, values_.size() - 1);
    return values_[low] + (position - static_cast<double>(low)) * (values_[high] - values_[low]);
}

}  // namespace lockstep::formats::cobre

namespace lockstep::formats::cobre::out {

Samples::Samples(std::size_t items,
                 std::size_t stages,
                 std::size_t scenarios,
                 std::span<const double> weight)
    : stages_(stages),
      scenarios_(scenarios),
      weight_(weight),
      values_(items * stages * scenarios) {}

Spread Samples::spread(std::size_t item, const std::vector<std::size_t>& singles) const {
    Spread out;
    out.mean = mean(item);
    for (const std::size_t scenario : singles) {
        auto& path = out.singles.emplace_back();
        for (std::size_t stage = 0; stage < stages_; ++stage) {
            path.push_back(get(item, stage, scenario));
        }
    }
    for (std::size_t stage = 0; stage < stages_; ++stage) {
        const Distribution values(of(item, stage), weight_);
        out.min.push_back(values.quantile(0));
        out.p10.push_back(values.quantile(0.1));
        out.median.push_back(values.quantile(0.5));
        out.p90.push_back(values.quantile(0.9));
        out.max.push_back(values.quantile(1));
    }
    return out;
}

std::vector<double> Samples::mean(std::size_t item) const {
    std::vector<double> out;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
        const auto values = of(item, stage);
        double sum = 0;
        for (std::size_t s = 0; s < values.size(); ++s) {
            sum += weight_.empty() ? values[s] : weight_[s] * values[s];
        }
        out.push_back(values.empty() ? 0 : sum / static_cast<double>(values.size()));
    }
    return out;
}

}  // namespace lockstep::formats::cobre::out
