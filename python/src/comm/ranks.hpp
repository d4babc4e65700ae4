#pragma once

#include <memory>
#include <utility>

#include "lockstep/comm/communicator.hpp"

namespace lockstep::python {

/// What Python holds of a communicator. That of the process ends when Python does, whoever still
/// refers to it, since MPI must not end before it.
class Ranks {
public:
    explicit Ranks(std::shared_ptr<comm::Communicator> ranks);
    /// @throws CommError  the process has left its ranks
    [[nodiscard]] std::shared_ptr<comm::Communicator> get() const;

private:
    std::shared_ptr<comm::Communicator> own_;  // of a process alone
    std::weak_ptr<comm::Communicator> shared_;
};

}  // namespace lockstep::python
