#include "lockstep/runtime/work_partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lockstep/base/index.hpp"

namespace lockstep::runtime {

namespace {

constexpr double smoothing = 0.3;
constexpr double gain_that_pays = 1.05;

double time_of_slowest(std::span<const std::int64_t> counts, std::span<const double> speed) {
    double slowest = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        slowest = std::max(slowest, static_cast<double>(counts[rank]) / speed[rank]);
    }
    return slowest;
}

}  // namespace

std::vector<std::int64_t> largest_remainders(std::int64_t items, std::span<const double> weights) {
    const auto count = static_cast<std::int64_t>(weights.size());
    const std::int64_t floor = items >= count ? 1 : 0;
    const auto rest = static_cast<double>(items - floor * count);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::int64_t> shares(weights.size(), floor);
    std::vector<double> remainder(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double exact = std::max(0.0, rest) * weights[i] / total;
        shares[i] += static_cast<std::int64_t>(std::floor(exact));
        remainder[i] = exact - std::floor(exact);
    }
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return remainder[a] > remainder[b];
    });
    auto left = items - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
    for (std::size_t i = 0; left > 0; i = (i + 1) % order.size(), --left) {
        ++shares[order[i]];
    }
    return shares;
}

WorkPartition::WorkPartition(int items, int ranks) : counts_(at(ranks)), speed_(at(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) {
        counts_[at(rank)] = block_of(items, rank, ranks).size();
    }
}

BlockRange WorkPartition::of(int rank) const {
    const auto begin = std::accumulate(counts_.begin(), counts_.begin() + rank, std::int64_t{0});
    return {begin, begin + counts_[at(rank)]};
}

comm::Layout WorkPartition::layout(std::int64_t width) const {
    std::vector<std::int64_t> counts;
    for (const auto count : counts_) {
        counts.push_back(count * width);
    }
    return comm::Layout(counts);
}

bool WorkPartition::learn(std::span<const double> seconds) {
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
        if (counts_[rank] == 0 || !(seconds[rank] > 0)) {
            continue;
        }
        const double speed = static_cast<double>(counts_[rank]) / seconds[rank];
        speed_[rank] =
            speed_[rank] == 0 ? speed : (1 - smoothing) * speed_[rank] + smoothing * speed;
    }
    if (std::any_of(speed_.begin(), speed_.end(), [](double speed) { return speed == 0; })) {
        return false;  // fewer items than ranks: nothing to move
    }
    const auto items = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
    auto better = largest_remainders(items, speed_);
    if (time_of_slowest(counts_, speed_) < gain_that_pays * time_of_slowest(better, speed_)) {
        return false;
    }
    counts_ = std::move(better);
    return true;
}

}  // namespace lockstep::runtime
