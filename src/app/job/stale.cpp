#include "app/job/stale.hpp"

#include <system_error>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::app {

void remove_stale(const std::filesystem::path& file) {
    std::error_code code;
    std::filesystem::remove(file, code);
    if (code) {
        throw IoError(
            fmt::format(
                "{} of an earlier run cannot be removed: {}", file.string(), code.message()),
            IoError::Direction::write);
    }
}

}  // namespace lockstep::app
