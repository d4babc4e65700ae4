#include "sddp/hydro/production/plane_reduction.hpp"

#include <algorithm>
#include <cmath>

#include "sddp/hydro/production/planes.hpp"

namespace lockstep::sddp {

namespace {

/// A plane with an intercept up to this share of the largest generation goes through the origin.
constexpr double at_origin = 1e-9;

constexpr double radians_per_degree = 0.017453292519943295769;

/// @pre 0 <= angle <= 90 °
double sine(double degrees) {
    const double x = degrees * radians_per_degree;
    double term = x;
    double sum = x;
    for (int n = 3; n < 27; n += 2) {
        term *= -x * x / (n * (n - 1));
        sum += term;
    }
    return sum;
}

/// Square of the sine between the normals, which are less than a right angle apart.
double squared_sine(const ProductionPlane& a, const ProductionPlane& b) {
    const double x = a.turbined - b.turbined;
    const double y = a.volume - b.volume;
    const double z = a.volume * b.turbined - a.turbined * b.volume;
    const auto squared = [](const ProductionPlane& plane) {
        return plane.volume * plane.volume + plane.turbined * plane.turbined + 1;
    };
    return (x * x + y * y + z * z) / (squared(a) * squared(b));
}

/// The binary digits of a number behind the point, in reverse: spreads points evenly.
double reversed_bits(int number) {
    double value = 0;
    for (double digit = 0.5; number > 0; number /= 2, digit /= 2) {
        value += digit * (number % 2);
    }
    return value;
}

double mean_squared_difference(const ProductionPlane& a,
                               const ProductionPlane& b,
                               const FitTask& task) {
    const double width = task.max_volume_hm3 - task.min_volume_hm3;
    double sum = 0;
    for (int i = 0; i < task.reduction.samples; ++i) {
        const double volume = task.min_volume_hm3 + width * (i + 0.5) / task.reduction.samples;
        const double turbined = task.max_turbined_m3s * reversed_bits(i);
        const double difference = allowed_by(a, volume, turbined) - allowed_by(b, volume, turbined);
        sum += difference * difference;
    }
    return sum / task.reduction.samples;
}

ProductionPlane mean(const std::vector<ProductionPlane>& planes) {
    const auto count = static_cast<double>(planes.size());
    ProductionPlane out;
    for (const ProductionPlane& plane : planes) {
        out.intercept += plane.intercept / count;
        out.volume += plane.volume / count;
        out.turbined += plane.turbined / count;
        out.spilled += plane.spilled / count;
    }
    return out;
}

class Merger {
public:
    explicit Merger(const FitTask& task) : task_(task) {}

    void add(const ProductionPlane& plane) {
        if (!group_.empty() && !are_alike(mean(group_), plane)) {
            finish_group();
        }
        group_.push_back(plane);
    }

    std::vector<ProductionPlane> take() {
        finish_group();
        return std::move(out_);
    }

private:
    [[nodiscard]] bool are_alike(const ProductionPlane& a, const ProductionPlane& b) const {
        if (is_at_origin(a) || is_at_origin(b)) {
            return false;
        }
        if (task_.reduction.method == PlaneReduction::Method::angle) {
            const double limit = sine(task_.reduction.tolerance);
            return squared_sine(a, b) < limit * limit;
        }
        const double largest = task_.max_generation_mw * task_.max_generation_mw;
        return mean_squared_difference(a, b, task_) < task_.reduction.tolerance * largest;
    }

    [[nodiscard]] bool is_at_origin(const ProductionPlane& plane) const {
        return std::abs(plane.intercept) <= at_origin * task_.max_generation_mw;
    }

    void finish_group() {
        if (!group_.empty()) {
            out_.push_back(group_.size() == 1 ? group_.front() : mean(group_));
        }
        group_.clear();
    }

    const FitTask& task_;
    std::vector<ProductionPlane> group_;
    std::vector<ProductionPlane> out_;
};

}  // namespace

std::vector<ProductionPlane> merge_alike(const std::vector<ProductionPlane>& planes,
                                         const FitTask& task) {
    if (task.reduction.method == PlaneReduction::Method::none) {
        return planes;
    }
    Merger merger(task);
    for (const ProductionPlane& plane : planes) {
        merger.add(plane);
    }
    return merger.take();
}

}  // namespace lockstep::sddp
