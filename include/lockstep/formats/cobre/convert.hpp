#pragma once

#include <filesystem>
#include <vector>

#include "lockstep/base/problems.hpp"
#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/sddp/process.hpp"

namespace lockstep::formats::cobre {

/// Writes a case of Cobre 0.5 in the 0.18 format (JSON and Parquet with zstd), as reading it
/// translates it. The folder is there whole or not at all. What the translation cannot say is an
/// error in `problems`, and nothing is written.
/// @param to  must not be there, or be empty
/// @return  the files
/// @throws InputError  `from` is in the 0.18 format already, or `to` is not empty; IoError
std::vector<std::filesystem::path> convert_case(const std::filesystem::path& from,
                                                const std::filesystem::path& to,
                                                Problems& problems);

/// Warns where the ratios of a case of 0.5 are not those that the engine derives.
void check_declared_ratios(const CaseFacts& facts,
                           const Study& study,
                           const sddp::Process& process,
                           Problems& problems);

}  // namespace lockstep::formats::cobre
