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

/// The shard of each pair.
std::vector<std::int32_t> owners(std::int64_t pairs, int shards, std::uint64_t seed) {
    const auto order = shuffled(pairs, seed);
    std::vector<std::int32_t> owner(at(pairs));
    for (std::int64_t k = 0; k < pairs; ++k) {
        owner[at(order[at(k)])] = static_cast<std::int32_t>(k % shards);
    }
    return owner;
}

}  // namespace

PairDeal::PairDeal(int frames, int shards, std::uint64_t seed) : ends_(at(shards) + 1, 0) {
    const std::int64_t pairs = pair_count(frames);
    const auto owner = owners(pairs, shards, seed);
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

PairSelection PairDeal::select(const Measurement& data, int shard) const {
    const auto begin = static_cast<std::ptrdiff_t>(ends_[at(shard)]);
    const auto end = static_cast<std::ptrdiff_t>(ends_[at(shard) + 1]);
    PairSelection chosen;
    chosen.rows.assign(rows_.begin() + begin, rows_.begin() + end);
    chosen.columns.assign(columns_.begin() + begin, columns_.begin() + end);
    chosen.c2.resize(data.phi.size());
    for (int angle = 0; angle < data.angles(); ++angle) {
        auto& values = chosen.c2[at(angle)];
        values.reserve(chosen.rows.size());
        for (std::size_t k = 0; k < chosen.rows.size(); ++k) {
            const std::int32_t i = chosen.rows[k];
            values.push_back(data.c2[data.row(angle, i) + at(chosen.columns[k] - i - 1)]);
        }
    }
    return chosen;
}

}  // namespace lockstep::xpcs
