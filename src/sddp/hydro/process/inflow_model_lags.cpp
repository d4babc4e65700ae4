#include "sddp/hydro/process/inflow_model_lags.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/matrix_view.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/fitting/history.hpp"

namespace lockstep::sddp {
namespace {

enum class Use { none, in_annual_mean, as_regressor };

/// How the stages of the study read this lag of the first stage.
Use use_of(const InflowModel& model, int lag, int hydro) {
    Use use = Use::none;
    for (std::size_t t = 0; t < model.stages.size(); ++t) {
        const int at_stage = lag + static_cast<int>(t);
        if (at_stage >= model.lags) {
            break;
        }
        const InflowModel::StageModel& stage = model.stages[t];
        if (at_stage < stage.order[at(hydro)]) {
            return Use::as_regressor;
        }
        const MatrixView<const double> psi(stage.lag.data(), model.lags, model.hydros);
        use = psi(at_stage, hydro) != 0 ? Use::in_annual_mean : use;
    }
    return use;
}

std::string month_text(int month) {
    return fmt::format("{:04}-{:02}",
                       (month - calendar_month(month)) / months_per_year,
                       calendar_month(month) + 1);
}

/// Months of a plant that nothing covers.
struct Gaps {
    std::string needed;
    std::string averaged;

    void add(Use use, int month) {
        std::string& list = use == Use::as_regressor ? needed : averaged;
        if (use != Use::none) {
            list += (list.empty() ? "" : ", ") + month_text(month);
        }
    }
    void report(const Hydro& hydro, Problems& problems) const {
        const std::string entity = fmt::format("hydro {}", hydro.id);
        constexpr const char* uncovered =
            "neither recent_observations nor inflow_history cover {} in full; {}";
        if (!needed.empty()) {
            problems.add(ProblemKind::business_rule_violation,
                         subject::recent_inflows,
                         entity,
                         fmt::format(uncovered, needed, "the inflow model needs them as lags"));
        }
        if (!averaged.empty()) {
            problems.add(ProblemKind::model_quality,
                         subject::recent_inflows,
                         entity,
                         fmt::format(uncovered, averaged, "the yearly mean counts them as 0 m³/s"));
        }
    }
};

}  // namespace

void set_initial_lags(const Calendar& calendar,
                      const System& system,
                      const ProcessData& data,
                      InflowModel& model,
                      Problems& problems) {
    model.initial_lags.assign(
        static_cast<std::size_t>(model.lags) * static_cast<std::size_t>(model.hydros), 0.0);
    const MatrixView<double> lags(model.initial_lags.data(), model.lags, model.hydros);
    const auto recent = windows_by_hydro(system, data.recent, subject::recent_inflows, problems);
    const auto history = windows_by_hydro(system,
                                          data.history.value_or(std::vector<InflowObservation>()),
                                          subject::inflow_history,
                                          problems);
    const int first_month = month_number(calendar.stages.front().start);
    for (int hydro = 0; hydro < model.hydros; ++hydro) {
        const auto h = static_cast<std::size_t>(hydro);
        Gaps gaps;
        for (int lag = 0; lag < model.lags; ++lag) {
            const int month = first_month - 1 - lag;
            const auto mean = month_mean(month, recent[h], history[h]);
            if (!mean) {
                gaps.add(use_of(model, lag, hydro), month);
            }
            lags(lag, hydro) = mean.value_or(0);
        }
        gaps.report(system.hydros[h], problems);
    }
}

}  // namespace lockstep::sddp
