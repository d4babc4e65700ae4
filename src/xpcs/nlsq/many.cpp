#include "lockstep/xpcs/nlsq/many.hpp"

#include <limits>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs::nlsq {

EvaluateMany evaluate_in_turn(Objective& objective) {
    return [&objective](std::span<const double> points, std::span<double> costs) {
        const std::size_t p = at(objective.parameters());
        NormalEquations here;
        for (std::size_t i = 0; i < costs.size(); ++i) {
            const bool finite = objective.evaluate(points.subspan(i * p, p), here);
            costs[i] = finite ? here.cost : std::numeric_limits<double>::infinity();
        }
    };
}

FitMany fit_in_turn(Objective& objective, Box box, TrustRegionOptions options) {
    return [&objective, box = std::move(box), options = std::move(options)](
               std::span<const double> starts) {
        const std::size_t p = at(objective.parameters());
        std::vector<Fit> fits;
        for (std::size_t first = 0; first < starts.size(); first += p) {
            fits.push_back(minimise(objective, starts.subspan(first, p), box, options));
        }
        return fits;
    };
}

}  // namespace lockstep::xpcs::nlsq
