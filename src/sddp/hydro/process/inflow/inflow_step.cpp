#include "sddp/hydro/process/inflow/inflow_step.hpp"

#include <algorithm>
#include <cstddef>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

std::span<const double> recall_lags(const InflowModel& model,
                                    int stage,
                                    std::span<const double> state,
                                    std::vector<double>& buffer) {
    const auto& recall = model.stages[at(stage)].recall;
    if (recall.empty()) {
        return state;
    }
    const auto hydros = at(model.hydros);
    buffer.assign(state.size(), 0.0);
    for (const InflowModel::Recall& term : recall) {
        for (std::size_t h = 0; h < hydros; ++h) {
            buffer[at(term.lag) * hydros + h] +=
                term.weight[h] * state[at(term.place) * hydros + h];
        }
    }
    return buffer;
}

void recall_slopes(const InflowModel& model,
                   int stage,
                   std::span<double> slopes,
                   std::vector<double>& buffer) {
    const auto& recall = model.stages[at(stage)].recall;
    if (recall.empty()) {
        return;
    }
    const auto hydros = at(model.hydros);
    buffer.assign(slopes.begin(), slopes.end());
    std::fill(slopes.begin(), slopes.end(), 0.0);
    for (const InflowModel::Recall& term : recall) {
        for (std::size_t h = 0; h < hydros; ++h) {
            slopes[at(term.place) * hydros + h] +=
                term.weight[h] * buffer[at(term.lag) * hydros + h];
        }
    }
}

void expected_inflow(const InflowModel& model,
                     int stage,
                     std::span<const double> lags,
                     std::span<double> out) {
    const auto& at_stage = model.stages[at(stage)];
    const std::size_t hydros = out.size();
    std::copy(at_stage.base.begin(), at_stage.base.end(), out.begin());
    for (std::size_t first = 0; first < lags.size(); first += hydros) {
        for (std::size_t h = 0; h < hydros; ++h) {
            out[h] += at_stage.lag[first + h] * lags[first + h];
        }
    }
}

}  // namespace lockstep::sddp
