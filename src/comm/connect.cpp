#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/launch.hpp"

#include "comm/abi_stamp.hpp"
#include "comm/backends.hpp"

namespace lockstep::comm {
namespace {

std::unique_ptr<Communicator> make(const CommConfig& config) {
    switch (config.backend) {
        case BackendKind::shm:
            return make_shm(config.shm);
        case BackendKind::tcp:
            return make_tcp(config.tcp, config.shm);
        case BackendKind::mpi:
            return make_mpi(config.mpi);
        case BackendKind::local:
            break;
    }
    return make_local();
}

void check_size(int size, int expected, const char* source, const char* remedy) {
    if (expected > 0 && size != expected) {
        throw WrongSize(fmt::format("{} {} rank{} but this process sees {}{}",
                                    source,
                                    expected,
                                    expected == 1 ? "" : "s",
                                    size,
                                    remedy));
    }
}

}  // namespace

bool is_built(BackendKind kind) noexcept {
    constexpr bool built[] = {
        true, LOCKSTEP_HAS_SHM != 0, LOCKSTEP_HAS_TCP != 0, LOCKSTEP_HAS_MPI != 0};
    return built[static_cast<int>(kind)];
}

std::unique_ptr<Communicator> connect(const CommConfig& config) {
    if (config.backend != BackendKind::local) {
        remove_abandoned_memory();
    }
    auto communicator = make(config);
    const int size = communicator->size();
    if (config.backend == BackendKind::mpi) {
        check_size(size,
                   config.mpi.claimed_size,
                   "the launcher started",
                   ": MPI library and launcher do not match (under Slurm: --mpi=pmix for Open MPI, "
                   "--mpi=pmi2 for MPICH)");
    }
    check_size(size, config.expect_ranks, "LOCKSTEP_EXPECT_RANKS asks for", "");
    check_same_program(*communicator, program_stamp());
    return communicator;
}

}  // namespace lockstep::comm
