#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lockstep/lp/solver.hpp"

/// Conditions of Karush, Kuhn and Tucker for what a solver returns, from the model alone.
namespace lockstep::lp::testing {

struct KktErrors {
    double bounds = 0.0;        ///< largest violation of a column or row bound
    double activity = 0.0;      ///< largest |A x - reported row activity|
    double reduced_cost = 0.0;  ///< largest |cost - Aᵀ dual - reported reduced cost|
    double sign = 0.0;          ///< largest gradient that a bound does not explain
    double objective = 0.0;     ///< |cost·x - reported objective|

    [[nodiscard]] double largest() const {
        return std::max({bounds, activity, reduced_cost, sign, objective});
    }
};

inline double unexplained_gradient(double value, double gradient, double lower, double upper) {
    constexpr double touch = 1e-6;
    const bool explained = gradient > 0.0 ? value <= lower + touch * (1.0 + std::abs(lower))
                                          : value >= upper - touch * (1.0 + std::abs(upper));
    return explained ? 0.0 : std::abs(gradient);
}

inline double outside(double value, double lower, double upper) {
    return std::max({0.0, lower - value, value - upper});
}

inline KktErrors kkt_errors(const Model& model, const Solver& solver) {
    KktErrors errors;
    std::vector<double> activity(static_cast<std::size_t>(model.rows()), 0.0);
    double objective = 0.0;
    for (std::size_t j = 0; j < model.cost.size(); ++j) {
        const double x = solver.primal()[j];
        double gradient = model.cost[j];
        for (auto k = static_cast<std::size_t>(model.column_start[j]);
             k < static_cast<std::size_t>(model.column_start[j + 1]);
             ++k) {
            const auto i = static_cast<std::size_t>(model.row_index[k]);
            activity[i] += model.value[k] * x;
            gradient -= model.value[k] * solver.dual()[i];
        }
        objective += model.cost[j] * x;
        const double lower = model.column_lower[j];
        const double upper = model.column_upper[j];
        errors.bounds = std::max(errors.bounds, outside(x, lower, upper));
        errors.reduced_cost =
            std::max(errors.reduced_cost, std::abs(gradient - solver.reduced_cost()[j]));
        errors.sign = std::max(errors.sign, unexplained_gradient(x, gradient, lower, upper));
    }
    for (std::size_t i = 0; i < activity.size(); ++i) {
        const double lower = model.row_lower[i];
        const double upper = model.row_upper[i];
        errors.bounds = std::max(errors.bounds, outside(activity[i], lower, upper));
        errors.activity =
            std::max(errors.activity, std::abs(activity[i] - solver.row_activity()[i]));
        errors.sign = std::max(errors.sign,
                               unexplained_gradient(activity[i], solver.dual()[i], lower, upper));
    }
    errors.objective = std::abs(objective - solver.objective());
    return errors;
}

}  // namespace lockstep::lp::testing
