#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {

std::unique_ptr<Communicator> make_mpi(const MpiConfig&) {
    throw NotBuiltError(
        "backend 'mpi' is not part of this build; configure with -DLOCKSTEP_WITH_MPI=ON or set "
        "LOCKSTEP_COMM_BACKEND to another one");
}

std::vector<std::string> mpi_plugins(const std::string&) {
    return {};
}

}  // namespace lockstep::comm
