#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lockstep/formats/records/output_metadata.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/io/page.hpp"

namespace lockstep::app {

/// What a report is made of.
struct XpcsResults {
    std::filesystem::path output;
    formats::OutputMetadata metadata;
    formats::xpcs::FitRecord fit;
    std::optional<formats::xpcs::PosteriorRecord> posterior{};
};

/// A value that was fitted, by name; nullptr: there is none.
const formats::xpcs::ValueRecord* find_value(const formats::xpcs::FitRecord& fit,
                                             const std::string& name);
/// A quantity that was drawn, by name; nullptr: there is none.
const formats::xpcs::QuantityRecord* find_quantity(const XpcsResults& results,
                                                   const std::string& name);
/// "D0 [Å²/s]".
std::string with_unit(const formats::xpcs::ValueRecord& value);
/// Of D(t) and the shear rate; neither contrast nor offset.
bool is_physical(const std::string& name);

// The parts of a report, each added to `page` only where the results have something for it.

/// What was fitted, how it ended and what its errors mean, in words.
void add_fit_facts(io::Page& page, const XpcsResults& results);

/// Values with both intervals, contrasts and offsets over the angles.
void add_parameters(io::Page& page, const XpcsResults& results);

/// χ² and gradient over the iterations.
void add_iterations(io::Page& page, const XpcsResults& results);

/// C(t₁, t₂), model, residuals and g₁² by angle.
void add_matrices(io::Page& page, const XpcsResults& results);

/// D(t) and shear rate.
void add_transport(io::Page& page, const XpcsResults& results);

/// Corner plot, chains, and whether the draws can be relied on.
void add_posterior(io::Page& page, const XpcsResults& results);

/// Shards beside all data, and where they were sampled.
void add_shards(io::Page& page, const XpcsResults& results);

/// With what the results were made.
void add_run(io::Page& page, const XpcsResults& results);

}  // namespace lockstep::app
