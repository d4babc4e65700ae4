#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/formats/homodyne/configuration.hpp"

namespace lockstep::app {

/// Where tasks can run.
enum class FarmKind { automatic, sequential, threads, processes, ranks, slurm, pbs, lent };
std::string_view name_of(FarmKind kind) noexcept;

/// What there is to do, and who there is to do it.
struct FarmSituation {
    int ranks = 1;
    int threads = 1;  ///< of a rank
    int shards = 1;
    std::int64_t pairs = 0;  ///< of frames, over all angles
    std::string lent{};      ///< name of the farm that the caller has lent; empty: none
};

struct FarmChoice {
    FarmKind kind = FarmKind::automatic;
    std::string asked{};   ///< "auto", or what asks for another one, as people wrote it
    std::string remark{};  ///< why it is another one than that; empty: it is not
};

/// The farm that was lent, else the command line's choice, else the configuration's, else threads
/// of all ranks; sequential where little is to be done.
/// @throws InputError  no such farm; NotBuiltError  ray
FarmChoice choose_farm(const std::string& option,
                       const formats::homodyne::Cmc& configuration,
                       const FarmSituation& situation);

}  // namespace lockstep::app
