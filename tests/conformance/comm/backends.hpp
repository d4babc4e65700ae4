#pragma once

#include <cstdlib>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

#include "conformance/comm/world_listener.hpp"

namespace lockstep::comm {

/// A way to run a body on some ranks. The conformance tests run on each; a new backend adds its
/// lines here.
struct Backend {
    std::string name;
    int ranks;  // of the communicator that a body sees
    /// Runs the body on every rank and rethrows what a rank threw.
    std::function<void(const std::function<void(Communicator&)>&)> run;
    bool can_break = true;  // a rank may leave or fail, and the next run is whole again
};

inline void PrintTo(const Backend& backend, std::ostream* out) {
    *out << backend.name;
}

/// The ranks that a launcher started, this process one of them: the binary itself is launched, by
/// 'lockstep launch', mpirun or srun, with LOCKSTEP_TEST_WORLD set.
inline Communicator& world() {
    static const auto communicator = connect(choose_backend([](std::string_view name) {
        const char* value = std::getenv(std::string(name).c_str());
        return value == nullptr ? std::optional<std::string>() : std::optional<std::string>(value);
    }));
    return *communicator;
}

inline bool is_world() {
    return std::getenv("LOCKSTEP_TEST_WORLD") != nullptr;
}

inline std::vector<Backend> all_backends() {
    std::vector<Backend> backends;
    if (is_world()) {
        keep_in_step(world());
        backends.push_back(
            {"world", world().size(), [](const auto& body) { body(world()); }, false});
        return backends;
    }
    backends.push_back({"local", 1, [](const auto& body) { body(*make_local()); }});
    for (int ranks = 1; ranks <= 4; ++ranks)
        backends.push_back({"in_process_" + std::to_string(ranks),
                            ranks,
                            [ranks](const auto& body) { run_in_process(ranks, body); }});
    return backends;
}

}  // namespace lockstep::comm
