#include "xpcs/sampling/item_rounds.hpp"

#include <algorithm>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/runtime/work_partition.hpp"

namespace lockstep::xpcs {
namespace {

constexpr std::int64_t first_round = 64;
constexpr std::int64_t most_a_thread = 16;  // items that a thread takes at once

}  // namespace

ItemRounds::ItemRounds(runtime::Team& team,
                       Items items,
                       std::vector<double> known,
                       std::function<bool()> goes_on)
    : team_(team),
      items_(std::move(items)),
      goes_on_(std::move(goes_on)),
      values_(std::move(known)),
      pace_(first_round, items_.count) {}

double ItemRounds::predicted_seconds() const noexcept {
    return timed_ == 0
               ? 0
               : timed_seconds_ / static_cast<double>(timed_) * static_cast<double>(items_.count);
}

void ItemRounds::begin(std::int64_t) {
    size_ = std::min(pace_.size(), items_.count - done());
}

void ItemRounds::work() {
    pending_.assign(at(size_ * items_.width), 0.0);
    const auto mine = runtime::block_of(size_, team_.ranks.rank(), team_.ranks.size());
    comm::agree(team_.ranks, [&] {
        const Stopwatch watch;
        compute(mine.begin, mine.begin + mine.size());
        seconds_ = watch.seconds();
    });
    seconds_ = team_.ranks.allreduce(seconds_, comm::ReduceOp::max);
    const auto layout = comm::Layout::blocks(size_, items_.width, team_.ranks.size());
    const std::vector<double> sent(pending_.begin() + mine.begin * items_.width,
                                   pending_.begin() + (mine.begin + mine.size()) * items_.width);
    team_.ranks.allgatherv(std::span<const double>(sent), std::span<double>(pending_), layout);
}

// Items that are fewer than the threads are done sooner one after the other.
void ItemRounds::compute(std::int64_t begin, std::int64_t end) {
    const int threads = team_.threads.size();
    const std::int64_t left = (end - begin) % threads;
    const bool is_together = left < std::min(threads, items_.useful_threads);
    compute_apart(begin, is_together ? end - left : end);
    for (std::int64_t item = end - left; is_together && item < end; ++item) {
        items_.compute_together(done() + item, values_of(item));
    }
}

void ItemRounds::compute_apart(std::int64_t begin, std::int64_t end) {
    const std::int64_t threads = team_.threads.size();
    const auto piece = std::clamp<std::int64_t>((end - begin) / (8 * threads), 1, most_a_thread);
    team_.threads.parallel_for(
        (end - begin + piece - 1) / piece, [&](std::ptrdiff_t p, int thread) {
            const std::int64_t last = std::min(begin + (p + 1) * piece, end);
            for (std::int64_t item = begin + p * piece; item < last; ++item) {
                items_.compute(done() + item, thread, values_of(item));
            }
        });
}

/// Of an item by its place in the round.
std::span<double> ItemRounds::values_of(std::int64_t item) {
    return std::span(pending_).subspan(at(item * items_.width), at(items_.width));
}

void ItemRounds::commit() {
    values_.insert(values_.end(), pending_.begin(), pending_.end());
    pending_.clear();
    pace_.learn(size_, seconds_);
    timed_ += size_;
    timed_seconds_ += seconds_;
}

}  // namespace lockstep::xpcs
