#include <type_traits>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

#include "comm/reduction.hpp"

namespace lockstep::comm {

static_assert(std::has_unique_object_representations_v<CallStamp>, "stamps travel as bytes");

std::string to_string(const CallStamp& stamp) {
    const auto elements = fmt::format("{} {}-byte elements", stamp.length, stamp.width);
    switch (stamp.kind) {
        case CallStamp::Kind::allgatherv:
            return fmt::format("allgatherv of {} (layout {:016x}, collective {})",
                               elements,
                               stamp.detail,
                               stamp.sequence);
        case CallStamp::Kind::broadcast:
            return fmt::format("broadcast of {} from rank {} (collective {})",
                               elements,
                               stamp.detail,
                               stamp.sequence);
        case CallStamp::Kind::allreduce:
            return fmt::format("allreduce of {} ({}, collective {})",
                               elements,
                               reduction_name(stamp.detail),
                               stamp.sequence);
        case CallStamp::Kind::barrier:
            break;
    }
    if (stamp.detail != 0) {
        return fmt::format("the making of something shared (number {})", stamp.sequence);
    }
    return fmt::format("barrier (collective {})", stamp.sequence);
}

void check_stamps(std::span<const CallStamp> stamps) {
    for (std::size_t rank = 1; rank < stamps.size(); ++rank) {
        if (stamps[rank] != stamps[0]) {
            throw CommError(
                fmt::format("ranks make different calls: rank 0 is in {}, rank {} in {}",
                            to_string(stamps[0]),
                            rank,
                            to_string(stamps[rank])));
        }
    }
}

}  // namespace lockstep::comm
