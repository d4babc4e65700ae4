#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/runtime/task_farm.hpp"
#include "lockstep/xpcs/sample.hpp"

namespace lockstep::xpcs {

/// How pairs of frames are dealt into shards.
enum class Sharding : std::uint8_t {
    random,      ///< random pairs, the same ones at all angles
    stratified,  ///< the same, and of every lag and age each shard has its fair share
    per_angle,   ///< random pairs of one angle; shard s is of angle s modulo their number
};

/// Why shards of this kind say less together than all data do; empty: they do not. Shards of one
/// angle need several of these, parameters that each determines, and scales that it does not share.
std::string objection_to(Sharding sharding, const FitOptions& options, int angles);

struct ShardPlan {
    int shards = 1;
    Sharding sharding = Sharding::random;
    /// The priors of each have the power 1 / shards, so that together they count once. Otherwise
    /// they count once in every shard.
    bool is_tempered = true;
};

class ShardDeal;

/// Which pairs are whose, before there is a fit: for work that begins later.
/// @param seed  of the SampleOptions
/// @throws InputError  what ShardWork says of plans
std::shared_ptr<const ShardDeal> deal_shards(const Measurement& measurement,
                                             const FitOptions& options,
                                             const ShardPlan& plan,
                                             std::uint64_t seed);

/// What the tasks of a consensus are functions of: a measurement's pairs of frames dealt into
/// shards, and how each of these is sampled. Copies share it.
class ShardWork {
public:
    /// Deals the pairs, unless `dealt` is what came of that already; the measurement is referred to
    /// and has to outlive all copies.
    /// @throws InputError  options, more shards than pairs, what objection_to() tells, or fewer
    ///         shards of one angle than angles; ModelError  the fit has no covariance
    ShardWork(const Measurement& measurement,
              const FitOptions& options,
              const FitResult& fit,
              const SampleOptions& sampling,
              const ShardPlan& plan,
              std::shared_ptr<const ShardDeal> dealt = {});

    /// The bytes of one shard of another process's work, where they lie.
    using ShardBytes = std::function<std::span<const std::byte>(int shard)>;
    /// The same work in another process of the same build.
    /// @param settings  of settings()
    /// @param shards    asked for when a task needs one; has to be callable on several threads
    /// @throws InputError  damaged
    ShardWork(std::span<const std::byte> settings, ShardBytes shards);

    [[nodiscard]] int shards() const;
    /// That there can be at once.
    [[nodiscard]] std::int64_t most_tasks() const;
    /// Of frames, over all angles, in a shard.
    [[nodiscard]] std::int64_t pairs(int shard) const;

    /// Of a task, by its input.
    /// @throws InputError  damaged
    [[nodiscard]] int shard_of(std::span<const std::byte> input) const;
    /// Everything but the data.
    [[nodiscard]] std::vector<std::byte> settings() const;
    /// The data of a shard.
    [[nodiscard]] std::vector<std::byte> shard_bytes(int shard) const;

    /// Tasks by name: `by_importance` of a shard and `by_chain` of a shard and a chain. They end by
    /// TaskStopped when their farm wants that, asked at every point and every leapfrog.
    [[nodiscard]] runtime::TaskFunctions functions() const;
    static constexpr std::string_view by_importance = "xpcs.shard.importance";
    static constexpr std::string_view by_chain = "xpcs.shard.chain";

private:
    friend class ShardRun;  // which runs the tasks
    struct State;
    std::shared_ptr<const State> state_;
};

}  // namespace lockstep::xpcs
