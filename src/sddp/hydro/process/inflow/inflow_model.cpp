#include "sddp/hydro/process/inflow/inflow_model.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/matrix_view.hpp"
#include "lockstep/sddp/subject.hpp"

#include "sddp/hydro/process/inflow/inflow_model_closure.hpp"
#include "sddp/hydro/process/inflow/inflow_model_lags.hpp"
#include "sddp/hydro/process/inflow/inflow_model_tables.hpp"
#include "sddp/hydro/process/seasons/season_rings.hpp"
#include "sddp/hydro/process/seasons/state_places.hpp"

namespace lockstep::sddp {
namespace {

std::string entity(const Hydro& hydro, const Stage& stage) {
    return fmt::format("hydro {}, stage {}", hydro.id, stage.id);
}

bool has_memory(const InflowTables& tables, int hydro, const Stage& stage) {
    return !tables.coefficients(hydro, stage.id).empty() || tables.annual(hydro, stage.id);
}

/// The longest classical order, at least 12 with any annual part.
int common_lags(const Calendar& calendar, const System& system, const InflowTables& tables) {
    int lags = 0;
    for (int hydro = 0; hydro < std::ssize(system.hydros); ++hydro) {
        for (const Stage& stage : calendar.stages) {
            lags = std::max(lags, static_cast<int>(tables.coefficients(hydro, stage.id).size()));
            lags = std::max(lags, tables.annual(hydro, stage.id) ? months_per_year : 0);
        }
    }
    return lags;
}

// --- checks of a model with memory ---------------------------------------------------------------

std::string stage_entity(const Stage& stage) {
    return fmt::format("stage {}", stage.id);
}

/// Every stage must be in its season, and no day in two stages.
void check_seasons(const Calendar& calendar, const InflowTables& tables, Problems& problems) {
    const Stage* before = nullptr;
    for (const Stage& stage : calendar.stages) {
        const auto season = tables.walk().of(stage);
        if (!season) {
            problems.add(ProblemKind::business_rule_violation,
                         subject::stages,
                         stage_entity(stage),
                         fmt::format("no day of the stage is in its season {}, as memory of "
                                     "inflows needs",
                                     stage.season));
        } else if (calendar.cycle == SeasonCycle::weekly &&
                   (stage.end > season->end || stage.season != season->season)) {
            problems.add(ProblemKind::business_rule_violation,
                         subject::stages,
                         stage_entity(stage),
                         fmt::format("with memory of inflows in a weekly cycle a stage must lie "
                                     "within one week, counted from the first day of the study, "
                                     "and have the season of its first day, which is {}",
                                     season->season));
        }
        if (before != nullptr && stage.start < before->end) {
            problems.add(ProblemKind::business_rule_violation,
                         subject::stages,
                         stage_entity(stage),
                         "with memory of inflows stages must not overlap");
        }
        before = &stage;
    }
}

void check_calendar(const Calendar& calendar,
                    const System& system,
                    const InflowTables& tables,
                    Problems& problems) {
    if (calendar.cycle == SeasonCycle::none) {
        problems.add(ProblemKind::business_rule_violation,
                     subject::season_map,
                     "cycle",
                     "inflows with memory need a season map");
        return;
    }
    check_seasons(calendar, tables, problems);
    for (int hydro = 0; calendar.cycle != SeasonCycle::monthly && hydro < std::ssize(system.hydros);
         ++hydro) {
        for (const Stage& stage : calendar.stages) {
            if (tables.annual(hydro, stage.id)) {
                problems.add(ProblemKind::business_rule_violation,
                             subject::annual_component,
                             entity(system.hydros[at(hydro)], stage),
                             "the mean of the last twelve months needs a monthly season cycle");
                return;
            }
        }
    }
}

void check_stage(const InflowTables& tables,
                 const System& system,
                 int hydro,
                 const Stage& stage,
                 Problems& problems) {
    if (!has_memory(tables, hydro, stage)) {
        return;
    }
    const Hydro& plant = system.hydros[at(hydro)];
    if (stage.season < 0) {
        problems.add(ProblemKind::business_rule_violation,
                     subject::inflow_coefficients,
                     entity(plant, stage),
                     "the stage has memory but no season");
    }
    const auto moments = tables.moments(hydro, stage.id);
    if (moments && !(moments->std > 0)) {
        problems.add(
            ProblemKind::invalid_value,
            subject::inflow_coefficients,
            entity(plant, stage),
            fmt::format(
                "the stage has memory but the deviation of its inflow is {}; it must be above 0",
                moments->std));
    }
}

bool check_memory(const Calendar& calendar,
                  const System& system,
                  const InflowTables& tables,
                  Problems& problems) {
    const std::size_t before = problems.error_count();
    check_calendar(calendar, system, tables, problems);
    for (int hydro = 0; hydro < std::ssize(system.hydros); ++hydro) {
        for (const Stage& stage : calendar.stages) {
            check_stage(tables, system, hydro, stage, problems);
        }
    }
    return problems.error_count() == before;
}

// --- coefficients --------------------------------------------------------------------------------

/// ψ_l in original units, l = 1 …
std::vector<double> original_coefficients(const InflowTables& tables,
                                          int hydro,
                                          const Stage& stage,
                                          double std) {
    std::vector<double> psi = tables.coefficients(hydro, stage.id);
    for (std::size_t l = 0; l < psi.size(); ++l) {
        const double lag_std = tables.lag_moments(hydro, stage, static_cast<int>(l) + 1).std;
        psi[l] = lag_std > 0 ? psi[l] * std / lag_std : 0;
    }
    if (const AnnualComponent* annual = tables.annual(hydro, stage.id)) {
        psi.resize(std::max<std::size_t>(psi.size(), months_per_year), 0.0);
        const double share = annual->coefficient * std / annual->std_m3s / months_per_year;
        for (std::size_t l = 0; l < months_per_year; ++l) {
            psi[l] += share;
        }
    }
    return psi;
}

/// The same made dimensionless: what a unit deviation l months ago moves, in deviations.
std::vector<double> standardised_coefficients(const InflowTables& tables,
                                              int hydro,
                                              const Stage& stage,
                                              double std) {
    std::vector<double> psi = original_coefficients(tables, hydro, stage, std);
    for (std::size_t l = 0; l < psi.size(); ++l) {
        psi[l] *= tables.lag_moments(hydro, stage, static_cast<int>(l) + 1).std / std;
    }
    return psi;
}

bool same_memory(const InflowTables& tables, int hydro, const Stage& a, const Stage& b) {
    const AnnualComponent* annual_a = tables.annual(hydro, a.id);
    const AnnualComponent* annual_b = tables.annual(hydro, b.id);
    const double psi_a = annual_a ? annual_a->coefficient : 0;
    const double psi_b = annual_b ? annual_b->coefficient : 0;
    return tables.coefficients(hydro, a.id) == tables.coefficients(hydro, b.id) && psi_a == psi_b;
}

/// What a stage adds to the cycle; nothing where no inflow varies.
std::vector<double> cycle_coefficients(const InflowTables& tables, int hydro, const Stage& stage) {
    const auto moments = tables.moments(hydro, stage.id);
    return moments && moments->std > 0
               ? standardised_coefficients(tables, hydro, stage, moments->std)
               : std::vector<double>();
}

/// The coefficients of every season, by number in the rings.
class SeasonCoefficients {
public:
    SeasonCoefficients(const InflowTables& tables, const SeasonRings& rings, int hydro)
        : tables_(tables), rings_(rings), hydro_(hydro), first_(rings.size()), own_(rings.size()) {}

    /// The stage that a season has its coefficients from: the first to come.
    const Stage* add(const Stage& stage) {
        const int season = rings_.number(tables_.occurrence(stage));
        if (season < 0) {
            return nullptr;
        }
        if (first_[at(season)] == nullptr) {
            first_[at(season)] = &stage;
            own_[at(season)] = cycle_coefficients(tables_, hydro_, stage);
        }
        return first_[at(season)];
    }
    [[nodiscard]] PeriodicCoefficients of(const std::vector<std::size_t>& ring) const {
        PeriodicCoefficients out;
        for (const std::size_t season : ring) {
            out.seasons.push_back(own_[season]);
            out.names.push_back(rings_.name(season));
        }
        return out;
    }

private:
    const InflowTables& tables_;
    const SeasonRings& rings_;
    int hydro_;
    std::vector<const Stage*> first_;
    std::vector<std::vector<double>> own_;
};

/// From the first stage of each season; seasons that the study does not hold from the last stage
/// before it with memory, else white noise.
SeasonCoefficients season_coefficients(const Calendar& calendar,
                                       const System& system,
                                       const InflowTables& tables,
                                       const SeasonRings& rings,
                                       int hydro,
                                       const std::vector<Stage>& past,
                                       Problems& problems) {
    SeasonCoefficients result(tables, rings, hydro);
    for (const Stage& stage : calendar.stages) {
        const Stage* first = result.add(stage);
        if (first != nullptr && !same_memory(tables, hydro, *first, stage)) {
            problems.add(
                ProblemKind::not_supported,
                subject::inflow_coefficients,
                entity(system.hydros[at(hydro)], stage),
                fmt::format("not supported yet: coefficients that differ from those of stage {}, "
                            "which is the same season",
                            first->id));
        }
    }
    for (const Stage& stage : past) {
        result.add(stage);
    }
    return result;
}

/// Without a process, or with a given one that is not stationary: a problem. A fitted one runs.
void report_closure(const std::optional<Closure>& closure,
                    const std::string& why_not,
                    CoefficientSource source,
                    const Hydro& hydro,
                    Problems& problems) {
    const bool is_fitted = source == CoefficientSource::fitted;
    const char* file = is_fitted ? subject::inflow_history : subject::inflow_coefficients;
    const std::string name = fmt::format("hydro {}", hydro.id);
    if (closure && is_fitted) {
        problems.add(ProblemKind::model_quality,
                     file,
                     name,
                     fmt::format("the fitted coefficients are at or beyond the unit root: {}; the "
                                 "record may be too short",
                                 closure->doubt));
    } else if (is_fitted) {
        problems.add(ProblemKind::invalid_value,
                     file,
                     name,
                     fmt::format("no process has the coefficients fitted to this record: {}; a "
                                 "lower estimation.max_order or a longer record gives others",
                                 why_not));
    } else {
        problems.add(ProblemKind::invalid_value,
                     file,
                     name,
                     fmt::format("the coefficients are not stationary: {}",
                                 closure ? closure->doubt : why_not));
    }
}

/// By season number.
std::vector<double> residual_ratio(const Calendar& calendar,
                                   const System& system,
                                   const InflowTables& tables,
                                   const SeasonRings& rings,
                                   int hydro,
                                   CoefficientSource source,
                                   Problems& problems) {
    const std::vector<Stage> past = tables.past_stages_with_memory(hydro);
    const SeasonCoefficients coefficients =
        season_coefficients(calendar, system, tables, rings, hydro, past, problems);
    std::vector<double> ratio(rings.size(), 1.0);
    for (const std::vector<std::size_t>& ring : rings.rings()) {
        std::string why_not;
        const auto closure = periodic_closure(coefficients.of(ring), why_not);
        if (!closure || !closure->doubt.empty()) {
            report_closure(closure, why_not, source, system.hydros[at(hydro)], problems);
        }
        for (std::size_t i = 0; closure && i < ring.size(); ++i) {
            ratio[ring[i]] = closure->residual_ratio[i];
        }
    }
    return ratio;
}

// --- lags without statistics ---------------------------------------------------------------------

/// The lags that coefficients speak of and no row describes: they have no effect.
class MissingLags {
public:
    explicit MissingLags(const System& system) : system_(system) {}

    void look(const InflowTables& tables, int hydro, const Stage& stage) {
        const int order = static_cast<int>(tables.coefficients(hydro, stage.id).size());
        for (int lag = 1; lag <= order; ++lag) {
            if (!tables.find_lag_moments(hydro, stage, lag)) {
                add(hydro, stage, lag);
            }
        }
    }
    void report(Problems& problems) const {
        if (count_ > 0) {
            problems.add(
                ProblemKind::model_quality,
                subject::inflow_statistics,
                first_,
                fmt::format(
                    "no row for the season at lag {}, so that coefficient has no effect and "
                    "the noise is that much wider{}; rows of stages before the study (ids below "
                    "its first) tell the mean and deviation of these seasons",
                    lag_,
                    count_ > 1 ? fmt::format(" (and {} more coefficients)", count_ - 1) : ""));
        }
    }

private:
    const System& system_;
    int count_ = 0;
    std::string first_;
    int lag_ = 0;

    void add(int hydro, const Stage& stage, int lag) {
        if (count_++ == 0) {
            first_ = entity(system_.hydros[at(hydro)], stage);
            lag_ = lag;
        }
    }
};

void report_missing_lags(const Calendar& calendar,
                         const System& system,
                         const InflowTables& tables,
                         Problems& problems) {
    MissingLags missing(system);
    for (int hydro = 0; hydro < std::ssize(system.hydros); ++hydro) {
        for (const Stage& stage : calendar.stages) {
            missing.look(tables, hydro, stage);
        }
    }
    missing.report(problems);
}

// --- the model -----------------------------------------------------------------------------------

InflowModel::StageModel zero_stage(int lags, int hydros) {
    const auto count = static_cast<std::size_t>(hydros);
    InflowModel::StageModel stage;
    stage.base.assign(count, 0.0);
    stage.scale.assign(count, 0.0);
    stage.lag.assign(static_cast<std::size_t>(lags) * count, 0.0);
    stage.order.assign(count, 0);
    return stage;
}

void fill_plant(const InflowTables& tables,
                const Stage& stage,
                int hydro,
                double ratio,
                InflowModel::StageModel& model) {
    const auto moments = tables.moments(hydro, stage.id);
    if (!moments) {
        return;
    }
    const auto h = static_cast<std::size_t>(hydro);
    const std::size_t hydros = model.base.size();
    model.order[h] = static_cast<int>(tables.coefficients(hydro, stage.id).size());
    model.base[h] = moments->mean;
    model.scale[h] = moments->std * ratio;
    const auto psi = original_coefficients(tables, hydro, stage, moments->std);
    for (std::size_t l = 0; l < psi.size(); ++l) {
        model.lag[l * hydros + h] = psi[l];
        model.base[h] -= psi[l] * tables.lag_moments(hydro, stage, static_cast<int>(l) + 1).mean;
    }
}

}  // namespace

BuiltInflowModel build_inflow_model(const Calendar& calendar,
                                    const System& system,
                                    const ProcessData& data,
                                    CoefficientSource source,
                                    Problems& problems) {
    const std::size_t before = problems.error_count();
    const InflowTables tables(calendar, system, data, problems);
    const SeasonRings rings(calendar);
    BuiltInflowModel built;
    InflowModel& model = built.model;
    model.hydros = static_cast<int>(system.hydros.size());
    model.lags = common_lags(calendar, system, tables);
    built.residual_ratio.assign(system.hydros.size(), std::vector<double>(rings.size(), 1.0));
    if (problems.error_count() > before ||
        (model.lags > 0 && !check_memory(calendar, system, tables, problems))) {
        return built;
    }
    std::optional<StatePlaces> places;
    if (model.lags > 0) {
        places.emplace(calendar, model.lags);
        model.lags = places->size();
    }
    for (int hydro = 0; hydro < model.hydros && places; ++hydro) {
        built.residual_ratio[at(hydro)] =
            residual_ratio(calendar, system, tables, rings, hydro, source, problems);
    }
    for (const Stage& stage : calendar.stages) {
        InflowModel::StageModel& at_stage =
            model.stages.emplace_back(zero_stage(model.lags, model.hydros));
        const int season = rings.number(tables.occurrence(stage));
        for (int hydro = 0; hydro < model.hydros; ++hydro) {
            const double ratio = season < 0 ? 1 : built.residual_ratio[at(hydro)][at(season)];
            fill_plant(tables, stage, hydro, ratio, at_stage);
        }
    }
    if (places) {
        const PastInflows past(calendar, system, data, problems);
        for (int t = 0; t < calendar.stage_count(); ++t) {
            model.stages[at(t)].recall = places->recall(t, model.hydros, past);
        }
        report_missing_lags(calendar, system, tables, problems);
        set_initial_lags(calendar, system, *places, past, model, problems);
    }
    return built;
}

}  // namespace lockstep::sddp
