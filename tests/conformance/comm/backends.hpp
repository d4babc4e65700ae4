#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

/// A way to run a body on some ranks. The conformance tests run on each; a new backend adds its
/// lines here.
struct Backend {
    std::string name;
    int ranks;
    /// Runs the body on every rank and rethrows what a rank threw.
    std::function<void(const std::function<void(Communicator&)>&)> run;
};

inline void PrintTo(const Backend& backend, std::ostream* out) {
    *out << backend.name;
}

inline std::vector<Backend> all_backends() {
    std::vector<Backend> backends;
    backends.push_back({"local", 1, [](const auto& body) { body(*make_local()); }});
    for (int ranks = 1; ranks <= 4; ++ranks)
        backends.push_back({"in_process_" + std::to_string(ranks),
                            ranks,
                            [ranks](const auto& body) { run_in_process(ranks, body); }});
    return backends;
}

}  // namespace lockstep::comm
