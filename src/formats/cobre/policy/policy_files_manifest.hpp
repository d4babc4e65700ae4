#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/io/json.hpp"

namespace lockstep::formats::cobre::out {

inline constexpr std::string_view manifest_name = "manifest.json";

/// Path of the cuts of a stage: cuts/003.parquet.
std::filesystem::path cuts_path(const std::filesystem::path& directory, std::size_t stage);

/// Path of where a simulation starts at a stage: starts/003.bin.
std::filesystem::path start_path(const std::filesystem::path& directory, std::size_t stage);

/// Whether the policy says where a simulation starts; those of earlier versions do not.
bool has_starts(const io::Json& manifest);

io::Json to_manifest(const sddp::Problem& problem,
                     const sddp::Policy& policy,
                     const PolicyInfo& info);

/// A manifest of a format that this program reads.
/// @throws IoError, InputError
io::Json read_manifest(const std::filesystem::path& directory);

/// What tells the state variables of a manifest, or of the dictionary of a problem, apart:
/// "inflow_lag of hydro 3 (lag 1)".
/// @throws InputError
std::vector<std::string> state_names(const io::Json& dictionary, std::string_view file);

/// Index of the stage with cuts that ends on a day.
/// @param date  "2026-02-01"
/// @throws InputError  there is none, or the policy is one of a graph
std::size_t stage_that_ends(const io::Json& manifest,
                            const std::string& date,
                            std::string_view file);

PolicyInfo to_info(const io::Json& manifest, std::string_view file);

/// Number of cuts that the manifest promises for each stage.
std::vector<std::int64_t> cut_counts(const io::Json& manifest, std::string_view file);

/// @throws InputError  the manifest's stages or state variables are not the problem's
void check_manifest(const io::Json& manifest, const sddp::Problem& problem, std::string_view file);

}  // namespace lockstep::formats::cobre::out
