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

}  // namespace

bool is_xpcs_configuration(const std::filesystem::path& input, bool if_damaged) {
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
        return if_damaged;  // whoever reads it says what is wrong
    }
}

Wing xpcs_wing() {
    return {"xpcs",
            "X-ray photon correlation",
            [](const std::filesystem::path& input) { return is_xpcs_configuration(input, false); },
            xpcs_differences,
            xpcs_report};
}

}  // namespace lockstep::app
