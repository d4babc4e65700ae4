#include "sddp/stage/right_hand_sides.hpp"

#include <algorithm>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

void set_stage_sides(const StageLp& stage,
                     std::span<const double> incoming,
                     const Outcome& outcome,
                     std::vector<double>& lower,
                     std::vector<double>& upper) {
    const auto& model = stage.model;
    std::copy(model.row_lower.begin(), model.row_lower.end(), lower.begin());
    std::copy(model.row_upper.begin(), model.row_upper.end(), upper.begin());
    const auto shift = [&](int row, double amount) {
        lower[at(row)] += amount;
        upper[at(row)] += amount;
    };
    const auto shift_all = [&](const CouplingTable& couplings, int input, double value) {
        for (const auto& coupling : couplings.of(input)) {
            shift(coupling.row, coupling.coefficient * value);
        }
    };
    const int decided = static_cast<int>(incoming.size());
    const int drawn = stage.drawn_coupling.inputs();
    for (int i = 0; i < std::max(decided, drawn); ++i) {
        if (i < decided) {
            shift_all(stage.decided_coupling, i, incoming[at(i)]);
        }
        if (i < drawn) {
            shift_all(stage.drawn_coupling, i, outcome.drawn[at(i)]);
        }
    }
    for (const auto& [row, amount] : outcome.rows) {
        shift(row, amount);
    }
}

}  // namespace lockstep::sddp
