#pragma once

#include <functional>

#include "lockstep/xpcs/cmc/linear_coordinates.hpp"
#include "lockstep/xpcs/shard_work.hpp"

#include "xpcs/model/pair_selection.hpp"
#include "xpcs/posterior_frame.hpp"
#include "xpcs/shards/bytes.hpp"

namespace lockstep::xpcs {

struct ShardWork::State {
    using Select = std::function<PairSelection(int shard)>;

    State(ShardSettings given, Select select);
    // Everything below refers to the settings.
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    [[nodiscard]] int shards() const { return static_cast<int>(settings.pairs.size()); }
    /// Task 0 of the streams of random numbers is the sampling of all data.
    [[nodiscard]] static std::uint32_t stream(int shard) {
        return static_cast<std::uint32_t>(shard + 1);
    }
    [[nodiscard]] TaskDraws by_importance(int shard, const runtime::TaskContext& context) const;
    [[nodiscard]] TaskDraws by_chain(TaskPlace place, const runtime::TaskContext& context) const;

    const ShardSettings settings;
    const Select select;
    const PosteriorFrame frame;
    const cmc::LinearCoordinates coordinates;
    const std::vector<double> covariance;  ///< of these coordinates
};

}  // namespace lockstep::xpcs
