#include "ranks.hpp"

#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>

#include <sys/prctl.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

#include "guarded.hpp"

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

/// The other ranks; nullptr with an exit code when another rank tells the error.
std::unique_ptr<comm::Communicator> meet(const std::string& backend, int& exit_code) {
    try {
        return comm::connect(comm::choose_backend(process_environment(), backend));
    } catch (const Error& error) {
        if (!is_everywhere(error) || is_claimed_first())
            throw;
        exit_code = error.exit_code();
        return nullptr;
    }
}

// Ranks that nobody supervises any more would write beside those of the next start. The death
// signal is set first and the parent looked at again, so that no moment is missed.
void end_with_launcher() {
    const auto launcher = process_environment()("LOCKSTEP_LAUNCHER_PID");
    const auto is_child = [&] { return launcher == std::to_string(getppid()); };
    if (!is_child())
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!is_child())
        raise(SIGKILL);
}

}  // namespace

comm::Environment process_environment() {
    return [](std::string_view name) -> std::optional<std::string> {
        const char* value = std::getenv(std::string(name).c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

bool is_claimed_first() {
    for (const auto* name : {"LOCKSTEP_SHM_RANK",
                             "LOCKSTEP_TCP_RANK",
                             "OMPI_COMM_WORLD_RANK",
                             "PMIX_RANK",
                             "PMI_RANK",
                             "SLURM_PROCID"})
        if (const auto rank = process_environment()(name))
            return *rank == "0";
    return true;
}

int on_ranks(const std::string& backend,
             const Voice& voice,
             const std::function<int(comm::Communicator&)>& body) {
    end_with_launcher();
    int exit_code = 0;
    const auto ranks = meet(backend, exit_code);
    if (!ranks)
        return exit_code;
    if (ranks->size() == 1)
        return body(*ranks);
    bool is_alone = true;
    const int code = guarded(voice, [&] {
        try {
            const int result = body(*ranks);
            is_alone = false;
            return result;
        } catch (const comm::PeerFailed& error) {
            is_alone = !ranks->can_recover();  // else the others are told by the backend
            if (is_speaker(*ranks, error))
                throw;
            return error.exit_code();
        } catch (const CommError&) {
            throw;
        } catch (const AssertionError&) {
            throw;
        } catch (const Error& error) {
            is_alone = false;
            if (is_speaker(*ranks, error))
                throw;
            return error.exit_code();
        }
    });
    if (is_alone)
        ranks->abort(code);
    return code;
}

}  // namespace lockstep::cli
