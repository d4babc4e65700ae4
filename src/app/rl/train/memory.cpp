#include "app/rl/train/memory.hpp"

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
                                int threads) {
    const std::int64_t planes = options.algorithm == rl::Algorithm::double_q ? 2 : 1;
    const std::int64_t copies = has_copies(options.mode) ? threads : 0;
    const std::int64_t mask = 8;
    const std::int64_t value = options.table_precision == rl::Precision::f32 ? 4 : 8;
    const auto tables = planes * (1 + copies) * (value + bytes_of_visits);
    return states * (mask + actions * (tables + bytes_of_a_result));
}

}  // namespace lockstep::app
