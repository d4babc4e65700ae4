#include "formats/cobre/policy/states_file.hpp"

#include <algorithm>
#include <cmath>

#include "formats/cobre/policy/buffer.hpp"
#include "formats/cobre/policy/slot_table.hpp"

namespace lockstep::formats::cobre::out {

std::filesystem::path states_path(const std::filesystem::path& directory, std::size_t pool) {
    return directory / "states" / fmt::format("{:03d}.bin", pool);
}

void write_states(const std::filesystem::path& path,
                  const VisitedStates& about,
                  const sddp::StageStates& states) {
    const auto order = cobre_order(about.slots);
    std::vector<double> data;
    for (int state = 0; state < states.states.size(); ++state) {
        const auto row = states.states.row(state);
        std::ranges::transform(
            order, std::back_inserter(data), [&](auto place) { return row[place]; });
    }
    flatbuffers::FlatBufferBuilder out;
    out.ForceDefaults(true);
    const auto numbers = out.CreateVector(data);
    const auto slots = add_slots(out, about.slots, order);
    write_buffer(path,
                 out,
                 flat::CreateStageStates(out,
                                         static_cast<std::uint32_t>(about.pool),
                                         static_cast<std::uint32_t>(about.slots.size()),
                                         static_cast<std::uint32_t>(states.states.size()),
                                         numbers,
                                         slots,
                                         about.node_id));
}

VisitedStates read_states(const std::filesystem::path& path) {
    const Buffer<flat::StageStates> root(path);
    VisitedStates out;
    out.pool = count_of(root->stage_id(), "the number of the pool", root.file());
    out.node_id = root->node_id();
    out.slots = slots_of(root->entity_manifest(), root->state_dimension(), root.file());
    const std::size_t width = out.slots.size();
    if (size_of(root->data()) != root->count() * width) {
        throw InputError(fmt::format("{}: {} numbers, must be {} states of {}",
                                     root.file(),
                                     size_of(root->data()),
                                     root->count(),
                                     width));
    }
    for (std::size_t state = 0; state < root->count(); ++state) {
        auto& row = out.states.emplace_back();
        for (std::size_t i = 0; i < width; ++i) {
            row.push_back(
                root->data()->Get(static_cast<flatbuffers::uoffset_t>(state * width + i)));
        }
    }
    return out;
}

}  // namespace lockstep::formats::cobre::out
