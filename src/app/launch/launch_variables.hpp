#pragma once

#include <string>
#include <vector>

#include "lockstep/app/launch.hpp"

namespace lockstep::app {

/// Environments by which the ranks of one start find each other; what they leave in shared memory
/// goes with it.
class LaunchVariables {
public:
    /// @param attempt  0: the first start; later ones resume
    LaunchVariables(const LaunchRequest& request, int attempt);
    ~LaunchVariables();
    LaunchVariables(const LaunchVariables&) = delete;
    LaunchVariables& operator=(const LaunchVariables&) = delete;

    /// "NAME=value": this process's own environment with the rank's variables.
    [[nodiscard]] std::vector<std::string> of(int rank) const;
    /// For the ranks that wait for this one.
    void note_end(int rank) const { registry_.note_end(rank); }

private:
    comm::LaunchRegistry registry_;
    std::vector<std::string> common_;
    std::string prefix_;    // of the variables that hold rank and size
    std::string shm_name_;  // "" for tcp
    int ranks_;
};

}  // namespace lockstep::app
