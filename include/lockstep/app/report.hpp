#pragma once

#include <filesystem>
#include <string>

namespace lockstep::app {

/// Makes one self-contained HTML page of an output directory, from training, simulation or both.
/// @param page  file to write; empty: report.html in the directory
/// @return the file
/// @throws IoError  the directory holds no result, or the page cannot be written; InputError  a
/// file is damaged
std::filesystem::path make_report(const std::filesystem::path& output_directory,
                                  const std::filesystem::path& page = {});

}  // namespace lockstep::app
