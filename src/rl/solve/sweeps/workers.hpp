#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/rl/solve.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::rl {

/// Who works on states: the threads of this rank alone, or ranks, each on states of its own. Every
/// rank has the same vectors over all states once they are shared.
class Workers {
public:
    /// This rank works on all states.
    Workers(runtime::ThreadTeam& threads)  // NOLINT(google-explicit-constructor): as a ThreadTeam
        : threads_(&threads) {}
    /// Both must outlive this.
    Workers(runtime::ThreadTeam& threads, comm::Communicator& ranks, int states);

    [[nodiscard]] runtime::ThreadTeam& threads() const noexcept { return *threads_; }
    [[nodiscard]] bool is_divided() const noexcept { return ranks_ != nullptr; }
    /// Of this rank.
    [[nodiscard]] StateRange own(int states) const noexcept {
        return is_divided() ? own_ : StateRange{0, states};
    }

    /// The parts of all ranks, where each has written its own: `width` elements a state.
    /// Collective.
    template <comm::Wire T>
    void share(std::span<T> all, int width = 1) const {
        if (is_divided()) {
            const comm::Layout layout = layout_of(states_, width, 1);
            const auto begin = static_cast<std::size_t>(layout.offset(ranks_->rank()));
            const auto count = static_cast<std::size_t>(layout.count(ranks_->rank()));
            const std::vector<T> part(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                      all.begin() + static_cast<std::ptrdiff_t>(begin + count));
            ranks_->allgatherv(std::span<const T>(part), all, layout);
        }
    }

    /// fold(fold(start, body(0, length)), body(length, 2 length)) … over the states, bodies in
    /// parallel. `length` divides the states of a rank, but for the last. Collective.
    template <typename T, typename F, typename G>
    T fold(int states, int length, T start, F&& body, G&& fold) const {
        const StateRange own = this->own(states);
        const std::ptrdiff_t last = (std::ptrdiff_t{own.end} + length - 1) / length;
        const std::ptrdiff_t first = own.begin < own.end ? own.begin / length : last;
        if (!is_divided()) {
            return threads_->ordered_reduce(
                last,
                std::move(start),
                [&](std::ptrdiff_t block, int) { return run(block, length, own, body); },
                fold);
        }
        std::vector<Slot<T>> mine(at(last - first));
        threads_->parallel_for(last - first, [&](std::ptrdiff_t i, int) {
            mine[at(i)].value = run(first + i, length, own, body);
        });
        for (const Slot<T>& slot : gathered(mine, states, length)) {
            start = fold(std::move(start), slot.value);
        }
        return start;
    }

private:
    template <typename T>
    struct Slot {
        T value;
    };

    template <typename F>
    static auto run(std::ptrdiff_t block, int length, const StateRange& own, F&& body) {
        return body(static_cast<int>(block * length),
                    static_cast<int>(std::min<std::ptrdiff_t>(own.end, (block + 1) * length)));
    }

    template <typename S>
    std::vector<S> gathered(const std::vector<S>& mine, int states, int length) const {
        const comm::Layout layout = layout_of(states, 1, length);
        std::vector<S> all(static_cast<std::size_t>(layout.total()));
        ranks_->allgatherv(std::span<const S>(mine), std::span<S>(all), layout);
        return all;
    }

    /// Parts by rank of an array with `width` elements for every `length` states.
    [[nodiscard]] comm::Layout layout_of(int states, int width, int length) const;

    runtime::ThreadTeam* threads_;
    comm::Communicator* ranks_ = nullptr;
    int states_ = 0;
    StateRange own_;
};

}  // namespace lockstep::rl
