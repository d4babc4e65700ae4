#include "sddp/passes/runs/option_checks.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::sddp {

namespace {

void require_inner_bound(const Model& model) {
    if (model.graph().is_cyclic()) {
        throw InputError(
            "an inner upper bound (upper_bound_evaluation) needs a last stage: the stages go in a "
            "circle");
    }
    if (!model.is_convex()) {
        throw InputError(
            "an inner upper bound (upper_bound_evaluation) needs costs to go that are convex: "
            "inflows with memory may not be truncated");
    }
}

}  // namespace

void require_tree(const Model& model) {
    if (!model.graph().is_tree()) {
        throw InputError(
            "only a tree can be enumerated: some node of the policy graph is reached "
            "in two ways");
    }
    for (int node = 0; node < model.graph().nodes(); ++node) {
        if (model.outcomes(node) > 1) {
            throw InputError(
                fmt::format("only a tree whose nodes have one outcome each can be "
                            "enumerated: node {} has {}",
                            node,
                            model.outcomes(node)));
        }
    }
}

void require_fit(const Model& model, const TrainOptions& options) {
    if (options.enumerated) {
        require_tree(model);
    }
    if (options.policy_cost.every > 0 && model.graph().is_cyclic()) {
        throw InputError(
            "a cost of the policy (upper_bound_evaluation) needs a last stage: the stages go in a "
            "circle");
    }
    if (options.inner.every > 0) {
        require_inner_bound(model);
    }
}

}  // namespace lockstep::sddp
