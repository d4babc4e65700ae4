#include "comm/mpi/library.hpp"

#include <filesystem>
#include <mutex>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/plugin.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> folders(const std::string& directory) {
    return directory.empty() ? plugin_folders() : std::vector<std::string>{directory};
}

std::string plugin_file(std::string_view flavour) {
    return fmt::format("lockstep_comm_{}.so", flavour);
}

fs::path plugin_path(const std::string& flavour, const std::string& directory) {
    const auto file = plugin_file(flavour);
    const auto seen = folders(directory);
    if (auto path = find_plugin(seen, file); !path.empty()) {
        return path;
    }
    throw NotBuiltError(fmt::format(
        "backend 'mpi' needs the plug-in {} and finds none in {}; install lib{}-dev and build "
        "again with -DLOCKSTEP_WITH_MPI=ON, set LOCKSTEP_MPI_PLUGIN_DIR, or set "
        "LOCKSTEP_COMM_BACKEND to another backend",
        file,
        fmt::join(seen, ", "),
        flavour));
}

// Global, since parts that Open MPI loads later look for its names in the process. Never closed:
// MPI cannot be started twice.
const MpiTable& open_plugin(const fs::path& path, const std::string& flavour) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        throw NotBuiltError(fmt::format("cannot load the MPI plug-in {}: {}; install {}",
                                        path.string(),
                                        dlerror(),
                                        flavour == "openmpi" ? "openmpi-bin" : flavour));
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a function, as dlsym gives it
    const auto table = reinterpret_cast<MpiTableFunction>(dlsym(library, mpi_table_function));
    if (table == nullptr || table()->abi != mpi_table_abi) {
        throw NotBuiltError(
            fmt::format("the MPI plug-in {} is of another build of lockstep; build both together",
                        path.string()));
    }
    return *table();
}

}  // namespace

std::vector<std::string> mpi_plugins(const std::string& directory) {
    std::vector<std::string> found;
    for (const auto* flavour : {"openmpi", "mpich"}) {
        if (!find_plugin(folders(directory), plugin_file(flavour)).empty()) {
            found.emplace_back(flavour);
        }
    }
    return found;
}

const MpiTable& load_mpi(const std::string& flavour, const std::string& directory) {
    static std::mutex mutex;
    static const MpiTable* loaded = nullptr;
    const std::lock_guard lock(mutex);
    if (loaded == nullptr) {
        loaded = &open_plugin(plugin_path(flavour, directory), flavour);
    }
    if (loaded->flavour != flavour) {
        throw UsageError(fmt::format(
            "this process uses the MPI flavour {}, so it cannot use {}", loaded->flavour, flavour));
    }
    return *loaded;
}

std::shared_ptr<MpiSession> MpiSession::open(const MpiTable& table) {
    static std::mutex mutex;
    static std::weak_ptr<MpiSession> present;
    const std::lock_guard lock(mutex);
    auto session = present.lock();
    if (!session) {
        session = std::make_shared<MpiSession>(table);
        present = session;
    }
    return session;
}

MpiSession::MpiSession(const MpiTable& table) : table_(table) {
    if (table.was_finished()) {
        throw CommError("MPI has ended in this process and cannot be started again");
    }
    bool level_is_enough = false;
    const int code = table.start(&is_ours_, &level_is_enough);
    if (code != 0) {
        throw CommError(fmt::format("MPI does not start: {}", describe(code)));
    }
    if (!level_is_enough) {
        throw CommError("MPI gives a process no threads; must be MPI_THREAD_FUNNELED or more");
    }
}

// After a loss the end of MPI may wait for the lost rank forever (seen with Open MPI 5.0.11).
MpiSession::~MpiSession() {
    if (is_ours_ && era_ == 0 && !table_.was_finished()) {
        table_.finish();
    }
}

std::string MpiSession::describe(int code) const {
    char text[mpi_text_bytes] = {};
    char library[mpi_text_bytes] = {};
    table_.describe_error(code, text);
    table_.library(library);
    return fmt::format("{} ({})", text, library);
}

}  // namespace lockstep::comm
