#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "formats/cobre/resolve/resolve.hpp"

namespace lockstep::formats::cobre {

namespace {

void warn(Problems& problems, const char* file, std::string entity, std::string message) {
    problems.add(ProblemKind::model_quality, file, std::move(entity), std::move(message));
}

bool has_load(const raw::Case& raw) {
    return raw.load_statistics &&
           std::any_of(raw.load_statistics->begin(),
                       raw.load_statistics->end(),
                       [](const auto& row) { return row.mean_mw != 0 || row.std_mw != 0; });
}

void check_inflows(const raw::Case& raw, Problems& problems) {
    std::set<int> known;
    if (raw.inflow_statistics) {
        for (const raw::InflowStatistics& row : *raw.inflow_statistics) {
            known.insert(row.entity_id);
        }
    }
    if (raw.inflow_history) {
        for (const raw::InflowHistory& row : *raw.inflow_history) {
            known.insert(row.hydro_id);
        }
    }
    for (const raw::Hydro& hydro : raw.hydros) {
        if (!known.contains(hydro.id)) {
            warn(problems,
                 "scenarios/inflow_seasonal_stats.parquet",
                 fmt::format("hydro {}", hydro.id),
                 "no inflow statistics and no history: its inflow is 0 in every stage");
        }
    }
}

}  // namespace

void check_completeness(const raw::Case& raw, Problems& problems) {
    if (!raw.buses.empty() && !has_load(raw)) {
        warn(problems,
             "scenarios/load_seasonal_stats.parquet",
             "",
             "no bus has a load: there is nothing to serve");
    }
    check_inflows(raw, problems);
}

}  // namespace lockstep::formats::cobre
