#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::app {

/// What came of a conversion.
struct Conversion {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> warnings;  ///< as printed
};

/// Writes a case of Cobre 0.5 in the 0.18 format.
/// @param to  must not be there, or be empty
/// @throws InputError  with every reason why it cannot be; IoError
Conversion convert_case(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace lockstep::app
