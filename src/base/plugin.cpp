#include "lockstep/base/plugin.hpp"

#include <algorithm>
#include <system_error>

#include <dlfcn.h>

namespace lockstep {

namespace fs = std::filesystem;

namespace {

void add(std::vector<std::string>& folders, const fs::path& folder) {
    if (!folder.empty() && std::ranges::find(folders, folder.string()) == folders.end()) {
        folders.push_back(folder.string());
    }
}

// The shared object that has this function in it; the program as it was called, else.
fs::path own_object() {
    Dl_info found{};
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an address, as dladdr takes it
    const bool is_known = dladdr(reinterpret_cast<const void*>(&own_object), &found) != 0;
    return is_known && found.dli_fname != nullptr ? fs::path(found.dli_fname) : fs::path();
}

}  // namespace

std::vector<std::string> plugin_folders() {
    std::vector<std::string> folders;
    std::error_code error;
    const auto program = fs::read_symlink("/proc/self/exe", error).parent_path();
    if (const auto object = own_object(); object.is_absolute()) {
        add(folders, object.parent_path());
    }
    add(folders, program);
    if (!program.empty()) {
        add(folders, (program / LOCKSTEP_PLUGINS_FROM_PROGRAM).lexically_normal());
    }
    add(folders, LOCKSTEP_PLUGINS);
    add(folders, LOCKSTEP_PLUGINS_OF_BUILD);
    return folders;
}

fs::path find_plugin(const std::vector<std::string>& folders, const std::string& file) {
    std::error_code error;
    const auto found = std::ranges::find_if(
        folders, [&](const auto& folder) { return fs::exists(fs::path(folder) / file, error); });
    return found == folders.end() ? fs::path() : fs::path(*found) / file;
}

}  // namespace lockstep
