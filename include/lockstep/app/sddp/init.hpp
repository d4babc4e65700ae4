#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::app {

/// A case that comes inside the program.
struct CaseTemplate {
    std::string name;
    std::string description;  ///< one line
};

std::vector<CaseTemplate> case_templates();

struct InitRequest {
    std::filesystem::path directory;  ///< empty: the template's name in the working directory
    std::string case_template;        ///< empty: the first one
    bool force = false;               ///< overwrite files of a directory that is not empty
};

/// Writes a template as a new case.
/// @return the case directory
/// @throws UsageError  no such template; InputError  the directory is not empty and not forced;
/// IoError
std::filesystem::path init_case(const InitRequest& request);

}  // namespace lockstep::app
