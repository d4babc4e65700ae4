#include "app/rl/train/memory.hpp"

#include <fmt/format.h>

#include "lockstep/rl/learn.hpp"

namespace lockstep::app {
namespace {

constexpr std::int64_t bytes_of_visits = 4;
constexpr std::int64_t bytes_of_a_result = 12;  // a double and visits, of a pair

bool has_copies(rl::Mode mode) {
    return mode == rl::Mode::threads || mode == rl::Mode::allreduce || mode == rl::Mode::server;
}

}  // namespace

std::int64_t memory_of_training(std::int64_t states,
                                std::int64_t actions,
                                const rl::LearnOptions& options,
                                int threads,
                                int ranks) {
    const std::int64_t planes = options.algorithm == rl::Algorithm::double_q ? 2 : 1;
    const std::int64_t copies = has_copies(options.mode) ? threads : 0;
    const std::int64_t mask = 8;
    const std::int64_t value = options.table_precision == rl::Precision::f32 ? 4 : 8;
    const auto table = states * actions * planes * (value + bytes_of_visits);
    const auto of_a_rank = copies * table + states * (mask + actions * bytes_of_a_result);
    return (rl::can_share_table(options) ? 1 : ranks) * table + ranks * of_a_rank;
}

std::string tables_text(std::int64_t tables, std::int64_t ranks, bool overlap) {
    if (tables == ranks) {
        return std::string("a table a rank: ") + (overlap
                                                      ? "with overlap ranks are in different rounds"
                                                      : "no two of them share memory");
    }
    if (tables == 1) {
        return fmt::format("one table for the {} ranks of this node", ranks);
    }
    return fmt::format("{} tables for {} ranks: those of a node hold one together", tables, ranks);
}

}  // namespace lockstep::app
