#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/xpcs/model/measurement.hpp"

#include "xpcs/model/pair_selection.hpp"

namespace lockstep::xpcs {

/// Which pairs of frames are whose.
class PairDeal {
public:
    /// Deals all pairs in an order that the seed alone gives.
    PairDeal(int frames, int shards, std::uint64_t seed);

    [[nodiscard]] int shards() const noexcept { return static_cast<int>(ends_.size()) - 1; }
    /// Of frames, of one angle.
    [[nodiscard]] std::int64_t pairs(int shard) const;
    /// Pairs of a shard in the order of the packed rows, and the data there.
    [[nodiscard]] PairSelection select(const Measurement& data, int shard) const;

private:
    std::vector<std::size_t> ends_;   // [shards + 1] of the shards before, in what follows
    std::vector<std::int32_t> rows_;  // [pairs]
    std::vector<std::int32_t> columns_;
};

}  // namespace lockstep::xpcs
