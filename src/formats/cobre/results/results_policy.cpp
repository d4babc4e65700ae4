#include "formats/cobre/results/results_policy.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/results.hpp"

#include "formats/cobre/policy/cut_table.hpp"
#include "formats/cobre/policy/manifest_file.hpp"
#include "formats/cobre/policy/pool_file.hpp"

namespace lockstep::formats::cobre {

std::vector<StateVariable> read_state(const std::filesystem::path& policy) {
    return out::read_state_after(policy, 0);
}

io::Table read_cut_table(const std::filesystem::path& file) {
    const auto pool = out::read_pool(file);
    std::vector<out::CutRow> rows;
    for (int cut = 0; cut < pool.cuts.size(); ++cut) {
        rows.push_back({&pool.cuts, pool.stage_id, at(cut)});
    }
    return out::cuts_table().table(rows);
}

}  // namespace lockstep::formats::cobre

namespace lockstep::formats::cobre::out {

std::vector<StateVariable> read_state_after(const std::filesystem::path& policy,
                                            std::size_t stage) {
    std::vector<StateVariable> state;
    for (const Slot& slot : read_pool(pool_path(policy, stage)).slots) {
        switch (slot.kind) {
            case SlotKind::storage:
                state.push_back({slot.entity_id, 0});
                break;
            case SlotKind::inflow_lag:
            case SlotKind::season_part:
                state.push_back({slot.entity_id, slot.subindex});
                break;
            default:
                state.push_back({slot.entity_id, -1});
        }
    }
    return state;
}

bool has_nodes(const std::filesystem::path& policy) {
    const auto manifest = read_manifest(policy);
    return manifest.nodes.size() != at(manifest.stages);
}

CutRows read_cut_rows(const std::filesystem::path& policy, std::size_t stage, std::size_t width) {
    const auto path = pool_path(policy, stage);
    const Pool pool = read_pool(path);
    if (pool.slots.size() != width) {
        throw InputError(fmt::format("{}: the state has {} variables, after the first stage {}",
                                     path.string(),
                                     pool.slots.size(),
                                     width));
    }
    CutRows rows;
    for (int cut = 0; cut < pool.cuts.size(); ++cut) {
        if (pool.cuts.active[at(cut)] != 0) {
            rows.intercept.push_back(pool.cuts.intercept[at(cut)]);
            rows.slopes.push_back(pool.cuts.slopes.row(cut));
        }
    }
    return rows;
}

}  // namespace lockstep::formats::cobre::out
