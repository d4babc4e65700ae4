#include "formats/cobre/resolve/service.hpp"

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::cobre {

void check_lifecycle(const raw::Lifecycle& life, const Origin& origin, const Resolver& resolver) {
    if (life.entry_stage_id && life.exit_stage_id && *life.entry_stage_id >= *life.exit_stage_id) {
        resolver.error(ProblemKind::invalid_value,
                       origin,
                       fmt::format("entry_stage_id {} must be before exit_stage_id {}",
                                   *life.entry_stage_id,
                                   *life.exit_stage_id));
    }
}

void switch_off(sddp::ByBlock& values, const raw::Lifecycle& life, const Resolver& resolver) {
    resolver.for_each_block([&](int stage, int block) {
        if (!life.covers(resolver.calendar.stages[at(stage)].id)) {
            values(stage, block) = 0;
        }
    });
}

}  // namespace lockstep::formats::cobre
