#include "formats/cobre/resolve/process/external.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/own_scenarios.hpp"

#include "formats/cobre/read/files.hpp"

namespace lockstep::formats::cobre {

namespace {

/// Reads the scenarios of one file.
class Columns {
public:
    Columns(const char* file, const IdMap& entities, const Resolver& resolver)
        : file_(file),
          entities_(entities),
          resolver_(resolver),
          scenarios_(at(resolver.stage_count())) {}

    template <typename Row>
    void add(std::size_t index, const Row& row) {
        const Origin origin = row_of(file_, index);
        const int entity = resolver_.find(entities_, row.entity_id, origin);
        const int stage = resolver_.stages.find(row.stage_id);
        if (stage < 0) {
            outside_.add(row.stage_id);
        }
        if (entity < 0 || stage < 0) {
            return;
        }
        if (!seen_.emplace(stage, row.scenario_id, entity).second) {
            resolver_.error(ProblemKind::duplicate_id,
                            origin,
                            fmt::format("stage {}, scenario {}, {} {} has another row",
                                        row.stage_id,
                                        row.scenario_id,
                                        entities_.noun(),
                                        row.entity_id));
        }
        scenarios_[at(stage)].insert(row.scenario_id);
        values_.push_back({stage, row.scenario_id, entity, row.value});
    }

    std::vector<sddp::ExternalValue> take() {
        outside_.report(file_, resolver_.problems);
        bool is_sound = true;
        for (std::size_t t = 0; t < scenarios_.size(); ++t) {
            is_sound = check_ids(resolver_.calendar.stages[t].id, scenarios_[t]) && is_sound;
        }
        return is_sound ? std::move(values_) : std::vector<sddp::ExternalValue>();
    }

private:
    [[nodiscard]] bool check_ids(int stage_id, const std::set<int>& ids) const {
        if (ids.empty() || *ids.rbegin() + 1 == std::ssize(ids)) {
            return true;
        }
        resolver_.error(
            ProblemKind::dimension_mismatch,
            {file_, fmt::format("stage {}", stage_id)},
            fmt::format("{} scenarios, the largest scenario_id is {}: they must be 0, 1, 2 … "
                        "without gaps",
                        ids.size(),
                        *ids.rbegin()));
        return false;
    }

    const char* file_;
    const IdMap& entities_;
    const Resolver& resolver_;
    OutsideRows outside_;
    std::set<std::tuple<int, int, int>> seen_;
    std::vector<std::set<int>> scenarios_;  // [stages]
    std::vector<sddp::ExternalValue> values_;
};

template <typename Row>
std::vector<sddp::ExternalValue> resolve_columns(const raw::Rows<Row>& rows,
                                                 const char* file,
                                                 const IdMap& entities,
                                                 const Resolver& resolver) {
    Columns columns(file, entities, resolver);
    for (std::size_t i = 0; rows && i < rows->size(); ++i) {
        columns.add(i, (*rows)[i]);
    }
    return columns.take();
}

void replace_load_moments(const std::vector<sddp::ExternalValue>& loads, sddp::System& system) {
    for (const sddp::ExternalMoments& each : sddp::external_moments(loads)) {
        sddp::Bus& bus = system.buses[at(each.entity)];
        bus.mean_load_mw[at(each.stage)] = each.mean;
        bus.load_std_mw[at(each.stage)] = each.std;
    }
    for (sddp::Bus& bus : system.buses) {
        bus.is_stochastic =
            std::ranges::any_of(bus.load_std_mw, [](double std) { return std > 0; });
    }
}

template <typename Row>
std::vector<sddp::ExternalValue> read_columns(Files& files,
                                              const char* file,
                                              const IdMap& entities,
                                              const Resolver& resolver) {
    raw::Rows<Row> rows;
    files.read(file, Presence::optional, rows);
    return resolve_columns(rows, file, entities, resolver);
}

}  // namespace

sddp::OwnScenarios read_scenarios(const std::filesystem::path& folder,
                                  const sddp::Calendar& calendar,
                                  const sddp::System& system,
                                  Problems& problems) {
    Files files(folder, problems);
    const Resolver resolver{calendar,
                            IdMap("stage", calendar.stages),
                            IdMap("bus", system.buses),
                            {},
                            {},
                            IdMap("non-controllable source", system.sources),
                            IdMap("hydro", system.hydros),
                            {},
                            {},
                            {},
                            problems};
    sddp::OwnScenarios out{
        read_columns<raw::ExternalInflow>(
            files, "external_inflow_scenarios.parquet", resolver.hydros, resolver),
        read_columns<raw::ExternalLoad>(
            files, "external_load_scenarios.parquet", resolver.buses, resolver),
        read_columns<raw::ExternalSource>(
            files, "external_ncs_scenarios.parquet", resolver.sources, resolver)};
    if (!problems.has_errors() && out.inflow.empty() && out.load.empty() && out.source.empty()) {
        problems.add(ProblemKind::invalid_value,
                     folder.string(),
                     "",
                     "no scenarios: external_inflow_scenarios.parquet, "
                     "external_load_scenarios.parquet or external_ncs_scenarios.parquet is needed");
    }
    return out;
}

void resolve_external(const raw::Case& raw,
                      const Resolver& resolver,
                      sddp::System& system,
                      sddp::ProcessData& out) {
    out.external_load = resolve_columns(
        raw.external_load, "scenarios/external_load_scenarios.parquet", resolver.buses, resolver);
    if (out.training.load == sddp::ForwardScheme::external) {
        replace_load_moments(out.external_load, system);
    }
    out.external_inflow = resolve_columns(raw.external_inflow,
                                          "scenarios/external_inflow_scenarios.parquet",
                                          resolver.hydros,
                                          resolver);
    out.external_source = resolve_columns(raw.external_source,
                                          "scenarios/external_ncs_scenarios.parquet",
                                          resolver.sources,
                                          resolver);
}

}  // namespace lockstep::formats::cobre
