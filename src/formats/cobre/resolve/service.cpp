#include "formats/cobre/resolve/service.hpp"

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/bounds.hpp"

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

void finish_limits(const Resolver& resolver,
                   const raw::Lifecycle& life,
                   bool is_declared_in_order,
                   const Origin& origin,
                   std::string_view what,
                   sddp::ByBlock& least,
                   sddp::ByBlock& most) {
    switch_off(least, life, resolver);
    switch_off(most, life, resolver);
    if (is_declared_in_order) {
        check_order(resolver, ProblemKind::invalid_value, origin, what, least, most);
    }
}

}  // namespace lockstep::formats::cobre
