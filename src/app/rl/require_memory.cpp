#include "app/rl/require_memory.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {

std::string memory_text(std::int64_t bytes) {
    constexpr double gibibyte = 1024.0 * 1024 * 1024;
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / gibibyte);
}

void require_memory(std::string_view task,
                    std::int64_t bytes,
                    std::int64_t there,
                    std::string_view remedy) {
    if (there > 0 && bytes > there) {
        throw InputError(fmt::format("{} takes {} of memory and this machine has {}: take {}",
                                     task,
                                     memory_text(bytes),
                                     memory_text(there),
                                     remedy));
    }
}

}  // namespace lockstep::app
