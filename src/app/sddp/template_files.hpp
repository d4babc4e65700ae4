#pragma once

#include <string_view>
#include <vector>

namespace lockstep::app {

/// A file of a template, embedded in the program.
struct TemplateFile {
    std::string_view case_template;
    std::string_view path;  ///< in the case directory
    std::string_view content;
};

/// Files of all templates; written by the build from cases/sddp and templates/.
const std::vector<TemplateFile>& template_files();

}  // namespace lockstep::app
