#include "app/rl/train/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {
namespace {

constexpr std::int64_t bytes_of_a_cell = 12;  // a value and its visits
constexpr double gibibyte = 1024.0 * 1024 * 1024;

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
    return states * (mask + actions * bytes_of_a_cell * (planes * (1 + copies) + 1));
}

void require_memory(const std::string& name, std::int64_t bytes, std::int64_t machine) {
    if (machine > 0 && bytes > machine) {
        throw InputError(fmt::format(
            "learning {} takes {:.1f} GiB of memory and this machine has {:.1f} GiB: take fewer "
            "states, fewer --threads, or --mode serial, which holds no copies of the table",
            name,
            static_cast<double>(bytes) / gibibyte,
            static_cast<double>(machine) / gibibyte));
    }
}

std::int64_t memory_of_machine() {
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto bytes = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? std::int64_t{pages} * bytes : 0;
}

}  // namespace lockstep::app
