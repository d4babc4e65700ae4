#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"

#include "formats/cobre/policy/slots.hpp"

namespace lockstep::formats::cobre {

namespace {

using out::SlotKind;

StateSlot described(const out::Slot& slot) {
    switch (slot.kind) {
        case SlotKind::storage:
            return {"storage", "hydro", slot.entity_id, slot.subindex, "hm3"};
        case SlotKind::transit:
        case SlotKind::block_transit:
            return {"transit", "hydro", slot.entity_id, slot.subindex, "hm3"};
        case SlotKind::commitment:
            return {"commitment", "thermal", slot.entity_id, slot.subindex, "MW"};
        case SlotKind::energy:
            return {"energy", "battery", slot.entity_id, slot.subindex, "MWh"};
        default:
            return {"inflow_lag", "hydro", slot.entity_id, slot.subindex, "m3/s"};
    }
}

bool has_subindex(const StateSlot& slot) {
    return slot.kind != "storage" && slot.kind != "energy";
}

std::string column_name(const StateSlot& slot) {
    return has_subindex(slot) ? fmt::format("{}_{}_{}", slot.kind, slot.entity_id, slot.subindex)
                              : fmt::format("{}_{}", slot.kind, slot.entity_id);
}

}  // namespace

std::vector<StateSlot> state_slots(const sddp::Problem& problem) {
    std::vector<StateSlot> slots;
    for (const auto& slot : out::slots_after(problem, 0)) {
        slots.push_back(described(slot));
    }
    return slots;
}

io::Table cut_matrix(const sddp::Problem& problem, const sddp::Policy& policy) {
    std::vector<std::int32_t> stage;
    std::vector<std::int32_t> node;
    std::vector<std::int32_t> number;
    std::vector<std::int32_t> iteration;
    std::vector<std::int32_t> trajectory;
    std::vector<std::uint8_t> active;
    std::vector<double> intercept;
    std::vector<std::vector<double>> slopes(at(problem.state_size()));
    for (std::size_t n = 0; n < policy.stages.size(); ++n) {
        const auto& cuts = policy.stages[n];
        const int stage_of = problem.stage_of(static_cast<int>(n));
        for (int cut = 0; cut < cuts.size(); ++cut) {
            stage.push_back(problem.calendar.stages[at(stage_of)].id);
            node.push_back(problem.node_id(static_cast<int>(n)));
            number.push_back(cut);
            iteration.push_back(cuts.iteration[at(cut)]);
            trajectory.push_back(cuts.trajectory[at(cut)]);
            active.push_back(cuts.active[at(cut)]);
            intercept.push_back(cuts.intercept[at(cut)]);
            const auto row = cuts.slopes.row(cut);
            for (std::size_t i = 0; i < row.size(); ++i) {
                slopes[i].push_back(row[i]);
            }
        }
    }
    io::Table table;
    const auto add = [&](std::string name, io::Column::Values values) {
        table.columns.push_back({std::move(name), std::move(values), false, {}});
    };
    add("stage_id", std::move(stage));
    add("node_id", std::move(node));
    add("cut", std::move(number));
    add("iteration", std::move(iteration));
    add("trajectory", std::move(trajectory));
    add("active", std::move(active));
    add("intercept", std::move(intercept));
    const auto slots = state_slots(problem);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        add(column_name(slots[i]), std::move(slopes[i]));
    }
    return table;
}

}  // namespace lockstep::formats::cobre
