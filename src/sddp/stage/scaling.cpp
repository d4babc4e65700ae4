#include "sddp/stage/scaling.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {
namespace {

void widen(SizeRange& range, double number) {
    const double size = std::abs(number);
    if (size == 0) {
        return;
    }
    range.least = range.most == 0 ? size : std::min(range.least, size);
    range.most = std::max(range.most, size);
}

}  // namespace

StageScaling scaling_of(const StageLp& stage) {
    StageScaling out;
    out.columns = stage.model.columns();
    out.rows = stage.model.rows();
    out.entries = stage.model.value.size();
    out.objective_scale = stage.objective_scale;
    out.future_cost_unit = 1 / stage.theta_scale;
    for (const double value : stage.model.value) {
        widen(out.matrix, value);
    }
    for (int column = 0; column < out.columns; ++column) {
        const double cost = stage.model.cost[at(column)];
        const double unit = column == stage.theta ? out.future_cost_unit : 1;
        widen(out.objective, cost);
        widen(out.objective_in_dollars, cost / stage.objective_scale / unit);
    }
    return out;
}

}  // namespace lockstep::sddp
