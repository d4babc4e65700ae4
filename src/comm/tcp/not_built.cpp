#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {

std::unique_ptr<Communicator> make_tcp(const TcpConfig&, const ShmConfig&) {
    throw NotBuiltError(
        "backend 'tcp' is not part of this build; configure with -DLOCKSTEP_WITH_TCP=ON or set "
        "LOCKSTEP_COMM_BACKEND to another one");
}

}  // namespace lockstep::comm
