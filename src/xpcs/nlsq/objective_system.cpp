#include <cmath>
#include <utility>

#include "xpcs/nlsq/system.hpp"

namespace lockstep::xpcs::nlsq {

std::optional<double> ObjectiveSystem::cost_at(const Vector& x) {
    if (!objective_.evaluate(span_of(x), at_) || !std::isfinite(at_.cost)) {
        return std::nullopt;
    }
    return at_.cost;
}

std::optional<LinearModel> ObjectiveSystem::linearise() {
    const Index p = parameters();
    const Eigen::Map<const Matrix> gram(at_.gram.data(), p, p);
    const auto gradient = vector_of(at_.gradient);
    if (!gram.allFinite() || !gradient.allFinite()) {
        return std::nullopt;
    }
    LinearModel model = model_of_gram(gram, gradient, std::sqrt(2 * at_.cost));
    return model.is_finite() ? std::optional(std::move(model)) : std::nullopt;
}

}  // namespace lockstep::xpcs::nlsq
