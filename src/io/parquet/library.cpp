#include "io/parquet/library.hpp"

#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/plugin.hpp"
#include "lockstep/io/arrow.hpp"

namespace lockstep::io {

namespace {

namespace fs = std::filesystem;

constexpr const char* plugin_file = "lockstep_parquet.so";

fs::path& arrow_folder() {
    static fs::path folder;
    return folder;
}

// Libraries that are loaded already serve all that ask for them by name.
void load_arrow(const fs::path& folder) {
    for (const char* file : {LOCKSTEP_ARROW_LIBRARIES}) {
        const auto path = folder / file;
        if (fs::exists(path)) {
            dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        }
    }
}

fs::path plugin_path() {
    const auto folders = plugin_folders();
    auto path = find_plugin(folders, plugin_file);
    if (path.empty()) {
        throw NotBuiltError(fmt::format(
            "Parquet files need the plug-in {}, which is not in {}; build or install it with this "
            "program",
            plugin_file,
            fmt::join(folders, ", ")));
    }
    return path;
}

const ParquetLibrary& open_library() {
    if (!arrow_folder().empty()) {
        load_arrow(arrow_folder());
    }
    const auto path = plugin_path();
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw NotBuiltError(
            fmt::format("Parquet files need Arrow {0}, which does not load ({1}); install it with "
                        "pip install 'pyarrow=={0}.*'",
                        LOCKSTEP_ARROW_VERSION,
                        dlerror()));
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a function, as dlsym gives it
    const auto function =
        reinterpret_cast<ParquetLibraryFunction>(dlsym(library, parquet_library_function));
    if (function == nullptr || function()->build != parquet_build) {
        throw NotBuiltError(fmt::format(
            "the Parquet plug-in {} is of another build of lockstep; build both together",
            path.string()));
    }
    return *function();
}

}  // namespace

void set_arrow_folder(fs::path folder) {
    arrow_folder() = std::move(folder);
}

// Never closed: tables outlive their files.
const ParquetLibrary& parquet_library() {
    static const ParquetLibrary& library = open_library();
    return library;
}

}  // namespace lockstep::io
