#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/xpcs/model/measurement.hpp"

namespace lockstep::app {

/// The configuration with what the command line says.
/// @throws InputError  a name or value that the command line has wrong
formats::homodyne::Configuration configured(const XpcsRequest& request);
/// The same of a configuration that was read.
formats::homodyne::Configuration configured(const XpcsRequest& request,
                                            formats::homodyne::Configuration configuration);

/// Which scales may differ: as the command line says, or by homodyne's rule.
xpcs::ScaleMode scale_mode_of(const XpcsRequest& request,
                              const formats::homodyne::Configuration& configuration,
                              int angles);

/// How the fit goes, by configuration and command line, as far as can be said without the data;
/// `notes` gets what was decided.
/// @throws InputError
xpcs::FitOptions planned_fit(const XpcsRequest& request,
                             const formats::homodyne::Configuration& configuration,
                             int angles,
                             std::vector<std::string>& notes);

/// The same with what the data say.
/// @throws InputError
xpcs::FitOptions fit_options(const XpcsRequest& request,
                             const formats::homodyne::Configuration& configuration,
                             const formats::homodyne::Loaded& loaded,
                             std::vector<std::string>& notes);

std::uint64_t sampling_seed(const XpcsRequest& request,
                            const formats::homodyne::Cmc& configuration);
/// How the posterior is drawn.
xpcs::SampleOptions sample_options(const XpcsRequest& request,
                                   const formats::homodyne::Configuration& configuration,
                                   const xpcs::Measurement& measurement,
                                   const xpcs::FitOptions& fitting,
                                   const xpcs::FitResult& fit);

std::string_view name_of(xpcs::ScaleMode mode) noexcept;
std::string_view name_of(xpcs::Motion motion) noexcept;
/// Of "static" or "laminar_flow".
xpcs::Motion motion_named(std::string_view mode) noexcept;
std::string_view name_of(xpcs::ShearTerm term) noexcept;

}  // namespace lockstep::app
