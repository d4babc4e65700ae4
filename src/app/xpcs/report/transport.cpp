#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "lockstep/base/math.hpp"

#include "app/xpcs/report/parts.hpp"

namespace lockstep::app {
namespace {

constexpr int most_times = 160;
constexpr double least_rate = 1e-10;  // as the model has it

/// amplitude t^exponent + offset with its error from the fit's covariance.
class PowerLaw {
public:
    PowerLaw(const formats::xpcs::FitRecord& fit, const std::array<std::string, 3>& names) {
        for (std::size_t k = 0; k < names.size(); ++k) {
            const auto* value = find_value(fit, names[k]);
            const auto held =
                std::ranges::find(fit.held, names[k], &formats::xpcs::HeldRecord::name);
            is_there_ = is_there_ && (value != nullptr || held != fit.held.end());
            is_held_[k] = value == nullptr;
            if (value != nullptr) {
                values_[k] = value->value;
                places_[k] = static_cast<std::size_t>(value - fit.values.data());
            } else if (is_there_) {
                values_[k] = held->value;
            }
        }
        has_errors_ = is_there_;
        for (std::size_t a = 0; a < 3 && is_there_; ++a) {
            for (std::size_t b = 0; b < 3; ++b) {
                if (is_held_[a] || is_held_[b]) {
                    continue;
                }
                has_errors_ = has_errors_ && places_[a] < fit.covariance.size() &&
                              places_[b] < fit.covariance[places_[a]].size() &&
                              fit.covariance[places_[a]][places_[b]].has_value();
                covariance_[a][b] = has_errors_ ? *fit.covariance[places_[a]][places_[b]] : 0;
            }
        }
    }

    [[nodiscard]] bool is_there() const noexcept { return is_there_; }
    [[nodiscard]] bool has_errors() const noexcept { return has_errors_; }

    [[nodiscard]] double at(double time) const {
        return std::max(values_[0] * math::pow(time, values_[1]) + values_[2], least_rate);
    }

    /// To first order in the errors of the parameters.
    [[nodiscard]] double error_at(double time) const {
        const double power = math::pow(time, values_[1]);
        const std::array<double, 3> slopes{power, values_[0] * power * math::log(time), 1};
        double variance = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 3; ++b) {
                variance += slopes[a] * covariance_[a][b] * slopes[b];
            }
        }
        return std::sqrt(std::max(variance, 0.0));
    }

private:
    bool is_there_ = true;
    bool has_errors_ = true;
    std::array<double, 3> values_{};
    std::array<std::size_t, 3> places_{};
    std::array<bool, 3> is_held_{};
    std::array<std::array<double, 3>, 3> covariance_{};
};

/// Of the frames, evenly in their logarithm.
std::vector<double> times_of(const formats::xpcs::DataRecord& data) {
    std::vector<double> times;
    const double ratio = math::pow(std::max(data.frames, 2), 1.0 / most_times);
    double next = 1;
    for (int frame = 1; frame <= data.frames; ++frame) {
        if (frame >= next || frame == data.frames) {
            times.push_back(frame * data.dt);
            next = std::max(next, static_cast<double>(frame)) * ratio;
        }
    }
    return times;
}

void add_law(io::Page& page, const XpcsResults& results, const PowerLaw& law, io::Plot plot) {
    if (!law.is_there()) {
        return;
    }
    io::Series line{"fit", times_of(results.fit.data), {}};
    io::Band band{"± standard error (" + results.fit.error_method + ")", line.x, {}, {}};
    for (const double time : line.x) {
        line.y.push_back(law.at(time));
        band.low.push_back(law.at(time) - law.error_at(time));
        band.high.push_back(law.at(time) + law.error_at(time));
    }
    const auto [least, most] = std::ranges::minmax(line.y);
    const double lowest = law.has_errors() ? std::ranges::min(band.low) : least;
    plot.x_label = "time [s]";
    plot.log_x = true;
    plot.log_y = lowest > 0 && most > 10 * least;
    if (law.has_errors()) {
        plot.bands.push_back(std::move(band));
    }
    plot.lines.push_back(std::move(line));
    page.plot(plot);
}

}  // namespace

void add_transport(io::Page& page, const XpcsResults& results) {
    const PowerLaw diffusion(results.fit, {"D0", "alpha", "D_offset"});
    const PowerLaw shear(results.fit, {"gamma_dot_t0", "beta", "gamma_dot_t_offset"});
    page.heading("Transport");
    add_law(page, results, diffusion, {"D(t)", "", "diffusion coefficient [Å²/s]"});
    add_law(page, results, shear, {"Shear rate", "", "shear rate [1/s]"});
}

}  // namespace lockstep::app
