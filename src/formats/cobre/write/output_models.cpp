#include "formats/cobre/write/output_models.hpp"

#include <algorithm>
#include <string>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre::out {
namespace {

using io::Json;

struct Production {
    std::size_t planes = 0;
    double productivity = 0;  ///< constant, or equivalent where there are planes
    const FittedPlanes* fit = nullptr;
    friend bool operator==(const Production&, const Production&) = default;
};

const FittedPlanes* fit_at(const CaseFacts& input, const sddp::Hydro& hydro, int stage_id) {
    for (const FittedPlanes& planes : input.fitted_planes) {
        if (planes.hydro_id == hydro.id &&
            std::binary_search(planes.stage_ids.begin(), planes.stage_ids.end(), stage_id)) {
            return &planes;
        }
    }
    return nullptr;
}

Production production_at(const CaseFacts& input,
                         const sddp::Hydro& hydro,
                         std::size_t stage,
                         int stage_id) {
    const std::size_t planes = hydro.planes[stage].size();
    return {planes,
            planes > 0 ? hydro.equivalent_productivity[stage] : hydro.productivity[stage],
            planes > 0 ? fit_at(input, hydro, stage_id) : nullptr};
}

Json fit_report(const FittedPlanes& planes) {
    return Json::Object{{"volume_min_hm3", planes.task.min_volume_hm3},
                        {"volume_max_hm3", planes.task.max_volume_hm3},
                        {"scale", planes.fit.scale},
                        {"mean_deviation", planes.fit.mean_deviation}};
}

Json production_range(const Production& production, int first_id, int last_id) {
    const bool is_fpha = production.planes > 0;
    Json out = Json::Object{{"start_stage_id", first_id},
                            {"end_stage_id", last_id},
                            {"model", is_fpha ? "fpha" : "constant_productivity"}};
    if (is_fpha) {
        out.set("source", production.fit != nullptr ? "computed" : "precomputed");
        out.set("planes", static_cast<std::int64_t>(production.planes));
    }
    out.set(is_fpha ? "equivalent_productivity_mw_per_m3s" : "productivity_mw_per_m3s",
            production.productivity);
    if (production.fit != nullptr) {
        out.set("fit", fit_report(*production.fit));
    }
    return out;
}

Json production_ranges(const CaseFacts& input,
                       const sddp::Hydro& hydro,
                       const sddp::Calendar& calendar) {
    Json out = Json::array();
    const auto& stages = calendar.stages;
    for (std::size_t first = 0; first < stages.size();) {
        const Production production = production_at(input, hydro, first, stages[first].id);
        std::size_t next = first + 1;
        while (next < stages.size() &&
               production_at(input, hydro, next, stages[next].id) == production) {
            ++next;
        }
        out.push(production_range(production, stages[first].id, stages[next - 1].id));
        first = next;
    }
    return out;
}

bool evaporates(const sddp::Hydro& hydro) {
    return std::any_of(hydro.evaporation.begin(), hydro.evaporation.end(), [](const auto& model) {
        return model.has_value();
    });
}

bool uses_planes(const sddp::Hydro& hydro) {
    return std::any_of(hydro.planes.begin(), hydro.planes.end(), [](const auto& planes) {
        return !planes.empty();
    });
}

template <typename Predicate>
std::int64_t count_hydros(const sddp::Problem& problem, Predicate is_counted) {
    const auto& hydros = problem.system.hydros;
    return std::count_if(hydros.begin(), hydros.end(), is_counted);
}

int largest_order(const sddp::InflowModel& model) {
    int order = 0;
    for (const auto& stage : model.stages) {
        for (const int of_hydro : stage.order) {
            order = std::max(order, of_hydro);
        }
    }
    return order;
}

Json method(const sddp::Process& process) {
    if (process.fit.seasons.empty()) {
        return {};
    }
    const bool annual =
        process.resolved.estimation.order_selection == sddp::OrderSelection::pacf_annual;
    return annual ? "pacf_annual" : "pacf";
}

template <typename Range>
Json to_array(const Range& values) {
    Json out = Json::array();
    for (const auto& value : values) {
        out.push(value);
    }
    return out;
}

Json season_fit(const sddp::FitReport::Season& fit) {
    return Json::Object{{"season_id", fit.season},
                        {"order", fit.order},
                        {"coefficients", to_array(fit.coefficients)},
                        {"residual_std_ratio", fit.residual_ratio},
                        {"annual_coefficient", fit.annual_coefficient},
                        {"mean_m3s", fit.mean_m3s},
                        {"std_m3s", fit.std_m3s}};
}

const char* noise_name(sddp::NoiseClass noise) {
    switch (noise) {
        case sddp::NoiseClass::inflow:
            return "inflow";
        case sddp::NoiseClass::load:
            return "load";
        case sddp::NoiseClass::source:
            break;
    }
    return "ncs";
}

int entity_id(const sddp::System& system, sddp::NoiseClass noise, int index) {
    const auto i = static_cast<std::size_t>(index);
    if (noise == sddp::NoiseClass::inflow) {
        return system.hydros[i].id;
    }
    return noise == sddp::NoiseClass::load ? system.buses[i].id : system.sources[i].id;
}

Json correlation_group(const sddp::System& system,
                       const sddp::CorrelationGroup& group,
                       std::size_t number) {
    Json entities = Json::array();
    for (std::size_t i = 0; i < group.entities.size(); ++i) {
        const sddp::NoiseClass noise = group.classes.empty() ? group.noise : group.classes[i];
        entities.push(Json::Object{{"type", noise_name(noise)},
                                   {"id", entity_id(system, noise, group.entities[i])}});
    }
    Json matrix = Json::array();
    const std::size_t n = group.entities.size();
    for (std::size_t row = 0; row < n; ++row) {
        Json line = Json::array();
        for (std::size_t column = 0; column < n; ++column) {
            line.push(group.matrix[row * n + column]);
        }
        matrix.push(line);
    }
    Json out = Json::Object{
        {"name", "group_" + std::to_string(number)}, {"entities", entities}, {"matrix", matrix}};
    if (!group.classes.empty()) {
        out.set("across_classes", true);
    }
    return out;
}

}  // namespace

Json hydro_models(const CaseFacts& input, const sddp::Problem& problem) {
    Json hydros = Json::array();
    for (const sddp::Hydro& hydro : problem.system.hydros) {
        hydros.push(Json::Object{{"hydro_id", hydro.id},
                                 {"name", hydro.name},
                                 {"production", production_ranges(input, hydro, problem.calendar)},
                                 {"evaporation", evaporates(hydro)}});
    }
    Json out = Json::object();
    out.set("hydros", hydros);
    return out;
}

Json model_provenance(const sddp::Problem& problem) {
    const sddp::Process& process = problem.process;
    const sddp::Provenance& source = process.provenance;
    const Json inflow =
        Json::Object{{"estimation_path", source.estimation_path},
                     {"seasonal_stats_source", source.statistics_source},
                     {"ar_coefficients_source", source.coefficients_source},
                     {"correlation_source", source.correlation_source},
                     {"opening_tree_source", source.tree_source},
                     {"n_hydros", problem.hydro_count()},
                     {"ar_method", method(process)},
                     {"ar_max_order", largest_order(process.inflow)},
                     {"white_noise_fallbacks", to_array(source.white_noise_fallbacks)}};
    const std::int64_t fpha = count_hydros(problem, uses_planes);
    const Json production = Json::Object{{"n_fpha", fpha},
                                         {"n_constant_productivity", problem.hydro_count() - fpha},
                                         {"n_evaporation", count_hydros(problem, evaporates)}};
    return Json::Object{{"inflow", inflow}, {"hydro_production", production}};
}

Json fitting_report(const sddp::Problem& problem) {
    Json hydros = Json::array();
    for (int h = 0; h < problem.hydro_count(); ++h) {
        Json seasons = Json::array();
        for (const auto& fit : problem.process.fit.seasons) {
            if (fit.hydro == h) {
                seasons.push(season_fit(fit));
            }
        }
        if (!seasons.if_array()->empty()) {
            hydros.push(
                Json::Object{{"hydro_id", problem.system.hydros[at(h)].id}, {"seasons", seasons}});
        }
    }
    return Json::Object{{"ar_method", method(problem.process)}, {"hydros", hydros}};
}

Json correlation(const sddp::Problem& problem, const sddp::CorrelationModel& model) {
    Json profiles = Json::object();
    for (const sddp::CorrelationProfile& profile : model.profiles) {
        Json groups = Json::array();
        for (std::size_t i = 0; i < profile.groups.size(); ++i) {
            groups.push(correlation_group(problem.system, profile.groups[i], i));
        }
        Json content = Json::object();
        content.set("correlation_groups", groups);
        profiles.set(profile.name, content);
    }
    Json schedule = Json::array();
    for (const auto& [stage_id, profile] : model.schedule) {
        schedule.push(Json::Object{{"stage_id", stage_id}, {"profile_name", profile}});
    }
    return Json::Object{{"method", "spectral"}, {"profiles", profiles}, {"schedule", schedule}};
}

}  // namespace lockstep::formats::cobre::out
