#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/shard_work.hpp"

#include "xpcs/model/pair_selection.hpp"
#include "xpcs/shards/bytes.hpp"
#include "xpcs/shards/deal.hpp"
#include "xpcs/shards/part.hpp"

namespace lockstep::xpcs {

struct ShardWork::State {
    using Select = std::function<PairSelection(int shard)>;

    State(ShardSettings given, Select select);
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    [[nodiscard]] int shards() const { return static_cast<int>(settings.pairs.size()); }
    /// Task 0 of the streams of random numbers is the sampling of all data.
    [[nodiscard]] static std::uint32_t stream(int shard) {
        return static_cast<std::uint32_t>(shard + 1);
    }
    [[nodiscard]] TaskDraws by_importance(int shard, const runtime::TaskContext& context) const;
    [[nodiscard]] TaskDraws by_chain(TaskPlace place, const runtime::TaskContext& context) const;

    [[nodiscard]] int dimension() const { return parts_.front()->frame.dimension(); }
    [[nodiscard]] const ShardPart& part_of(int shard) const {
        return *parts_[at(angles_.part(shard))];
    }

    const ShardSettings settings;
    const Select select;

private:
    const AngleDeal angles_;
    std::vector<std::unique_ptr<const ShardPart>> parts_;
};

}  // namespace lockstep::xpcs
