#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/fit.hpp"

#include "xpcs/model/order_statistics.hpp"

namespace lockstep::xpcs {
namespace {

constexpr std::int64_t fewest_points = 100;
constexpr std::int64_t fewest_of_a_kind = 10;

/// The values of an angle's whole matrix, in which pairs count twice.
class Angle {
public:
    Angle(const Measurement& data, int angle)
        : data_(data), angle_(angle), diagonal_(neighbour_diagonal(data, angle)) {}

    /// visit(value, lag, times): the lag in seconds, as homodyne has it: rounding decides which of
    /// equal lags count.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (int i = 0; i < data_.frames; ++i) {
            visit(diagonal_[at(i)], 0.0, 1);
            const double* const row = data_.c2.data() + data_.row(angle_, i);
            for (int j = i + 1; j < data_.frames; ++j) {
                visit(row[j - i - 1], data_.time(j) - data_.time(i), 2);
            }
        }
    }

    [[nodiscard]] auto lags() const {
        return OrderStatistics([this](auto&& visit) {
            this->for_each([&](double value, double lag, int times) {
                visit(std::isnan(value) ? value : lag, times);
            });
        });
    }

    /// Of the values whose lag `holds`, or of all where these are few.
    template <typename Holds>
    [[nodiscard]] double quantile(double probability, Holds holds) const {
        const auto chosen = values(holds);
        return chosen.count() >= fewest_of_a_kind
                   ? chosen.quantile(probability)
                   : values([](double) { return true; }).quantile(probability);
    }

private:
    template <typename Holds>
    [[nodiscard]] auto values(Holds holds) const {
        return OrderStatistics([this, holds](auto&& visit) {
            this->for_each([&](double value, double lag, int times) {
                visit(holds(lag) ? value : std::numeric_limits<double>::quiet_NaN(), times);
            });
        });
    }

    const Measurement& data_;
    int angle_;
    std::vector<double> diagonal_;
};

Scale scale_of(const Angle& angle, const ScaleOptions& options) {
    const auto lags = angle.lags();
    if (lags.count() < fewest_points) {
        return {(options.lower.contrast + options.upper.contrast) / 2,
                (options.lower.offset + options.upper.offset) / 2};
    }
    const double far = lags.quantile(0.8);
    const double near = lags.quantile(0.2);
    const double offset = std::clamp(angle.quantile(0.1, [=](double lag) { return lag >= far; }),
                                     options.lower.offset,
                                     options.upper.offset);
    const double ceiling = angle.quantile(0.9, [=](double lag) { return lag <= near; });
    return {std::clamp(ceiling - offset, options.lower.contrast, options.upper.contrast), offset};
}

}  // namespace

std::vector<Scale> quantile_scales(const Measurement& measurement, const ScaleOptions& options) {
    std::vector<Scale> scales;
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        scales.push_back(scale_of(Angle(measurement, angle), options));
    }
    return scales;
}

}  // namespace lockstep::xpcs
