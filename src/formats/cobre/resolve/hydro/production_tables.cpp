#include "formats/cobre/resolve/hydro/production_tables.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::formats::cobre {

namespace {

constexpr const char* energy_file = "system/hydro_energy_productivity.parquet";
constexpr const char* planes_file = "system/fpha_hyperplanes.parquet";

/// (hydro, stage) of a row, stage -1 for all stages; nothing after a report or outside the study.
std::optional<std::pair<int, int>> key_of(int hydro_id,
                                          const std::optional<int>& stage_id,
                                          const Origin& origin,
                                          const Resolver& resolver,
                                          OutsideRows& outside) {
    const int hydro = resolver.find(resolver.hydros, hydro_id, origin);
    const int stage = stage_id ? resolver.stages.find(*stage_id) : 0;
    if (stage < 0) {
        outside.add(*stage_id);
    }
    if (hydro < 0 || stage < 0) {
        return std::nullopt;
    }
    return std::pair{hydro, stage_id ? stage : -1};
}

}  // namespace

ProductionTables::ProductionTables(const raw::Case& raw, const Resolver& resolver) {
    if (raw.energy_productivity) {
        add_energy(*raw.energy_productivity, resolver);
    }
    if (raw.hyperplanes) {
        add_planes(*raw.hyperplanes, resolver);
    }
}

void ProductionTables::add_energy(const std::vector<raw::EnergyProductivity>& rows,
                                  const Resolver& resolver) {
    OutsideRows outside;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Origin origin = row_of(energy_file, i);
        const auto key = key_of(rows[i].hydro_id, rows[i].stage_id, origin, resolver, outside);
        if (key && !energy_.emplace(*key, rows[i]).second) {
            resolver.error(
                ProblemKind::duplicate_id,
                origin,
                fmt::format("hydro {} has another row for the same stages", rows[i].hydro_id));
        }
    }
    outside.report(energy_file, resolver.problems);
}

void ProductionTables::add_planes(const std::vector<raw::Hyperplane>& rows,
                                  const Resolver& resolver) {
    std::map<Key, std::map<int, std::size_t>> by_plane;  // plane id -> row
    OutsideRows outside;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Origin origin = row_of(planes_file, i);
        const auto key = key_of(rows[i].hydro_id, rows[i].stage_id, origin, resolver, outside);
        if (key && !by_plane[*key].emplace(rows[i].plane_id, i).second) {
            resolver.error(ProblemKind::duplicate_id,
                           origin,
                           fmt::format("plane {} of hydro {} has another row for the same stages",
                                       rows[i].plane_id,
                                       rows[i].hydro_id));
        }
    }
    outside.report(planes_file, resolver.problems);
    for (const auto& [key, planes] : by_plane) {
        double steepest = 0;
        for (const auto& [id, row] : planes) {
            const raw::Hyperplane& plane = rows[row];
            planes_[key].push_back({plane.kappa.value_or(1) * plane.gamma_0,
                                    plane.gamma_v,
                                    plane.gamma_q,
                                    plane.gamma_s});
            steepest = std::max(steepest, plane.gamma_q);
        }
        if (steepest == 0) {
            const std::size_t first = planes.begin()->second;
            resolver.error(ProblemKind::business_rule_violation,
                           row_of(planes_file, first),
                           fmt::format("no plane of hydro {} has gamma_q > 0: it cannot generate",
                                       rows[first].hydro_id));
        }
    }
}

std::optional<double> ProductionTables::energy(
    int hydro, int stage, std::optional<double> raw::EnergyProductivity::*member) const {
    for (const int at : {stage, -1}) {
        const auto found = energy_.find({hydro, at});
        if (found != energy_.end() && found->second.*member) {
            return found->second.*member;
        }
    }
    return std::nullopt;
}

const std::vector<sddp::ProductionPlane>& ProductionTables::planes(int hydro, int stage) const {
    static const std::vector<sddp::ProductionPlane> none;
    for (const int at : {stage, -1}) {
        const auto found = planes_.find({hydro, at});
        if (found != planes_.end()) {
            return found->second;
        }
    }
    return none;
}

}  // namespace lockstep::formats::cobre
