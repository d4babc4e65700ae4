#include "comm/ranks.hpp"

#include "lockstep/base/error.hpp"

namespace lockstep::python {

Ranks::Ranks(std::shared_ptr<comm::Communicator> ranks) : shared_(ranks) {
    if (ranks->backend() == "local") {
        own_ = std::move(ranks);
    }
}

std::shared_ptr<comm::Communicator> Ranks::get() const {
    auto ranks = shared_.lock();
    if (!ranks) {
        throw CommError("this process has left its ranks");
    }
    return ranks;
}

}  // namespace lockstep::python
