#include "formats/cobre/policy/policy_checks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "formats/cobre/write/output_files.hpp"

namespace lockstep::formats::cobre::out {

namespace {

std::string day(const std::optional<Date>& date) {
    return date ? to_iso(*date) : "an unknown day";
}

std::set<std::pair<int, int>> ends_of(const std::vector<Manifest::Arc>& arcs) {
    std::set<std::pair<int, int>> ends;
    for (const auto& arc : arcs) {
        ends.emplace(arc.source_id, arc.target_id);
    }
    return ends;
}

bool differ(const std::optional<Date>& left, const std::optional<Date>& right) {
    return left && right && *left != *right;
}

/// What a slot is of; commitments and water have an interval, lags a beginning.
std::string dates_of(const Slot& slot) {
    return slot.start ? fmt::format("{} to {}", day(slot.start), day(slot.end))
                      : day(slot.reference);
}

void check_dates(const Slot& found, const Slot& wanted, const std::string& file) {
    if (differ(found.reference, wanted.reference) || differ(found.start, wanted.start) ||
        differ(found.end, wanted.end)) {
        throw InputError(fmt::format("{}: {} is of {} in the policy, of {} in the case",
                                     file,
                                     to_string(wanted),
                                     dates_of(found),
                                     dates_of(wanted)));
    }
}

/// Of the seasons that the study has.
void check_orders(const Manifest& manifest,
                  const Manifest::Orders& own,
                  const sddp::Calendar& calendar,
                  const std::string& file) {
    const auto found =
        std::ranges::find(manifest.orders, own.hydro_id, &Manifest::Orders::hydro_id);
    if (found == manifest.orders.end()) {
        return;
    }
    for (std::size_t i = 0; i < std::min(found->orders.size(), own.orders.size()); ++i) {
        const int season = calendar.seasons[i].id;
        const bool is_there = std::ranges::find(calendar.stages, season, &sddp::Stage::season) !=
                              calendar.stages.end();
        if (is_there && found->orders[i] != own.orders[i]) {
            throw InputError(fmt::format(
                "{}: the inflow model of hydro {} has order {} in season {} of the policy, {} in "
                "the case",
                file,
                own.hydro_id,
                found->orders[i],
                season,
                own.orders[i]));
        }
    }
}

}  // namespace

void check_graph(const Manifest& manifest, const sddp::Problem& problem, const std::string& file) {
    const Manifest wanted = manifest_of(problem);
    if (manifest.stages != wanted.stages) {
        throw InputError(fmt::format(
            "{}: the policy has {} stages, the case has {}", file, manifest.stages, wanted.stages));
    }
    if (manifest.nodes.size() != wanted.nodes.size()) {
        throw InputError(fmt::format("{}: the policy has {} nodes, the case {}",
                                     file,
                                     manifest.nodes.size(),
                                     wanted.nodes.size()));
    }
    for (std::size_t n = 0; n < wanted.nodes.size(); ++n) {
        const auto& found = manifest.nodes[n];
        const auto& own = wanted.nodes[n];
        if (std::pair(found.id, found.stage_id) != std::pair(own.id, own.stage_id)) {
            throw InputError(fmt::format(
                "{}: node {} of the policy is {} at stage {}, of the case {} at stage {}",
                file,
                n,
                found.id,
                found.stage_id,
                own.id,
                own.stage_id));
        }
    }
    if (ends_of(manifest.arcs) != ends_of(wanted.arcs)) {
        throw InputError(
            fmt::format("{}: the transitions of the policy are not those of the case", file));
    }
}

void check_place(const Pool& pool,
                 const sddp::Problem& problem,
                 int node,
                 const std::string& file) {
    const auto& stage = problem.calendar.stages[at(problem.stage_of(node))];
    const bool is_other_node = !problem.is_leaf(node) && pool.node_id != problem.node_id(node);
    if (is_other_node || pool.stage_id != stage.id) {
        throw InputError(fmt::format("{}: the cuts are of node {}, stage {}, must be of {}, {}",
                                     file,
                                     pool.node_id,
                                     pool.stage_id,
                                     problem.node_id(node),
                                     stage.id));
    }
    if (differ(pool.date, stage.end)) {
        throw InputError(fmt::format("{}: stage {} of the policy ends on {}, of the case on {}",
                                     file,
                                     stage.id,
                                     day(pool.date),
                                     to_iso(stage.end)));
    }
}

std::vector<std::optional<std::size_t>> check_state(const Pool& pool,
                                                    const sddp::Problem& problem,
                                                    int stage,
                                                    const std::string& file) {
    std::map<decltype(Slot().identity()), std::size_t> found;
    for (std::size_t i = 0; i < pool.slots.size(); ++i) {
        found.emplace(pool.slots[i].identity(), i);
    }
    std::vector<std::optional<std::size_t>> places;
    for (const Slot& slot : slots_after(problem, stage)) {
        const auto place = found.find(slot.identity());
        if (place == found.end() && !is_in_cuts(slot, problem, stage)) {
            places.emplace_back();
            continue;
        }
        if (place == found.end()) {
            throw InputError(
                fmt::format("{}: {} is a state of the case that the policy does not price",
                            file,
                            to_string(slot)));
        }
        check_dates(pool.slots[place->second], slot, file);
        places.emplace_back(place->second);
        found.erase(place);
    }
    if (!found.empty()) {
        throw InputError(fmt::format("{}: the policy prices {}, which is no state of the case",
                                     file,
                                     to_string(pool.slots[found.begin()->second])));
    }
    return places;
}

void check_seasons(const Manifest& manifest,
                   const sddp::Problem& problem,
                   const std::string& file) {
    const Manifest own = manifest_of(problem);
    if (problem.process.inflow.lags == 0 || manifest.cycle == 255 || own.cycle == 255) {
        return;
    }
    if (std::pair(manifest.cycle, manifest.seasons) != std::pair(own.cycle, own.seasons)) {
        throw InputError(
            fmt::format("{}: the policy has {} seasons of another calendar, the case {}",
                        file,
                        manifest.seasons,
                        own.seasons));
    }
    for (const auto& orders : own.orders) {
        check_orders(manifest, orders, problem.calendar, file);
    }
}

}  // namespace lockstep::formats::cobre::out
