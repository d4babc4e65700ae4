#include "sddp/cuts/activity.hpp"

#include <bit>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/gather_list.hpp"

namespace lockstep::sddp {

Activity::Activity(int stages, int threads) : threads_(threads), stages_(at(stages)) {}

void Activity::begin(int stage, int cuts) {
    auto& maps = stages_[at(stage)];
    maps.words = (at(cuts) + 63) / 64;
    maps.bits.assign(maps.words * at(threads_), 0);
}

std::span<std::uint64_t> Activity::of(int stage, int thread) noexcept {
    auto& maps = stages_[at(stage)];
    return {maps.bits.data() + at(thread) * maps.words, maps.words};
}

// Active cuts, numbered through all pools from `first` of each on: a trial point has a few, so
// lists stay as short as the work is, however many ranks share it, where bits would come from every
// rank.
std::vector<std::uint32_t> Activity::own_numbers(std::span<const std::uint32_t> first) const {
    std::vector<std::uint32_t> numbers;
    for (std::size_t t = 0; t < stages_.size(); ++t) {
        const auto& [words, bits] = stages_[t];
        for (std::size_t w = 0; w < words; ++w) {
            std::uint64_t word = 0;
            for (std::size_t i = w; i < bits.size(); i += words) {
                word |= bits[i];
            }
            for (; word != 0; word &= word - 1) {
                numbers.push_back(first[t] + static_cast<std::uint32_t>(64 * w) +
                                  static_cast<std::uint32_t>(std::countr_zero(word)));
            }
        }
    }
    return numbers;
}

void Activity::exchange(std::span<CutPool> pools, int iteration, comm::Communicator& ranks) {
    std::vector<std::uint32_t> first{0};
    for (const auto& pool : pools) {
        first.push_back(first.back() + static_cast<std::uint32_t>(pool.size()));
    }
    std::size_t t = 0;
    for (const auto number : comm::gather_list(ranks, own_numbers(first))) {
        if (number < first[t]) {
            t = 0;  // the next rank's begin
        }
        while (number >= first[t + 1]) {
            ++t;
        }
        pools[t].mark_active(static_cast<int>(number - first[t]), iteration);
    }
}

}  // namespace lockstep::sddp
