#pragma once

#include <filesystem>
#include <optional>

#include "lockstep/app/compare.hpp"
#include "lockstep/formats/cobre/results.hpp"

namespace lockstep::app {

// Where the files of two output directories first hold other bits, part by part; none: nowhere.

std::optional<Difference> differing_bounds(const formats::cobre::Results& left,
                                           const formats::cobre::Results& right);

/// Policy files of two output directories.
std::optional<Difference> differing_cuts(const std::filesystem::path& left,
                                         const std::filesystem::path& right);

std::optional<Difference> differing_scenarios(const formats::cobre::Results& left,
                                              const formats::cobre::Results& right);

}  // namespace lockstep::app
