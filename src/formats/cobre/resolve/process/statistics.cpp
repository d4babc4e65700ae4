#include "formats/cobre/resolve/process/statistics.hpp"

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/stage_list.hpp"

namespace lockstep::formats::cobre {

void StageCells::check_coverage(int entity,
                                const raw::Lifecycle& life,
                                const Origin& origin,
                                const Resolver& resolver) const {
    StageList missing;
    const std::vector<char>& is_given = is_given_[at(entity)];
    for (std::size_t stage = 0; stage < is_given.size(); ++stage) {
        const int id = resolver.calendar.stages[stage].id;
        if (is_given[stage] == 0 && life.covers(id)) {
            missing.add(id);
        }
    }
    if (!missing.is_empty()) {
        resolver.error(ProblemKind::dimension_mismatch, origin, "no row for " + missing.text());
    }
}

void apply_factors(const raw::StageFactors& factors,
                   int stage,
                   const Origin& origin,
                   const Resolver& resolver,
                   sddp::ByBlock& table) {
    std::vector<char> has_block(static_cast<std::size_t>(resolver.block_count(stage)));
    for (const raw::BlockFactor& factor : factors.block_factors) {
        const int block = resolver.block(stage, factor.block_id, origin);
        if (block < 0) {
            continue;
        }
        if (std::exchange(has_block[at(block)], 1) != 0) {
            resolver.error(ProblemKind::duplicate_id,
                           origin,
                           fmt::format("the factor of block {} is given twice", block));
        }
        table(stage, block) = factor.factor;
    }
}

}  // namespace lockstep::formats::cobre
