#pragma once

#include <cstdint>
#include <string>

#include "lockstep/rl/learn/options.hpp"

namespace lockstep::app {

/// What a training holds at once on a node, about: the table, once or a rank, the copies that
/// threads play on, and the results. [bytes]
/// @param threads  of a rank
/// @param ranks  of the node
std::int64_t memory_of_training(std::int64_t states,
                                std::int64_t actions,
                                const rl::LearnOptions& options,
                                int threads,
                                int ranks = 1);

/// Of the modes of can_share_table(), and those with overlap: how the ranks hold their tables.
/// @param tables  that they hold together
std::string tables_text(std::int64_t tables, std::int64_t ranks, bool overlap);

}  // namespace lockstep::app
