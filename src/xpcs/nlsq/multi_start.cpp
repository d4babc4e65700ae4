#include "lockstep/xpcs/nlsq/multi_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/nlsq/latin_hypercube.hpp"

#include "xpcs/nlsq/cost_order.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

void check(const MultiStartOptions& options) {
    if (options.starts < 1) {
        throw InputError(fmt::format("{} starts to draw; allowed is 1 and more", options.starts));
    }
    if (!(options.kept >= 0 && options.kept <= 1)) {
        throw InputError(fmt::format("a part of {} to keep; allowed is [0, 1]", options.kept));
    }
}

std::vector<double> drawn_starts(const Box& box, int parameters, const MultiStartOptions& options) {
    std::vector<double> points = latin_hypercube(options.seed, options.starts, parameters);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const int i = static_cast<int>(k % at(parameters));
        points[k] = std::clamp(box.lower_of(i) + points[k] * (box.upper_of(i) - box.lower_of(i)),
                               box.lower_of(i),
                               box.upper_of(i));
    }
    return points;
}

// The caller's start and the drawn ones of least cost, in the order of their costs.
std::vector<double> screened(std::span<const double> start,
                             std::span<const double> drawn,
                             const EvaluateMany& evaluate,
                             const MultiStartOptions& options) {
    std::vector<double> costs(at(options.starts));
    evaluate(drawn, costs);
    const auto kept = std::clamp(static_cast<int>(std::ceil(options.kept * options.starts)),
                                 std::min(options.kept_at_least, options.starts),
                                 options.starts);
    std::vector<double> starts(start.begin(), start.end());
    for (const int i : order_by_cost(costs)) {
        if (starts.size() == (at(kept) + 1) * start.size() || !std::isfinite(costs[at(i)])) {
            break;
        }
        const auto point = drawn.subspan(at(i) * start.size(), start.size());
        starts.insert(starts.end(), point.begin(), point.end());
    }
    return starts;
}

bool same_place(const Fit& a, const Fit& b, const Box& box, double part) {
    for (std::size_t i = 0; i < a.x.size(); ++i) {
        const int parameter = static_cast<int>(i);
        const double width = box.upper_of(parameter) - box.lower_of(parameter);
        if (std::abs(a.x[i] - b.x[i]) > part * width) {
            return false;
        }
    }
    return true;
}

std::vector<Basin> basins_of(const std::vector<Fit>& fits,
                             const std::vector<int>& order,
                             const Box& box,
                             const MultiStartOptions& options) {
    std::vector<Basin> basins;
    const double highest = fits[at(order[0])].cost * (1 + options.near_best);
    for (const int i : order) {
        const Fit& fit = fits[at(i)];
        if (!(fit.cost <= highest)) {
            break;
        }
        const auto home = std::find_if(basins.begin(), basins.end(), [&](const Basin& basin) {
            return same_place(fits[at(basin.best)], fit, box, options.same_basin);
        });
        if (home == basins.end()) {
            basins.push_back({i, {i}});
        } else {
            home->members.push_back(i);
        }
    }
    return basins;
}

}  // namespace

MultiStart multi_start(std::span<const double> start,
                       const Box& box,
                       const EvaluateMany& evaluate,
                       const FitMany& fit,
                       const MultiStartOptions& options) {
    const int parameters = static_cast<int>(start.size());
    check(options);
    box.validate_start(start);
    box.validate_finite(parameters);
    MultiStart result;
    result.starts = screened(start, drawn_starts(box, parameters, options), evaluate, options);
    result.fits = fit(result.starts);
    std::vector<double> costs;
    for (const Fit& one : result.fits) {
        costs.push_back(one.cost);
    }
    const std::vector<int> order = order_by_cost(costs);
    if (order.empty() || !std::isfinite(costs[at(order[0])])) {
        throw ModelError(fmt::format("none of {} starts has a finite cost", options.starts + 1));
    }
    result.best = order[0];
    result.basins = basins_of(result.fits, order, box, options);
    return result;
}

}  // namespace lockstep::xpcs::nlsq
