#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/policy.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::formats::cobre {

/// What a policy folder says about how its cuts were made.
struct PolicyInfo {
    std::string created_at;  ///< ISO 8601, UTC; no part of any digest
    int completed_iterations = 0;
    int forward_passes = 0;
    double lower_bound = 0;                   ///< [$], of the last iteration
    std::optional<double> upper_bound;        ///< [$], of the last iteration
    std::vector<double> lower_bound_history;  ///< [completed_iterations], [$]
    std::int64_t tree_seed = 0;
    Digest input_digest{};
};

/// Writes a policy: cuts/NNN.parquet for each stage but the last, then manifest.json.
///
/// Columns of a cut file: piece_id (INT64), iteration, trajectory (INT32), intercept (DOUBLE, [$]),
/// active (BOOLEAN), coefficients (list of DOUBLE): storages [$/hm³], then inflow lags [$/(m³/s)],
/// lag-major. An earlier manifest goes first, so that an interrupted call leaves no readable
/// policy.
/// @throws IoError
void write_policy(const std::filesystem::path& directory,
                  const sddp::Problem& problem,
                  const sddp::Policy& policy,
                  const PolicyInfo& info);

/// Reads a policy back, the same bits as were written.
/// @throws IoError     no policy there, or a file is missing or unreadable
/// @throws InputError  damaged, of another format version, or of a problem with other stages or
/// state
///                     variables: the message names the first difference
sddp::Policy read_policy(const std::filesystem::path& directory, const sddp::Problem& problem);

/// Cuts of another study's policy that price the end of this one: those after its stage that ends
/// on the same day, by the states of `problem`. What the other prices and this one does not model
/// is a warning, or refused where `is_strict`.
/// @throws IoError, InputError  as read_policy; also where it does not price a state of this study,
///                              or no stage of it ends that day
sddp::StageCuts read_boundary(const std::filesystem::path& directory,
                              bool is_strict,
                              const sddp::Problem& problem,
                              Problems& problems);

/// The manifest alone.
/// @throws as read_policy
PolicyInfo read_policy_info(const std::filesystem::path& directory);

}  // namespace lockstep::formats::cobre
