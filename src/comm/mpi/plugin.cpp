// Compiled once for each MPI flavour, against its header, into a library that is loaded on demand.
#include "comm/mpi/plugin.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <mpi.h>

// NOLINTBEGIN(cppcoreguidelines-owning-memory): handles cross a C interface
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): requests begin and end in different calls
namespace lockstep::comm {

int adopt(MPI_Comm comm, MpiComm** out) {
    auto* made = new (std::nothrow) MpiComm;
    if (made == nullptr) {
        return MPI_ERR_NO_MEM;
    }
    made->comm = comm;
    *out = made;
    int code = MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_rank(comm, &made->rank);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_size(comm, &made->size);
    }
    return code;
}

namespace {

int start(bool* is_ours, bool* level_is_enough) {
    int is_initialized = 0;
    int level = MPI_THREAD_SINGLE;
    int code = MPI_Initialized(&is_initialized);
    if (code == MPI_SUCCESS) {
        code = is_initialized != 0 ? MPI_Query_thread(&level)
                                   : MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    }
    *is_ours = is_initialized == 0;
    *level_is_enough = level >= MPI_THREAD_FUNNELED;
    return code;
}

int finish() {
    return MPI_Finalize();
}

bool was_finished() {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    return is_finalized != 0;
}

void abort_all(int code) {
    MPI_Abort(MPI_COMM_WORLD, code);
}

int library(char* text) {
    char full[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    const int code = MPI_Get_library_version(full, &length);
    const std::string_view all(full);
    const auto line = all.substr(0, std::min(all.find_first_of(",\n"), all.size()));
    const auto kept = std::min(line.size(), std::size_t{mpi_text_bytes - 1});
    std::memcpy(text, line.data(), kept);
    text[kept] = 0;
    return code;
}

int processor_name(char* name) {
    static_assert(MPI_MAX_PROCESSOR_NAME <= mpi_name_bytes);
    int length = 0;
    return MPI_Get_processor_name(name, &length);
}

void describe_error(int code, char* text) {
    static_assert(MPI_MAX_ERROR_STRING <= mpi_text_bytes);
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
        std::memcpy(text, "unknown error", sizeof "unknown error");
    }
}

#ifdef OMPI_MAJOR_VERSION
// Of Open MPI 5, whose library may be loaded though older headers were compiled with.
constexpr int class_rank_lost = 75;
constexpr int class_rank_lost_pending = 76;
constexpr int class_revoked = 77;
#else
constexpr int class_rank_lost = MPIX_ERR_PROC_FAILED;
constexpr int class_rank_lost_pending = MPIX_ERR_PROC_FAILED_PENDING;
constexpr int class_revoked = MPIX_ERR_REVOKED;
#endif

MpiFailure classify_error(int code) {
    if (code == MPI_SUCCESS) {
        return MpiFailure::none;
    }
    int error_class = MPI_ERR_OTHER;
    MPI_Error_class(code, &error_class);
    if (error_class == class_rank_lost || error_class == class_rank_lost_pending) {
        return MpiFailure::rank_lost;
    }
    return error_class == class_revoked ? MpiFailure::revoked : MpiFailure::other;
}

int duplicate_comm(MPI_Comm comm, MpiComm** out) {
    MPI_Comm made = MPI_COMM_NULL;
    const int code = MPI_Comm_dup(comm, &made);
    return code == MPI_SUCCESS ? adopt(made, out) : code;
}

int duplicate_world(MpiComm** out) {
    return duplicate_comm(MPI_COMM_WORLD, out);
}

int duplicate(MpiComm* comm, MpiComm** out) {
    return duplicate_comm(comm->comm, out);
}

int split_node(MpiComm* comm, MpiComm** out) {
    MPI_Comm made = MPI_COMM_NULL;
    const int code =
        MPI_Comm_split_type(comm->comm, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &made);
    return code == MPI_SUCCESS ? adopt(made, out) : code;
}

int split(MpiComm* comm, int colour, MpiComm** out) {
    *out = nullptr;
    MPI_Comm made = MPI_COMM_NULL;
    const int code =
        MPI_Comm_split(comm->comm, colour < 0 ? MPI_UNDEFINED : colour, comm->rank, &made);
    return code == MPI_SUCCESS && made != MPI_COMM_NULL ? adopt(made, out) : code;
}

int free_comm(MpiComm* comm) {
    if (comm->block != MPI_DATATYPE_NULL) {
        MPI_Type_free(&comm->block);
    }
    const int code = MPI_Comm_free(&comm->comm);
    delete comm;
    return code;
}

void shape(const MpiComm* comm, int* rank, int* size) {
    *rank = comm->rank;
    *size = comm->size;
}

// An element of `width` bytes.
int element_type(MpiComm* comm, int width, MPI_Datatype* type) {
    if (width == 1) {
        *type = MPI_BYTE;
        return MPI_SUCCESS;
    }
    if (comm->width != width) {
        comm->width = 0;
        if (comm->block != MPI_DATATYPE_NULL) {
            MPI_Type_free(&comm->block);
        }
        int code = MPI_Type_contiguous(width, MPI_BYTE, &comm->block);
        if (code == MPI_SUCCESS) {
            code = MPI_Type_commit(&comm->block);
        }
        if (code != MPI_SUCCESS) {
            return code;
        }
        comm->width = width;
    }
    *type = comm->block;
    return MPI_SUCCESS;
}

int allgather(MpiComm* comm, const void* send, void* receive, int bytes) {
    return MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, comm->comm);
}

int allgatherv(MpiComm* comm, const void* send, int count, void* receive, const MpiParts* parts) {
    MPI_Datatype type = MPI_BYTE;
    const int code = element_type(comm, parts->width, &type);
    if (code != MPI_SUCCESS) {
        return code;
    }
    return MPI_Allgatherv(
        send, count, type, receive, parts->counts, parts->offsets, type, comm->comm);
}

int broadcast(MpiComm* comm, void* buffer, int bytes, int root) {
    return MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm->comm);
}

int barrier(MpiComm* comm) {
    return MPI_Barrier(comm->comm);
}

int begin_barrier(MpiComm* comm, MpiRequest** out) {
    return make_request(out,
                        [&](MpiRequest& made) { return MPI_Ibarrier(comm->comm, &made.request); });
}

using AllgathervInit = int (*)(const void*,
                               int,
                               MPI_Datatype,
                               void*,
                               const int*,
                               const int*,
                               MPI_Datatype,
                               MPI_Comm,
                               MPI_Info,
                               MPI_Request*);

AllgathervInit allgatherv_init() {
    static const auto standard = symbol<AllgathervInit>("MPI_Allgatherv_init");
    static const auto extension = symbol<AllgathervInit>("MPIX_Allgatherv_init");
    return standard != nullptr ? standard : extension;
}

bool has_persistent() {
    return allgatherv_init() != nullptr;
}

int prepare_allgatherv(MpiComm* comm,
                       const void* send,
                       int count,
                       void* receive,
                       const MpiParts* parts,
                       MpiRequest** out) {
    return make_request(out, [&](MpiRequest& made) {
        return allgatherv_init()(send,
                                 count,
                                 MPI_BYTE,
                                 receive,
                                 parts->counts,
                                 parts->offsets,
                                 MPI_BYTE,
                                 comm->comm,
                                 MPI_INFO_NULL,
                                 &made.request);
    });
}

int run(MpiRequest* request) {
    const int code = MPI_Start(&request->request);
    return code == MPI_SUCCESS ? MPI_Wait(&request->request, MPI_STATUS_IGNORE) : code;
}

int begin_send(MpiComm* comm, int to, const void* bytes, int count, MpiRequest** out) {
    return make_request(out, [&](MpiRequest& made) {
        return MPI_Issend(bytes, count, MPI_BYTE, to, 0, comm->comm, &made.request);
    });
}

int probe(MpiComm* comm, bool* found, int* from, int* count) {
    MPI_Status status;
    int flag = 0;
    const int code = MPI_Iprobe(MPI_ANY_SOURCE, 0, comm->comm, &flag, &status);
    *found = code == MPI_SUCCESS && flag != 0;
    if (!*found) {
        return code;
    }
    *from = status.MPI_SOURCE;
    return MPI_Get_count(&status, MPI_BYTE, count);
}

int receive(MpiComm* comm, int from, void* bytes, int count) {
    return MPI_Recv(bytes, count, MPI_BYTE, from, 0, comm->comm, MPI_STATUS_IGNORE);
}

int test(MpiRequest* request, bool* is_done) {
    int flag = 0;
    const int code = MPI_Test(&request->request, &flag, MPI_STATUS_IGNORE);
    *is_done = flag != 0;
    return code;
}

void free_request(MpiRequest* request) {
    if (request->request != MPI_REQUEST_NULL) {
        MPI_Request_free(&request->request);
    }
    delete request;
}

// The lowest rank has all of it, so that it is one piece.
int allocate_shared(MpiComm* comm, std::size_t bytes, MpiWindow** out, void** memory) {
    const auto own = static_cast<MPI_Aint>(comm->rank == 0 ? bytes : 0);
    MPI_Win window = MPI_WIN_NULL;
    void* ignored = nullptr;
    int code = MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, comm->comm, &ignored, &window);
    if (code != MPI_SUCCESS) {
        return code;
    }
    *out = new (std::nothrow) MpiWindow{window};
    if (*out == nullptr) {
        return MPI_ERR_NO_MEM;
    }
    MPI_Aint size = 0;
    int unit = 1;
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    code = MPI_Win_shared_query(window, 0, &size, &unit, memory);
    return code == MPI_SUCCESS ? MPI_Win_lock_all(MPI_MODE_NOCHECK, window) : code;
}

int synchronise(MpiWindow* window) {
    return MPI_Win_sync(window->window);
}

int free_shared(MpiWindow* window) {
    int code = MPI_Win_unlock_all(window->window);
    if (code == MPI_SUCCESS) {
        code = MPI_Win_free(&window->window);
    }
    delete window;
    return code;
}

constexpr MpiTable table{
    .abi = mpi_table_abi,
    .flavour = LOCKSTEP_MPI_FLAVOUR,
    .start = start,
    .finish = finish,
    .was_finished = was_finished,
    .abort = abort_all,
    .library = library,
    .processor_name = processor_name,
    .describe_error = describe_error,
    .classify_error = classify_error,
    .duplicate_world = duplicate_world,
    .duplicate = duplicate,
    .split_node = split_node,
    .split = split,
    .free = free_comm,
    .shape = shape,
    .allgather = allgather,
    .allgatherv = allgatherv,
    .broadcast = broadcast,
    .barrier = barrier,
    .begin_barrier = begin_barrier,
    .has_persistent = has_persistent,
    .prepare_allgatherv = prepare_allgatherv,
    .run = run,
    .begin_send = begin_send,
    .probe = probe,
    .receive = receive,
    .test = test,
    .free_request = free_request,
    .allocate_shared = allocate_shared,
    .synchronise = synchronise,
    .free_shared = free_shared,
    .can_recover = can_recover,
    .revoke = revoke,
    .agree = agree,
    .begin_refusal = begin_refusal,
    .first_lost = first_lost,
    .shrink = shrink,
};

}  // namespace
}  // namespace lockstep::comm
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
// NOLINTEND(cppcoreguidelines-owning-memory)

extern "C" __attribute__((visibility("default"))) const lockstep::comm::MpiTable*
lockstep_mpi_table() {
    return &lockstep::comm::table;
}
