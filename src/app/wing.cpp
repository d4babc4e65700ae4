#include "app/wing.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/engines.hpp"
#include "lockstep/base/error.hpp"

#include "app/rl/wing.hpp"
#include "app/sddp/wing.hpp"
#include "app/xpcs/wing.hpp"

namespace lockstep::app {

std::span<const Wing> wings() {
    static const Wing all[] = {sddp_wing(), xpcs_wing(), rl_wing()};
    return all;
}

OutputOnDisk open_output(const std::filesystem::path& directory) {
    auto metadata = formats::read_output_metadata(directory);
    if (!metadata) {
        throw IoError(fmt::format("{}: holds no finished results (there is no {})",
                                  directory.string(),
                                  formats::OutputMetadata::file_name),
                      IoError::Direction::read);
    }
    return {directory, *std::move(metadata)};
}

const Wing& wing_of(const OutputOnDisk& output, std::span<const Wing> known) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const Wing& wing) {
        return wing.engine == output.metadata.engine;
    });
    if (found == known.end()) {
        throw InputError(fmt::format("{}: results of an engine that this program does not have: {}",
                                     output.directory.string(),
                                     output.metadata.engine));
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
    return std::string(wing_of(open_output(output), wings()).engine);
}

}  // namespace lockstep::app
