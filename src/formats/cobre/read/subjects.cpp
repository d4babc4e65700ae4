#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/subject.hpp"

namespace lockstep::formats::cobre {

namespace {

namespace subject = sddp::subject;

/// Where a subject stands: a file, and within it a path in front of what the engine names.
struct Place {
    std::string_view subject;
    std::string_view file;
    std::string_view path = {};
};

constexpr std::array<Place, subject::all.size()> places{{
    {subject::stages, "stages.json"},
    {subject::season_map, "stages.json", "season_definitions"},
    {subject::inflow_history, "scenarios/inflow_history.parquet"},
    {subject::recent_inflows, "initial_conditions.json"},
    {subject::inflow_statistics, "scenarios/inflow_seasonal_stats.parquet"},
    {subject::node_inflows, "scenarios/inflow_node_stats.parquet"},
    {subject::inflow_coefficients, "scenarios/inflow_ar_coefficients.parquet"},
    {subject::annual_component, "scenarios/inflow_annual_component.parquet"},
    {subject::correlation, "scenarios/correlation.json"},
    {subject::openings, "scenarios/noise_openings.parquet"},
    {subject::external_inflow, "scenarios/external_inflow_scenarios.parquet"},
    {subject::external_load, "scenarios/external_load_scenarios.parquet"},
    {subject::external_source, "scenarios/external_ncs_scenarios.parquet"},
    {subject::scenario_source, "config.json", "scenario_source"},
    {subject::non_negativity, "config.json", "modeling.inflow_non_negativity"},
    {subject::numbers, "penalties.json"},
}};

std::string join(std::string_view path, const std::string& entity) {
    if (path.empty() || entity.empty()) {
        return path.empty() ? entity : std::string(path);
    }
    return std::string(path) + ": " + entity;
}

}  // namespace

void add_located(const Problems& found, Problems& problems) {
    for (const Problem& problem : found.all()) {
        const auto place = std::ranges::find(places, problem.file, &Place::subject);
        if (place == places.end()) {
            problems.add(problem.kind, problem.file, problem.entity, problem.message);
        } else {
            problems.add(problem.kind,
                         std::string(place->file),
                         join(place->path, problem.entity),
                         problem.message);
        }
    }
}

}  // namespace lockstep::formats::cobre
