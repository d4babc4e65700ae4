#include "sddp/hydro/process/inflow/inflow_model_lags.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
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

/// How a stage reads one of its lags.
Use use_of(const InflowModel::StageModel& stage, int lag, int hydro, int hydros) {
    if (lag < stage.order[at(hydro)]) {
        return Use::as_regressor;
    }
    return stage.lag[at(lag * hydros + hydro)] != 0 ? Use::in_annual_mean : Use::none;
}

/// How the stages of the study read a season before it.
Use use_of(const InflowModel& model,
           const StatePlaces& places,
           const Occurrence& season,
           int hydro) {
    Use use = Use::none;
    for (int t = 0; t < std::ssize(model.stages); ++t) {
        const std::vector<Occurrence>& seasons = places.seasons(t);
        for (int lag = 0; lag < places.lags(); ++lag) {
            if (seasons[at(lag)] == season) {
                use = std::max(use, use_of(model.stages[at(t)], lag, hydro, model.hydros));
            }
        }
    }
    return use;
}

std::string day_text(Date date) {
    const std::chrono::year_month_day day(date);
    return fmt::format("{:04}-{:02}-{:02}",
                       static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()),
                       static_cast<unsigned>(day.day()));
}

/// "2023-12", "2023-12-01 to 2023-12-08"
std::string season_text(const Occurrence& season) {
    const int month = month_number(season.start);
    if (season.start == month_start(month) && season.end == month_start(month + 1)) {
        return day_text(season.start).substr(0, 7);
    }
    return day_text(season.start) + " to " + day_text(season.end);
}

/// Seasons of a plant that nothing covers.
struct Gaps {
    std::string needed;
    std::string averaged;

    void add(Use use, const Occurrence& season) {
        std::string& list = use == Use::as_regressor ? needed : averaged;
        if (use != Use::none) {
            list += (list.empty() ? "" : ", ") + season_text(season);
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

/// Lags that stages read of seasons of the study that no stage covers.
void report_uncovered(const Calendar& calendar,
                      const System& system,
                      const StatePlaces& places,
                      const PastInflows& past,
                      const InflowModel& model,
                      Problems& problems) {
    for (int t = 0; t < calendar.stage_count(); ++t) {
        for (int lag = 0; lag < places.lags(); ++lag) {
            const Occurrence& season = places.seasons(t)[at(lag)];
            for (int h = 0; h < model.hydros && season.end > past.study_start(); ++h) {
                if (use_of(model.stages[at(t)], lag, h, model.hydros) != Use::none &&
                    places.covered_days(season, t, h, past) == 0) {
                    problems.add(ProblemKind::business_rule_violation,
                                 subject::stages,
                                 fmt::format("stage {}", calendar.stages[at(t)].id),
                                 fmt::format("the inflow of hydro {} depends on that of {}, which "
                                             "no stage before covers",
                                             system.hydros[at(h)].id,
                                             season_text(season)));
                    return;
                }
            }
        }
    }
}

}  // namespace

void set_initial_lags(const Calendar& calendar,
                      const System& system,
                      const StatePlaces& places,
                      const PastInflows& past,
                      InflowModel& model,
                      Problems& problems) {
    model.initial_lags.assign(
        static_cast<std::size_t>(model.lags) * static_cast<std::size_t>(model.hydros), 0.0);
    const MatrixView<double> lags(model.initial_lags.data(), model.lags, model.hydros);
    const std::vector<Occurrence>& seasons = places.seasons(0);
    for (int hydro = 0; hydro < model.hydros; ++hydro) {
        Gaps gaps;
        for (int lag = 0; lag < std::ssize(seasons); ++lag) {
            const Occurrence& season = seasons[at(lag)];
            const CoveredMean found = past.of(season, hydro);
            const bool is_over = season.end <= past.study_start();
            if (is_over && found.days < season.days()) {
                gaps.add(use_of(model, places, season, hydro), season);
            } else {
                lags(lag, hydro) = found.mean;
            }
        }
        gaps.report(system.hydros[at(hydro)], problems);
    }
    report_uncovered(calendar, system, places, past, model, problems);
}

}  // namespace lockstep::sddp
