#pragma once

#include <string>
#include <vector>

#include <policy_generated.h>

#include "formats/cobre/policy/slots.hpp"

namespace lockstep::formats::cobre::out {

using SlotTables =
    flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<::Cobre::IO::Policy::EntitySlot>>>;

/// @param order  places of the slots
SlotTables add_slots(flatbuffers::FlatBufferBuilder& out,
                     const std::vector<Slot>& slots,
                     const std::vector<std::size_t>& order);

/// @param dimension  how many there may be
/// @throws InputError  more, or one is there twice
std::vector<Slot> slots_of(
    const flatbuffers::Vector<flatbuffers::Offset<::Cobre::IO::Policy::EntitySlot>>* tables,
    std::size_t dimension,
    const std::string& file);

int number_or_none(const std::optional<Date>& date);

/// A number of things.
/// @throws InputError  more than there can be
int count_of(std::uint64_t value, std::string_view what, const std::string& file);

}  // namespace lockstep::formats::cobre::out
