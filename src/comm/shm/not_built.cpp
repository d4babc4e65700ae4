#include "lockstep/base/error.hpp"
#include "lockstep/comm/launch.hpp"

#include "comm/backends.hpp"
#include "comm/shm/group.hpp"

namespace lockstep::comm {

std::unique_ptr<Communicator> make_shm(const ShmConfig&) {
    throw NotBuiltError(
        "backend 'shm' is not part of this build; configure with -DLOCKSTEP_WITH_SHM=ON or set "
        "LOCKSTEP_COMM_BACKEND to another one");
}

ShmGroup make_shm_group(Communicator&, std::span<const int>, const ShmConfig&) {
    throw NotBuiltError("nodes over shared memory are not part of this build");
}

void remove_abandoned_memory() {}

}  // namespace lockstep::comm
