#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "lockstep/rl/rows.hpp"

#include "rl/solve/sweeps/workers.hpp"

namespace lockstep::rl {

constexpr int states_of_a_block = 4096;
constexpr int least_states_of_a_long_block = 65536;
constexpr int most_long_blocks = 16;

/// Of a sweep in place: whole blocks, and not many of them, since what is new in one is seen by the
/// next only a sweep later.
constexpr int states_of_a_long_block(std::int64_t states) {
    const std::int64_t share = (states + most_long_blocks - 1) / most_long_blocks;
    const std::int64_t blocks = (share + states_of_a_block - 1) / states_of_a_block;
    return static_cast<int>(
        std::max<std::int64_t>(least_states_of_a_long_block, blocks * states_of_a_block));
}

inline std::size_t blocks_of(const RowSource& source, int length = states_of_a_block) {
    return static_cast<std::size_t>((std::int64_t{source.states()} + length - 1) / length);
}

/// Calls body(begin, end, rows) for all states by blocks of `length` states, in parallel, and folds
/// what it returns in order: T fold(T, T). Collective where ranks divide the states.
template <typename T, typename F, typename G>
T over_blocks(const RowSource& source,
              const Workers& workers,
              T start,
              F&& body,
              G&& fold,
              int length = states_of_a_block) {
    return workers.fold(
        source.states(),
        length,
        std::move(start),
        [&](int begin, int end) {
            thread_local RowWriter writer;
            return body(begin, end, source.block(begin, end, writer));
        },
        fold);
}

}  // namespace lockstep::rl
