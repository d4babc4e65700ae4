#include "ranks.hpp"

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/process_environment.hpp"
#include "lockstep/runtime/signals.hpp"

#include "guarded.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

// Whether this rank tells an error that all survivors have met.
bool is_speaker(const comm::Communicator& ranks, const Error& error) {
    const auto* lost = dynamic_cast<const comm::PeerFailed*>(&error);
    return ranks.rank() == (lost != nullptr && lost->rank() == 0 ? 1 : 0);
}

// An error that every rank meets by itself, such as a wrong environment.
bool is_everywhere(const Error& error) {
    return dynamic_cast<const UsageError*>(&error) != nullptr ||
           dynamic_cast<const NotBuiltError*>(&error) != nullptr ||
           dynamic_cast<const comm::WrongSize*>(&error) != nullptr ||
           dynamic_cast<const comm::WrongProgram*>(&error) != nullptr;
}

// -1: no whole number
std::int64_t number_of(const std::optional<std::string>& text) {
    std::int64_t number = -1;
    if (!text) {
        return -1;
    }
    const auto* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, number);
    return error == std::errc() && stop == end ? number : -1;
}

// Whether `lockstep launch` has started this rank beside a rank 0. Who sets its variables by hand
// may set them wrong for one rank alone.
bool is_launched_beside_first(const comm::Environment& environment) {
    if (!environment("LOCKSTEP_LAUNCHER_PID")) {
        return false;
    }
    for (const auto* backend : {"LOCKSTEP_SHM_", "LOCKSTEP_TCP_"}) {
        const auto rank = number_of(environment(fmt::format("{}RANK", backend)));
        if (rank > 0 && rank < number_of(environment(fmt::format("{}SIZE", backend)))) {
            return true;
        }
    }
    return false;
}

// MPI's launchers make no mistakes in their numbers.
bool is_mpi_rank_beside_first(const comm::Environment& environment) {
    for (const auto* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
        if (const auto rank = environment(name)) {
            return number_of(rank) > 0;
        }
    }
    return false;
}

/// The other ranks; nullptr with an exit code when another rank tells the error.
std::unique_ptr<comm::Communicator> meet(const std::string& backend, int& exit_code) {
    try {
        return comm::connect(comm::choose_backend(comm::process_environment(), backend));
    } catch (const Error& error) {
        if (!is_everywhere(error) || is_claimed_first()) {
            throw;
        }
        exit_code = error.exit_code();
        return nullptr;
    }
}

// Ranks that nobody supervises any more would write beside those of the next start. The death
// signal is set first and the parent looked at again, so that no moment is missed.
void end_with_launcher() {
    const auto launcher = comm::process_environment()("LOCKSTEP_LAUNCHER_PID");
    const auto is_child = [&] { return launcher == std::to_string(getppid()); };
    if (!is_child()) {
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!is_child()) {
        raise(SIGKILL);
    }
}

/// Ends all ranks, from whichever thread is first: what it says is what this process ends with. The
/// other thread hears of its rank's own abort and must not tell another code.
class Abort {
public:
    explicit Abort(comm::Communicator& ranks) : ranks_(ranks) {}

    [[noreturn]] void operator()(int code) {
        while (has_begun_.test_and_set()) {
            ::pause();
        }
        ranks_.abort(code);
        std::abort();  // abort() of a communicator does not return
    }

private:
    comm::Communicator& ranks_;
    std::atomic_flag has_begun_;
};

// The others would take the death of one rank for a loss and go on without it.
void end_all(Abort& abort, int signal) {
    tell(fmt::format("lockstep: {} ends all ranks at once; what is under way is not written\n",
                     signal == SIGINT ? "SIGINT" : "SIGTERM"));
    abort(128 + signal);
}

}  // namespace

bool is_claimed_first() {
    const auto environment = comm::process_environment();
    return !is_launched_beside_first(environment) && !is_mpi_rank_beside_first(environment);
}

int on_ranks(const std::string& backend,
             const Voice& voice,
             const std::function<int(comm::Communicator&)>& body) {
    end_with_launcher();
    int exit_code = 0;
    const auto ranks = meet(backend, exit_code);
    if (!ranks) {
        return exit_code;
    }
    if (ranks->size() == 1) {
        return body(*ranks);
    }
    Abort abort(*ranks);
    const runtime::SignalListener listener([&](int signal) { end_all(abort, signal); });
    bool is_alone = true;
    const int code = guarded(voice, [&] {
        try {
            const int result = body(*ranks);
            is_alone = false;
            return result;
        } catch (const comm::PeerFailed& error) {
            is_alone = !ranks->can_recover();  // else the others are told by the backend
            if (is_speaker(*ranks, error)) {
                throw;
            }
            return error.exit_code();
        } catch (const CommError&) {
            throw;
        } catch (const AssertionError&) {
            throw;
        } catch (const Error& error) {
            is_alone = false;
            if (is_speaker(*ranks, error)) {
                throw;
            }
            return error.exit_code();
        }
    });
    if (is_alone) {
        abort(code);
    }
    return code;
}

}  // namespace lockstep::cli
