#include "ranks.hpp"

#include <cstdlib>
#include <optional>

#include "lockstep/base/error.hpp"

#include "guarded.hpp"

namespace lockstep::cli {
namespace {

// Whether this rank tells an error that all survivors have met.
bool is_speaker(const comm::Communicator& ranks, const Error& error) {
    const auto* lost = dynamic_cast<const comm::PeerFailed*>(&error);
    return ranks.rank() == (lost != nullptr && lost->rank() == 0 ? 1 : 0);
}

// What launchers call this process; 0 when none says.
bool is_claimed_first(const comm::Environment& environment) {
    for (const auto* name : {"LOCKSTEP_SHM_RANK",
                             "LOCKSTEP_TCP_RANK",
                             "OMPI_COMM_WORLD_RANK",
                             "PMIX_RANK",
                             "PMI_RANK",
                             "SLURM_PROCID"})
        if (const auto rank = environment(name))
            return *rank == "0";
    return true;
}

// A wrong environment is the same on all ranks, so one of them tells it.
std::optional<comm::CommConfig> choose(const std::string& backend, int& exit_code) {
    const auto environment = process_environment();
    try {
        return comm::choose_backend(environment, backend);
    } catch (const Error& error) {
        if (is_claimed_first(environment))
            throw;
        exit_code = error.exit_code();
        return std::nullopt;
    }
}

}  // namespace

comm::Environment process_environment() {
    return [](std::string_view name) -> std::optional<std::string> {
        const char* value = std::getenv(std::string(name).c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

int on_ranks(const std::string& backend,
             const Voice& voice,
             const std::function<int(comm::Communicator&)>& body) {
    int exit_code = 0;
    const auto config = choose(backend, exit_code);
    if (!config)
        return exit_code;
    const auto ranks = comm::connect(*config);
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
