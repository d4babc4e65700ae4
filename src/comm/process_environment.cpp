#include "lockstep/comm/process_environment.hpp"

#include <cstdlib>

namespace lockstep::comm {

Environment process_environment() {
    return [](std::string_view name) -> std::optional<std::string> {
        const char* value = std::getenv(std::string(name).c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

}  // namespace lockstep::comm
