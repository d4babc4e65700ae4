#pragma once

#include <new>

#include <dlfcn.h>
#include <mpi.h>

#include "comm/mpi/table.hpp"

namespace lockstep::comm {

struct MpiComm {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
    // The last type made: a block of `width` bytes.
    int width = 0;
    MPI_Datatype block = MPI_DATATYPE_NULL;
};

struct MpiRequest {
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = 0;  // of an agreement
};

struct MpiWindow {
    MPI_Win window = MPI_WIN_NULL;
};

/// A function that only some versions have; null where it is missing.
template <typename F>
F symbol(const char* name) {
    return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));  // NOLINT: what dlsym is for
}

// NOLINTBEGIN(cppcoreguidelines-owning-memory): handles cross a C interface
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): requests begin and end in different calls
/// Runs `begin` on a new request.
template <typename F>
int make_request(MpiRequest** out, F&& begin) {
    auto* made = new (std::nothrow) MpiRequest;
    if (made == nullptr) {
        return MPI_ERR_NO_MEM;
    }
    const int code = begin(*made);
    if (code == MPI_SUCCESS) {
        *out = made;
    } else {
        delete made;
    }
    return code;
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
// NOLINTEND(cppcoreguidelines-owning-memory)

/// Takes a new communicator over, so that its errors return.
int adopt(MPI_Comm comm, MpiComm** out);

// Survival of lost ranks, as MpiTable says.
bool can_recover();
int revoke(MpiComm* comm);
int agree(MpiComm* comm, bool* is_well);
int begin_refusal(MpiComm* comm, MpiRequest** out);
int first_lost(MpiComm* comm, int* rank);
int shrink(MpiComm* comm, MpiComm** out, int* old_ranks);

}  // namespace lockstep::comm
