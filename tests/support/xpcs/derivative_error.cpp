#include "support/xpcs/derivative_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lockstep::test {
namespace {

// Balances rounding and third derivatives of a central difference.
double step_at(double x) {
    const double step = std::cbrt(std::numeric_limits<double>::epsilon());
    return step * std::max(std::abs(x), 1e-3);
}

}  // namespace

double derivative_error(xpcs::nlsq::Residuals& residuals, std::span<const double> x) {
    const std::size_t p = x.size();
    const auto m = static_cast<std::size_t>(residuals.count());
    std::vector<double> r(m);
    std::vector<double> jacobian(m * p);
    residuals.evaluate(x, r, jacobian);
    double worst = 0;
    for (std::size_t i = 0; i < p; ++i) {
        std::vector<double> moved(x.begin(), x.end());
        std::vector<double> above(m);
        std::vector<double> below(m);
        const double step = step_at(x[i]);
        moved[i] = x[i] + step;
        residuals.evaluate(moved, above, {});
        moved[i] = x[i] - step;
        residuals.evaluate(moved, below, {});
        double error = 0;
        double size = 0;
        for (std::size_t k = 0; k < m; ++k) {
            const double slope = (above[k] - below[k]) / (2 * step);
            error += (slope - jacobian[k * p + i]) * (slope - jacobian[k * p + i]);
            size += slope * slope + r[k] * r[k] / (step * step) * 1e-10;
        }
        worst = std::max(worst, size > 0 ? std::sqrt(error / size) : 0);
    }
    return worst;
}

double derivative_error(xpcs::nlsq::Objective& objective, std::span<const double> x) {
    xpcs::nlsq::NormalEquations here;
    xpcs::nlsq::NormalEquations above;
    xpcs::nlsq::NormalEquations below;
    objective.evaluate(x, here);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::vector<double> moved(x.begin(), x.end());
        const double step = step_at(x[i]);
        moved[i] = x[i] + step;
        objective.evaluate(moved, above);
        moved[i] = x[i] - step;
        objective.evaluate(moved, below);
        const double slope = (above.cost - below.cost) / (2 * step);
        const double size = std::abs(slope) + here.cost / step * 1e-5;
        worst = std::max(worst, size > 0 ? std::abs(slope - here.gradient[i]) / size : 0);
    }
    return worst;
}

}  // namespace lockstep::test
