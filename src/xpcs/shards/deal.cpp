#include "xpcs/shards/deal.hpp"

#include <numeric>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/runtime/random.hpp"

namespace lockstep::xpcs {
namespace {

/// Places of all pairs in a random order.
std::vector<std::int64_t> shuffled(std::int64_t pairs, std::uint64_t seed) {
    std::vector<std::int64_t> order(at(pairs));
    std::iota(order.begin(), order.end(), 0);
    const runtime::Random random(seed, "xpcs.shards");
    for (std::int64_t k = pairs - 1; k > 0; --k) {
        const auto other = static_cast<std::int64_t>(
            random.uniform01(static_cast<std::uint64_t>(k), 0, 0) * static_cast<double>(k + 1));
        std::swap(order[at(k)], order[at(other)]);
    }
    return order;
}

/// The shard of each pair, by its place among the packed rows.
std::vector<std::int32_t> owners(std::int64_t pairs, int shards, std::uint64_t seed) {
    const auto order = shuffled(pairs, seed);
    std::vector<std::int32_t> owner(at(pairs));
    for (std::int64_t k = 0; k < pairs; ++k) {
        owner[at(order[at(k)])] = static_cast<std::int32_t>(k % shards);
    }
    return owner;
}

/// Shards in random turns: each once in every round.
class Turns {
public:
    Turns(int shards, std::uint64_t seed)
        : random_(seed, "xpcs.shards.stratified"), round_(at(shards)) {}

    std::int32_t next() {
        const auto place = at(drawn_) % round_.size();
        if (place == 0) {
            std::iota(round_.begin(), round_.end(), 0);
        }
        const auto left = static_cast<double>(round_.size() - place);
        const auto other = static_cast<std::size_t>(
            random_.uniform01(static_cast<std::uint64_t>(drawn_++), 0, 0) * left);
        std::swap(round_[place], round_[place + other]);
        return round_[place];
    }

private:
    runtime::Random random_;
    std::vector<std::int32_t> round_;
    std::int64_t drawn_ = 0;
};

/// The same with turns along each lag, from the first frame on.
std::vector<std::int32_t> stratified_owners(int frames, int shards, std::uint64_t seed) {
    Turns turns(shards, seed);
    std::vector<std::int32_t> owner(at(pair_count(frames)));
    for (int lag = 1; lag < frames; ++lag) {
        for (int i = 0; i + lag < frames; ++i) {
            owner[at(pair_row(i, frames) + lag - 1)] = turns.next();
        }
    }
    return owner;
}

}  // namespace

PairDeal::PairDeal(int frames, int shards, bool is_stratified, std::uint64_t seed)
    : ends_(at(shards) + 1, 0) {
    const std::int64_t pairs = pair_count(frames);
    const auto owner =
        is_stratified ? stratified_owners(frames, shards, seed) : owners(pairs, shards, seed);
    for (const auto shard : owner) {
        ++ends_[at(shard) + 1];
    }
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    rows_.resize(at(pairs));
    columns_.resize(at(pairs));
    auto next = ends_;
    std::int64_t place = 0;
    for (int i = 0; i < frames; ++i) {
        for (int j = i + 1; j < frames; ++j, ++place) {
            const std::size_t slot = next[at(owner[at(place)])]++;
            rows_[slot] = i;
            columns_[slot] = j;
        }
    }
}

std::int64_t PairDeal::pairs(int shard) const {
    return static_cast<std::int64_t>(ends_[at(shard) + 1] - ends_[at(shard)]);
}

PairSelection PairDeal::select(int shard) const {
    const auto begin = static_cast<std::ptrdiff_t>(ends_[at(shard)]);
    const auto end = static_cast<std::ptrdiff_t>(ends_[at(shard) + 1]);
    PairSelection chosen;
    chosen.rows.assign(rows_.begin() + begin, rows_.begin() + end);
    chosen.columns.assign(columns_.begin() + begin, columns_.begin() + end);
    return chosen;
}

ShardDeal::ShardDeal(int frames, int angles, const ShardPlan& plan, std::uint64_t seed)
    : frames_(frames),
      angle_count_(angles),
      plan_(plan),
      seed_(seed),
      angles_(angles, plan.shards, plan.sharding) {
    for (int part = 0; part < angles_.parts(); ++part) {
        const int shards = angles_.shards_of_part(part);
        if (!deals_.contains(shards)) {
            deals_.emplace(shards,
                           PairDeal(frames, shards, plan.sharding == Sharding::stratified, seed));
        }
    }
}

bool ShardDeal::is_of(int frames,
                      int angles,
                      const ShardPlan& plan,
                      std::uint64_t seed) const noexcept {
    return frames == frames_ && angles == angle_count_ && plan.shards == plan_.shards &&
           plan.sharding == plan_.sharding && seed == seed_;
}

const PairDeal& ShardDeal::deal_of(int shard) const {
    return deals_.at(angles_.shards_of_part(angles_.part(shard)));
}

std::int64_t ShardDeal::pairs(int shard) const {
    return deal_of(shard).pairs(angles_.place_in_part(shard)) * angles_.angles_of_shard();
}

PairSelection ShardDeal::select(const Measurement& data, int shard) const {
    auto chosen = deal_of(shard).select(angles_.place_in_part(shard));
    chosen.c2.resize(at(angles_.angles_of_shard()));
    int angle = angles_.part(shard);
    for (auto& values : chosen.c2) {
        values.reserve(chosen.rows.size());
        for (std::size_t k = 0; k < chosen.rows.size(); ++k) {
            const std::int32_t i = chosen.rows[k];
            values.push_back(data.c2[data.row(angle, i) + at(chosen.columns[k] - i - 1)]);
        }
        ++angle;
    }
    return chosen;
}

}  // namespace lockstep::xpcs
