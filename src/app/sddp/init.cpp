#include "lockstep/app/sddp/init.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "app/sddp/template_files.hpp"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

std::vector<CaseTemplate> known_templates() {
    return {{"1dtoy", "One hydro, two thermals, four monthly stages with ten openings each"}};
}

std::string chosen_template(const std::string& wanted) {
    std::vector<std::string> names;
    for (const auto& entry : case_templates()) {
        names.push_back(entry.name);
    }
    if (names.empty()) {
        throw NotBuiltError(
            "this build holds no case templates: cases/sddp was missing when it was configured");
    }
    if (wanted.empty()) {
        return names.front();
    }
    if (std::find(names.begin(), names.end(), wanted) == names.end()) {
        throw UsageError(
            fmt::format("there is no template '{}'; there is {}", wanted, fmt::join(names, ", ")));
    }
    return wanted;
}

void check_free(const fs::path& directory) {
    std::error_code code;
    if (fs::exists(directory, code) && !fs::is_directory(directory, code)) {
        throw InputError(fmt::format("{} is a file, not a directory", directory.string()));
    }
    if (fs::exists(directory, code) && !fs::is_empty(directory, code)) {
        throw InputError(fmt::format("{} is not empty; --force overwrites files of the same name",
                                     directory.string()));
    }
}

}  // namespace

std::vector<CaseTemplate> case_templates() {
    auto templates = known_templates();
    std::erase_if(templates, [](const CaseTemplate& entry) {
        return std::none_of(
            template_files().begin(), template_files().end(), [&](const TemplateFile& file) {
                return file.case_template == entry.name;
            });
    });
    return templates;
}

std::filesystem::path init_case(const InitRequest& request) {
    const auto name = chosen_template(request.case_template);
    const auto directory = request.directory.empty() ? fs::path(name) : request.directory;
    if (!request.force) {
        check_free(directory);
    }
    for (const auto& file : template_files()) {
        if (file.case_template == name) {
            io::write_file(directory / file.path, file.content);
        }
    }
    return directory;
}

}  // namespace lockstep::app
