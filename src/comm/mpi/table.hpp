#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::comm {

// What a plug-in library gives: one MPI behind C functions, so that the program that loads it links
// none. The plug-in owns what the handles point to.
struct MpiComm;
struct MpiRequest;
struct MpiWindow;

/// Raised with every change of MpiTable: program and plug-in must be of one build.
constexpr std::uint32_t mpi_table_abi = 2;

/// What an error of MPI means to us.
enum class MpiFailure : std::int32_t { none, other, rank_lost, revoked };

constexpr int mpi_name_bytes = 256;   ///< room for a host name with its 0
constexpr int mpi_text_bytes = 1024;  ///< room for an error text with its 0

/// Where each rank's part goes, in elements of `width` bytes.
struct MpiParts {
    const int* counts;
    const int* offsets;
    int width;
};

/// Functions return 0 or the error code of MPI, where nothing else is said. None throws.
struct MpiTable {
    std::uint32_t abi;
    const char* flavour;

    /// Initialises MPI at thread level FUNNELED unless the program has done so.
    /// `is_ours`: it has not; `level_is_enough`: MPI gives that level.
    int (*start)(bool* is_ours, bool* level_is_enough);
    int (*finish)();
    bool (*was_finished)();
    void (*abort)(int code);
    /// Name and version of the library, into mpi_text_bytes.
    int (*library)(char* text);
    int (*processor_name)(char* name);
    void (*describe_error)(int code, char* text);
    MpiFailure (*classify_error)(int code);

    // Communicators whose errors return. `free` is collective.
    int (*duplicate_world)(MpiComm** out);
    int (*duplicate)(MpiComm* comm, MpiComm** out);
    int (*split_node)(MpiComm* comm, MpiComm** out);
    /// Ranks of one colour each; null for those whose colour is negative.
    int (*split)(MpiComm* comm, int colour, MpiComm** out);
    int (*free)(MpiComm* comm);
    void (*shape)(const MpiComm* comm, int* rank, int* size);

    int (*allgather)(MpiComm* comm, const void* send, void* receive, int bytes);
    int (*allgatherv)(
        MpiComm* comm, const void* send, int count, void* receive, const MpiParts* parts);
    int (*broadcast)(MpiComm* comm, void* buffer, int bytes, int root);
    int (*barrier)(MpiComm* comm);
    /// A barrier that is tested for.
    int (*begin_barrier)(MpiComm* comm, MpiRequest** out);

    /// A gather between fixed buffers of bytes that is run many times.
    bool (*has_persistent)();
    int (*prepare_allgatherv)(MpiComm* comm,
                              const void* send,
                              int count,
                              void* receive,
                              const MpiParts* parts,
                              MpiRequest** out);
    int (*run)(MpiRequest* request);

    /// A message that is done once its receiver takes it. The bytes must stay until then.
    int (*begin_send)(MpiComm* comm, int to, const void* bytes, int count, MpiRequest** out);
    /// The next message that has come, if `found`.
    int (*probe)(MpiComm* comm, bool* found, int* from, int* count);
    int (*receive)(MpiComm* comm, int from, void* bytes, int count);
    int (*test)(MpiRequest* request, bool* is_done);
    void (*free_request)(MpiRequest* request);

    /// Memory that the ranks of one node share; `bytes` equal on all. Collective, as its end.
    int (*allocate_shared)(MpiComm* comm, std::size_t bytes, MpiWindow** out, void** memory);
    int (*synchronise)(MpiWindow* window);
    int (*free_shared)(MpiWindow* window);

    /// Whether survivors can go on: the library has the functions, and the launcher allows it.
    bool (*can_recover)();
    /// Ends what others wait for in this communicator.
    int (*revoke)(MpiComm* comm);
    /// Whether `is_well` held on every rank, the same answer on all survivors; an error on all of
    /// them if a rank is lost. Works on a revoked communicator too.
    int (*agree)(MpiComm* comm, bool* is_well);
    /// Takes part in an agree() of the others with an answer of no.
    int (*begin_refusal)(MpiComm* comm, MpiRequest** out);
    /// Lowest rank known to be dead; -1: none.
    int (*first_lost)(MpiComm* comm, int* rank);
    /// The survivors' communicator; `old_ranks[i]` is what its rank i was before.
    int (*shrink)(MpiComm* comm, MpiComm** out, int* old_ranks);
};

/// The one function that a plug-in exports, under the name below.
using MpiTableFunction = const MpiTable* (*)();
constexpr const char* mpi_table_function = "lockstep_mpi_table";

}  // namespace lockstep::comm
