#pragma once

#include <string>
#include <vector>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/formats/homodyne/configuration.hpp"
#include "lockstep/xpcs/model/measurement.hpp"

namespace lockstep::app {

/// The configuration with what the command line says.
/// @throws InputError  a name or value that the command line has wrong
formats::homodyne::Configuration configured(const XpcsRequest& request);

/// What the configuration asks for and no analysis does yet, a sentence each.
std::vector<std::string> wishes_not_met(const formats::homodyne::Configuration& configuration);
xpcs::Motion motion_of(const formats::homodyne::Configuration& configuration) noexcept;
/// Which scales may differ: as the command line says, or by homodyne's rule.
xpcs::ScaleMode scale_mode_of(const XpcsRequest& request,
                              const formats::homodyne::Configuration& configuration,
                              int angles);

/// How the fit goes, by configuration and command line; `notes` gets what was decided.
/// @throws InputError
xpcs::FitOptions fit_options(const XpcsRequest& request,
                             const formats::homodyne::Configuration& configuration,
                             const xpcs::Measurement& measurement,
                             std::vector<std::string>& notes);

/// How the posterior is drawn.
xpcs::SampleOptions sample_options(const XpcsRequest& request,
                                   const formats::homodyne::Configuration& configuration,
                                   const xpcs::Measurement& measurement,
                                   const xpcs::FitOptions& fitting,
                                   const xpcs::FitResult& fit);

std::string_view name_of(xpcs::ScaleMode mode) noexcept;
std::string_view name_of(xpcs::Motion motion) noexcept;
std::string_view name_of(xpcs::ShearTerm term) noexcept;

}  // namespace lockstep::app
