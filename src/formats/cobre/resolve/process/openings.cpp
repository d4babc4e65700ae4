#include "formats/cobre/resolve/process/openings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "scenarios/noise_openings.parquet";

/// Length of a noise vector: hydros, buses with random load, sources with random availability.
std::size_t noise_dimension(const sddp::System& system) {
    const auto random = [](const auto& entity) { return entity.is_stochastic; };
    return system.hydros.size() +
           static_cast<std::size_t>(
               std::count_if(system.buses.begin(), system.buses.end(), random) +
               std::count_if(system.sources.begin(), system.sources.end(), random));
}

/// Ticks off the cells of the tree.
class TreeCells {
public:
    TreeCells(const Resolver& resolver, std::size_t dimension)
        : resolver_(resolver), dimension_(dimension) {
        for (const sddp::Stage& stage : resolver.calendar.stages) {
            is_given_.emplace_back(static_cast<std::size_t>(stage.openings) * dimension);
        }
    }

    /// Stage index of a row that fits the tree, -1 after a report or outside the study.
    int tick(const raw::NoiseOpening& row, const Origin& origin) {
        const int stage = resolver_.stages.find(row.stage_id);
        if (stage < 0) {
            outside_.add(row.stage_id);
            return -1;
        }
        const sddp::Stage& each = resolver_.calendar.stages[at(stage)];
        if (row.opening_index >= static_cast<std::uint32_t>(each.openings) ||
            row.entity_index >= dimension_) {
            resolver_.error(
                ProblemKind::dimension_mismatch,
                origin,
                fmt::format(
                    "opening {}, entity {}: stage {} has {} openings of {} entities, numbered "
                    "from 0",
                    row.opening_index,
                    row.entity_index,
                    row.stage_id,
                    each.openings,
                    dimension_));
            return -1;
        }
        const std::size_t cell = row.opening_index * dimension_ + row.entity_index;
        if (std::exchange(is_given_[at(stage)][cell], 1) != 0) {
            resolver_.error(
                ProblemKind::duplicate_id, origin, "the same opening and entity has another row");
            return -1;
        }
        return stage;
    }

    void check_complete() const {
        outside_.report(file, resolver_.problems);
        for (std::size_t stage = 0; stage < is_given_.size(); ++stage) {
            const auto missing = std::count(is_given_[stage].begin(), is_given_[stage].end(), 0);
            if (missing > 0) {
                const sddp::Stage& each = resolver_.calendar.stages[stage];
                resolver_.error(
                    ProblemKind::dimension_mismatch,
                    {file, fmt::format("stage {}", each.id)},
                    fmt::format("{} of {} values are missing ({} openings of {} entities)",
                                missing,
                                is_given_[stage].size(),
                                each.openings,
                                dimension_));
            }
        }
    }

private:
    const Resolver& resolver_;
    std::size_t dimension_;
    std::vector<std::vector<char>> is_given_;
    OutsideRows outside_;
};

}  // namespace

std::vector<sddp::OpeningValue> resolve_openings(const std::vector<raw::NoiseOpening>& rows,
                                                 const Resolver& resolver,
                                                 const sddp::System& system) {
    TreeCells cells(resolver, noise_dimension(system));
    std::vector<sddp::OpeningValue> out;
    out.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const int stage = cells.tick(rows[i], row_of(file, i));
        if (stage >= 0) {
            out.push_back({stage,
                           static_cast<int>(rows[i].opening_index),
                           static_cast<int>(rows[i].entity_index),
                           rows[i].value});
        }
    }
    cells.check_complete();
    return out;
}

}  // namespace lockstep::formats::cobre
