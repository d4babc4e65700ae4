#pragma once

#include "lockstep/base/index.hpp"
#include "lockstep/sddp/system.hpp"

namespace lockstep::sddp {

// Where water goes in a stage: it passes the sites of plants that are not built.

/// The plant that gets what comes to `hydro`: itself or the first below it with a dam; -1 for none.
inline int receiver(const System& system, int stage, int hydro) noexcept {
    while (hydro >= 0 && !system.hydros[at(hydro)].is_built(stage)) {
        hydro = system.hydros[at(hydro)].downstream;
    }
    return hydro;
}

/// The plant that gets what `hydro` turbines and spills.
inline int downstream_of(const System& system, int stage, int hydro) noexcept {
    return receiver(system, stage, system.hydros[at(hydro)].downstream);
}

/// … what it diverts.
inline int diversion_target_of(const System& system, int stage, int hydro) noexcept {
    return receiver(system, stage, system.hydros[at(hydro)].diversion_target);
}

}  // namespace lockstep::sddp
