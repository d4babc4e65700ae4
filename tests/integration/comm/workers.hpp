#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "integration/app/program.hpp"

namespace lockstep::comm {

/// Ranks as processes of their own: tests/support/comm_worker.cpp, started by the variables of a
/// backend. A worker that is not done after a minute is ended by an alarm.
class Workers {
public:
    using Variables = std::vector<std::pair<std::string, std::string>>;

    Workers(int ranks,
            const std::function<Variables(int rank)>& variables,
            const std::vector<std::string>& arguments);

    /// Waits until every rank has gone some rounds.
    /// @return whether all have
    bool wait_until_running();
    /// Waits until a rank has said `text` on stderr.
    /// @return whether it has
    bool wait_for(int rank, const std::string& text);
    void send(int rank, int signal) const;
    cli::Ended end(int rank);

private:
    std::vector<std::unique_ptr<cli::Program>> programs_;
};

/// Of all workers in the same case: what `comm_worker` prints after these rounds with these items.
std::string sum_line(std::uint64_t rounds, std::uint64_t items, int ranks);

}  // namespace lockstep::comm
