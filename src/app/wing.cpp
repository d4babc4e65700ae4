#include "app/wing.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/app/engines.hpp"
#include "lockstep/base/error.hpp"

#include "app/sddp/wing.hpp"

namespace lockstep::app {

std::span<const Wing> wings() {
    static const Wing all[] = {sddp_wing()};
    return all;
}

const Wing& wing_of(const std::filesystem::path& output, std::span<const Wing> known) {
    const auto metadata = formats::read_output_metadata(output);
    if (!metadata) {
        throw IoError(fmt::format("{}: holds no finished results (there is no {})",
                                  output.string(),
                                  formats::OutputMetadata::file_name),
                      IoError::Direction::read);
    }
    const auto found = std::find_if(known.begin(), known.end(), [&](const Wing& wing) {
        return wing.engine == metadata->engine;
    });
    if (found == known.end()) {
        throw InputError(fmt::format("{}: results of an engine that this program does not have: {}",
                                     output.string(),
                                     metadata->engine));
    }
    return *found;
}

std::string engine_of_input(const std::filesystem::path& input) {
    for (const auto& wing : wings()) {
        if (wing.is_input(input)) {
            return std::string(wing.engine);
        }
    }
    return {};
}

std::string engine_of_output(const std::filesystem::path& output) {
    return std::string(wing_of(output, wings()).engine);
}

}  // namespace lockstep::app
