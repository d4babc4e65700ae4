#pragma once

#include <array>
#include <cstdint>

#include "lockstep/rl/learn/report.hpp"

#include "rl/server/parameter_server.hpp"

namespace lockstep::rl {

/// How far a server is, in a form that travels.
struct ServerFigures {
    std::int64_t transitions = 0;
    std::int64_t reissued = 0;  ///< leases
    std::int64_t workers = 0;
    std::int64_t suspected = 0;  ///< of these
    double learn_seconds = 0;    ///< of all threads, since the server started
    Counts counts;
    std::array<std::int64_t, Ledger::most_ages> ages{};  ///< as Ledger::ages()
};
ServerFigures figures_of(const ParameterServer& server);

/// Adds workers, leases that were issued again, and how old tables were since `before`.
void report_on(const ServerFigures& now, const ServerFigures& before, LearnReport& report);

}  // namespace lockstep::rl
