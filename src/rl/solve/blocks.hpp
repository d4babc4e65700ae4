#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lockstep/rl/rows.hpp"
#include "lockstep/runtime/thread_team.hpp"

namespace lockstep::rl {

constexpr int states_of_a_block = 4096;
constexpr int states_of_a_long_block = 65536;  // of sweeps in place

inline std::size_t blocks_of(const RowSource& source, int length = states_of_a_block) {
    return static_cast<std::size_t>((std::int64_t{source.states()} + length - 1) / length);
}

/// Calls body(begin, end, rows) for all states by blocks of `length` states, in parallel, and folds
/// what it returns in order: T fold(T, T).
template <typename T, typename F, typename G>
T over_blocks(const RowSource& source,
              runtime::ThreadTeam& team,
              T start,
              F&& body,
              G&& fold,
              int length = states_of_a_block) {
    return team.ordered_reduce(
        static_cast<std::ptrdiff_t>(blocks_of(source, length)),
        std::move(start),
        [&](std::ptrdiff_t block, int) {
            const auto begin = static_cast<int>(block * length);
            const auto end =
                static_cast<int>(std::min<std::ptrdiff_t>(source.states(), (block + 1) * length));
            thread_local RowWriter writer;
            return body(begin, end, source.block(begin, end, writer));
        },
        fold);
}

}  // namespace lockstep::rl
