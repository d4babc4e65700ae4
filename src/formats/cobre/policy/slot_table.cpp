#include "formats/cobre/policy/slot_table.hpp"

#include <limits>
#include <set>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::formats::cobre::out {

namespace flat = ::Cobre::IO::Policy;

SlotTables add_slots(flatbuffers::FlatBufferBuilder& out,
                     const std::vector<Slot>& slots,
                     const std::vector<std::size_t>& order) {
    std::vector<flatbuffers::Offset<flat::EntitySlot>> entries;
    for (const auto place : order) {
        const Slot& slot = slots[place];
        entries.push_back(flat::CreateEntitySlot(out,
                                                 static_cast<std::uint8_t>(slot.kind),
                                                 slot.entity_id,
                                                 static_cast<std::uint32_t>(slot.subindex),
                                                 true,
                                                 number_or_none(slot.reference),
                                                 number_or_none(slot.start),
                                                 number_or_none(slot.end)));
    }
    return out.CreateVector(entries);
}

std::vector<Slot> slots_of(const flatbuffers::Vector<flatbuffers::Offset<flat::EntitySlot>>* tables,
                           std::size_t dimension,
                           const std::string& file) {
    std::vector<Slot> out;
    std::set<decltype(Slot().identity())> seen;
    const std::size_t count = tables == nullptr ? 0 : tables->size();
    for (std::size_t i = 0; i < count; ++i) {
        const auto& entry = *tables->Get(static_cast<flatbuffers::uoffset_t>(i));
        out.push_back({static_cast<SlotKind>(entry.entity_type()),
                       entry.entity_id(),
                       count_of(entry.subindex(), "the index of a state", file),
                       to_date(entry.reference_date()),
                       to_date(entry.interval_start()),
                       to_date(entry.interval_end())});
        if (!seen.insert(out.back().identity()).second) {
            throw InputError(fmt::format("{}: {} is there twice", file, to_string(out.back())));
        }
    }
    if (out.size() > dimension) {
        throw InputError(fmt::format(
            "{}: {} state variables are described, the state has {}", file, out.size(), dimension));
    }
    return out;
}

int number_or_none(const std::optional<Date>& date) {
    return date ? to_number(*date) : std::numeric_limits<std::int32_t>::min();
}

int count_of(std::uint64_t value, std::string_view what, const std::string& file) {
    constexpr auto most = std::numeric_limits<int>::max();
    if (value > static_cast<std::uint64_t>(most)) {
        throw InputError(fmt::format("{}: {} is {}, must be in [0, {}]", file, what, value, most));
    }
    return static_cast<int>(value);
}

}  // namespace lockstep::formats::cobre::out
