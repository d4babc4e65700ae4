#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

/// The lists of all ranks one after the other, by rank, whatever their lengths; all ranks get the
/// same list. Collective: two allgathers, of the lengths and of the elements.
/// @param mine  T is trivially copyable; may be empty
/// @throws as Communicator::allgatherv
template <typename T>
std::vector<T> gather_list(Communicator& ranks, const std::vector<T>& mine) {
    const auto own_count = static_cast<std::int64_t>(mine.size());
    std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks.size()));
    ranks.allgatherv(std::span<const std::int64_t>(&own_count, 1),
                     std::span<std::int64_t>(counts),
                     Layout::blocks(ranks.size(), 1, ranks.size()));
    const Layout layout(counts);
    std::vector<T> all(static_cast<std::size_t>(layout.extent()));
    ranks.allgatherv(std::span<const T>(mine), std::span<T>(all), layout);
    return all;
}

}  // namespace lockstep::comm
