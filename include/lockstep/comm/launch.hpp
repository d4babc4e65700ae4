#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {

enum class BackendKind { local, shm, tcp, mpi };

/// Half an hour: survivors may be busy for long before they notice a loss.
constexpr int default_recover_timeout_ms = 1'800'000;

/// Processes of one node over a named segment of shared memory.
struct ShmConfig {
    std::string name;  ///< begins with '/'; equal on all ranks, new for every run
    int rank = 0;
    int size = 1;
    std::size_t buffer_bytes = std::size_t{8} << 20;  ///< of each half of the staging area
    int spin = -1;           ///< tries before a rank sleeps; -1: for 50 us, or few yields
    int timeout_ms = 30000;  ///< for all ranks to come at the start
    int recover_timeout_ms = default_recover_timeout_ms;  ///< for all survivors of a loss to come
    bool single_copy = true;   ///< read other ranks' memory directly where the kernel allows it
    int launch_registry = -1;  ///< descriptor of the launcher's LaunchRegistry; -1: there is none
};

/// How the ranks of several nodes gather: each with all others, or by nodes. It never enters a
/// result.
struct NodeConfig {
    enum class Gather { automatic, flat, by_nodes };
    /// automatic: by nodes from 8 ranks a node on, or where neighbours are on different nodes.
    Gather gather = Gather::automatic;
    /// Ranks of one machine that name different parts count as ranks of different nodes.
    std::string part;
};

/// Processes that meet at rank 0 over TCP, without MPI. Trusted networks only: nothing is
/// encrypted.
struct TcpConfig {
    enum class Algorithm { automatic, star, ring };
    std::string coordinator;  ///< host or [v6 address] where rank 0 listens
    int port = 29500;
    int rank = 0;
    int size = 1;
    std::string
        bind_address;  ///< empty: loopback if the coordinator is, else the interface of its name
    int connect_timeout_ms = 30000;
    int heartbeat_ms = 2000;
    /// A host that acknowledges nothing for so long is dead; a rank that is busy or stopped never
    /// is.
    int dead_after_ms = 10000;
    int timeout_ms = 0;  ///< of one collective; 0: none, slow is not dead
    int recover_timeout_ms = default_recover_timeout_ms;  ///< for all survivors of a loss to come
    std::string token;                                    ///< shared secret; empty: none
    std::string token_file;                               ///< holds the secret, instead of token
    /// On an address that other hosts reach: no secret, or one that other users can read, will do.
    bool trusts_network = false;
    Algorithm algorithm = Algorithm::automatic;
    int launch_registry = -1;  ///< as in ShmConfig
    NodeConfig nodes;
};

/// Ranks that an MPI launcher has started.
struct MpiConfig {
    enum class Persistent { off, on, automatic };
    std::string flavour;           ///< "openmpi", "mpich"; which plug-in is loaded
    std::string plugin_directory;  ///< empty: beside the program, then the installed place
    Persistent persistent = Persistent::off;
    bool check_calls = false;  ///< compare the calls of all ranks
    int claimed_size = 0;      ///< ranks that the launcher says it started; 0: it does not say
    int largest_count = std::numeric_limits<int>::max();  ///< of one MPI call; more is cut
    NodeConfig nodes;
};

/// How ranks find each other and talk.
struct CommConfig {
    BackendKind backend = BackendKind::local;
    ShmConfig shm;
    TcpConfig tcp;
    MpiConfig mpi;
    bool check_calls = false;  ///< in mpi too; shm and tcp always compare the calls of all ranks
    int expect_ranks = 0;      ///< 0: any number
};

/// Which ranks of a launch have ended, as its launcher notes for those that wait for them at the
/// start. Memory without a name; processes that the launcher starts inherit it.
class LaunchRegistry {
public:
    /// @throws IoError  no memory
    LaunchRegistry();
    ~LaunchRegistry();
    LaunchRegistry(const LaunchRegistry&) = delete;
    LaunchRegistry& operator=(const LaunchRegistry&) = delete;

    /// For LOCKSTEP_LAUNCH_REGISTRY.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// @throws IoError  no memory
    void note_end(int rank) const;

private:
    int descriptor_;
};

/// Looks an environment variable up; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// Which backend this process was started for, by the variables of its launcher (docs/formats.md
/// lists them), or as asked for.
/// @param asked  "local", "shm", "tcp", "mpi"; "" or "auto": found out
/// @throws UsageError  unknown backend, a variable that is missing or malformed, or two backends
///         asked for at once; NotBuiltError  this build leaves the backend out
CommConfig choose_backend(const Environment& environment, std::string_view asked = "");

/// Whether this build has the backend. For mpi: its loader; plug-ins may be missing all the same.
bool is_built(BackendKind kind) noexcept;

/// Flavours of MPI whose plug-in is found, as MpiConfig::flavour names them.
/// @param directory  MpiConfig::plugin_directory
std::vector<std::string> mpi_plugins(const std::string& directory = {});

/// The number of ranks is not what the launcher or CommConfig::expect_ranks claims; every rank
/// finds the same.
class WrongSize : public CommError {
public:
    using CommError::CommError;
};

/// Ranks are of different builds, so that they would not compute the same bits; every rank finds
/// the same.
class WrongProgram : public CommError {
public:
    using CommError::CommError;
};

/// Takes away the shared memory whose makers died before its name was gone: that of this user which
/// nobody holds any more. What this program has not made stays, whatever its name.
void remove_abandoned_memory();

/// Meets the other ranks, and takes abandoned memory away. Collective.
/// @throws CommError  ranks do not meet in time; WrongSize; WrongProgram; NotBuiltError  the
/// backend is not part of this build
std::unique_ptr<Communicator> connect(const CommConfig& config);

}  // namespace lockstep::comm
