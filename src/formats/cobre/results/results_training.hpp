#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "lockstep/formats/cobre/result_records.hpp"

namespace lockstep::formats::cobre::out {

// Tables and files of training/ below `directory`.

/// @throws IoError, InputError
std::vector<IterationRecord> read_iterations(const std::filesystem::path& directory);

/// Of the iterations that had an evaluation; nothing where there is no such table.
/// @throws IoError, InputError
std::vector<EvaluationRecord> read_inner_bounds(const std::filesystem::path& directory);
std::vector<EvaluationRecord> read_policy_costs(const std::filesystem::path& directory);

/// Nothing where there is no such table.
/// @throws IoError, InputError
std::vector<RankRecord> read_ranks(const std::filesystem::path& directory);

/// @throws IoError, InputError
std::optional<ProvenanceRecord> read_provenance(const std::filesystem::path& directory);

}  // namespace lockstep::formats::cobre::out
