#include "app/rl/configuration.hpp"

#include <system_error>

#include "lockstep/base/error.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::app {

bool is_configuration(const std::filesystem::path& input) {
    const auto extension = input.extension();
    if (extension == ".yaml" || extension == ".yml") {
        return true;
    }
    std::error_code ignored;
    if (extension != ".json" || !std::filesystem::is_regular_file(input, ignored)) {
        return false;
    }
    try {
        const auto json = io::read_json(input);
        return json.find("environment") != nullptr || json.find("env") != nullptr;
    } catch (const Error&) {
        return false;  // whoever reads it says what is wrong
    }
}

}  // namespace lockstep::app
