#pragma once

#include <string>
#include <vector>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/formats/homodyne/configuration.hpp"
#include "lockstep/xpcs/fit.hpp"

namespace lockstep::app {

// What configuration and command line say of how a fit goes, each with what was decided in `notes`.
// The model, its start and its bounds are in `options` already.

/// homodyne's objective for small data comes with its σ, its scaling, its loss.
xpcs::FitObjective objective_of(const XpcsRequest& request,
                                const formats::homodyne::Configuration& configuration);

/// @throws InputError  a name that is no parameter
void set_held(const XpcsRequest& request,
              const formats::homodyne::Configuration& configuration,
              xpcs::FitOptions& options,
              std::vector<std::string>& notes);
void set_loss(const XpcsRequest& request,
              const formats::homodyne::Configuration& configuration,
              xpcs::FitOptions& options,
              std::vector<std::string>& notes);
void set_search(const XpcsRequest& request,
                const formats::homodyne::Configuration& configuration,
                xpcs::FitOptions& options,
                std::vector<std::string>& notes);
void set_anti_degeneracy(const XpcsRequest& request,
                         const formats::homodyne::Configuration& configuration,
                         xpcs::FitOptions& options,
                         std::vector<std::string>& notes);
void set_tolerances(const XpcsRequest& request,
                    const formats::homodyne::Configuration& configuration,
                    xpcs::FitOptions& options);

void set_step_sizes(const formats::homodyne::Configuration& configuration,
                    xpcs::FitOptions& options,
                    std::vector<std::string>& notes);

std::string_view name_of(xpcs::nlsq::Loss::Kind kind) noexcept;

}  // namespace lockstep::app
