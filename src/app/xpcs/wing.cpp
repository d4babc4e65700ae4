#include "app/xpcs/wing.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include "lockstep/base/error.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/yaml.hpp"

namespace lockstep::app {
namespace {

constexpr std::array own_keys{"analyzer_parameters", "experimental_data", "analysis_mode"};

/// A configuration of homodyne.
bool is_input(const std::filesystem::path& input) {
    const auto extension = input.extension();
    const bool is_yaml = extension == ".yaml" || extension == ".yml";
    std::error_code ignored;
    if ((!is_yaml && extension != ".json") || !std::filesystem::is_regular_file(input, ignored)) {
        return false;
    }
    try {
        const auto json = is_yaml ? io::read_yaml(input) : io::read_json(input);
        return std::ranges::any_of(own_keys,
                                   [&](const char* key) { return json.find(key) != nullptr; });
    } catch (const Error&) {
        return false;  // whoever reads it says what is wrong
    }
}

}  // namespace

Wing xpcs_wing() {
    return {"xpcs", "X-ray photon correlation", is_input, xpcs_differences, xpcs_report};
}

}  // namespace lockstep::app
