#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {

std::unique_ptr<Communicator> make_shm(const ShmConfig&) {
    throw NotBuiltError(
        "backend 'shm' is not part of this build; configure with -DLOCKSTEP_WITH_SHM=ON or set "
        "LOCKSTEP_COMM_BACKEND to another one");
}

}  // namespace lockstep::comm
