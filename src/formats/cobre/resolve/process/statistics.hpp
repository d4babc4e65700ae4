#pragma once

#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"

#include "formats/cobre/read/raw/network.hpp"
#include "formats/cobre/read/raw/scenarios.hpp"
#include "formats/cobre/resolve/bounds.hpp"

namespace lockstep::formats::cobre {

// Files with a row for each entity and stage, and files with factors for its blocks.

/// Which (entity, stage) cells a file has given.
class StageCells {
public:
    StageCells(int entities, const Resolver& resolver)
        : is_given_(static_cast<std::size_t>(entities),
                    std::vector<char>(resolver.calendar.stages.size())) {}

    /// @return false when the cell was ticked before
    bool tick(int entity, int stage) {
        return std::exchange(is_given_[at(entity)][at(stage)], 1) == 0;
    }
    /// Reports the stages in service without a row.
    void check_coverage(int entity,
                        const raw::Lifecycle& life,
                        const Origin& origin,
                        const Resolver& resolver) const;

private:
    std::vector<std::vector<char>> is_given_;
};

/// visit(row, cell) for every sound row of a statistics file.
template <typename Row, typename Visit>
void for_each_statistic(const std::vector<Row>& rows,
                        const char* file,
                        const IdMap& entities,
                        const Resolver& resolver,
                        Visit visit) {
    OverrideCells cells(resolver, file, entities);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        cells.add(i, {rows[i].entity_id, rows[i].stage_id, std::nullopt});
    }
    for (const OverrideCell& cell : cells.take()) {
        visit(rows[cell.row], cell);
    }
}

/// Factors of one entity and stage into its table; mistakes are reported.
void apply_factors(const raw::StageFactors& factors,
                   int stage,
                   const Origin& origin,
                   const Resolver& resolver,
                   sddp::ByBlock& table);

/// Factors of a file; `table(entity)` is where an entity keeps them.
template <typename Factors, typename Table>
void apply_all_factors(const std::vector<Factors>& all,
                       const char* file,
                       const IdMap& entities,
                       const Resolver& resolver,
                       Table table) {
    StageCells cells(entities.size(), resolver);
    OutsideRows outside;
    for (const Factors& factors : all) {
        const Origin origin = line_of(file, factors.line, entities.noun(), factors.entity_id);
        const int entity = resolver.find(entities, factors.entity_id, origin);
        const int stage = resolver.stages.find(factors.stage_id);
        if (stage < 0) {
            outside.add(factors.stage_id);
        }
        if (entity < 0 || stage < 0) {
            continue;
        }
        if (!cells.tick(entity, stage)) {
            resolver.error(
                ProblemKind::duplicate_id,
                origin,
                "factors of stage " + std::to_string(factors.stage_id) + " are given twice");
        }
        apply_factors(factors, stage, origin, resolver, table(entity));
    }
    outside.report(file, resolver.problems);
}

}  // namespace lockstep::formats::cobre
