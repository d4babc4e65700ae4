#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "lockstep/xpcs/model/measurement.hpp"
#include "lockstep/xpcs/shard_work.hpp"

#include "xpcs/model/pair_selection.hpp"

namespace lockstep::xpcs {

/// Which pairs of frames are whose.
class PairDeal {
public:
    /// Deals all pairs in an order that the seed alone gives.
    PairDeal(int frames, int shards, bool is_stratified, std::uint64_t seed);

    /// Of frames, of one angle.
    [[nodiscard]] std::int64_t pairs(int shard) const;
    /// Pairs of a shard in the order of the packed rows, without data.
    [[nodiscard]] PairSelection select(int shard) const;

private:
    std::vector<std::size_t> ends_;   // [shards + 1] of the shards before, in what follows
    std::vector<std::int32_t> rows_;  // [pairs]
    std::vector<std::int32_t> columns_;
};

/// Which angles are whose: all angles are every shard's, or shards take turns with single ones.
class AngleDeal {
public:
    AngleDeal(int angles, int shards, Sharding sharding)
        : angles_(angles), shards_(shards), is_single_(sharding == Sharding::per_angle) {}

    [[nodiscard]] int parts() const noexcept { return is_single_ ? angles_ : 1; }
    /// Of a shard: which angle it is of, 0 where it is of all.
    [[nodiscard]] int part(int shard) const noexcept { return shard % parts(); }
    [[nodiscard]] int angles_of_shard() const noexcept { return is_single_ ? 1 : angles_; }
    /// That share the pairs of a part.
    [[nodiscard]] int shards_of_part(int part) const noexcept {
        return (shards_ - part + parts() - 1) / parts();
    }
    [[nodiscard]] int place_in_part(int shard) const noexcept { return shard / parts(); }

private:
    int angles_;
    int shards_;
    bool is_single_;
};

/// Which pairs of which angles are whose.
class ShardDeal {
public:
    ShardDeal(int frames, int angles, const ShardPlan& plan, std::uint64_t seed);

    /// Whether these are what it was made of.
    [[nodiscard]] bool is_of(int frames,
                             int angles,
                             const ShardPlan& plan,
                             std::uint64_t seed) const noexcept;

    /// Of frames, over its angles.
    [[nodiscard]] std::int64_t pairs(int shard) const;
    /// Its pairs with the data of its angles.
    [[nodiscard]] PairSelection select(const Measurement& data, int shard) const;

private:
    [[nodiscard]] const PairDeal& deal_of(int shard) const;

    int frames_;
    int angle_count_;
    ShardPlan plan_;
    std::uint64_t seed_;
    AngleDeal angles_;
    std::map<int, PairDeal> deals_;  // by the number of shards that share an angle
};

}  // namespace lockstep::xpcs
