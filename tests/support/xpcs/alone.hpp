#pragma once

#include <memory>

#include "lockstep/comm/communicator.hpp"
#include "lockstep/runtime/team.hpp"

namespace lockstep::test {

/// A team of this process alone.
struct Alone {
    explicit Alone(int count = 1)
        : ranks(comm::make_local()), threads(count), team{*ranks, threads} {}
    std::unique_ptr<comm::Communicator> ranks;
    runtime::ThreadTeam threads;
    runtime::Team team;
};

}  // namespace lockstep::test
