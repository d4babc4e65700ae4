#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/io/table.hpp"
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

/// Writes a policy as Cobre 0.18 does: cuts/NNN.bin for each node but the leaves, which share one
/// file, and manifest.bin last. What only this program has lies beside: lockstep.json, starts/ and
/// bounds/. An earlier manifest goes first, so that an interrupted call leaves no readable policy.
/// @throws IoError
void write_policy(const std::filesystem::path& directory,
                  const sddp::Problem& problem,
                  const sddp::Policy& policy,
                  const PolicyInfo& info);

/// Reads a policy, of this program or of Cobre: the same bits as were written. Slopes are found by
/// what they are of, wherever they stand.
/// @throws IoError     no policy there, or a file is missing or unreadable
/// @throws InputError  damaged, of another format version, or of a problem with other stages, nodes
///                     or state variables: the message names the first difference
sddp::Policy read_policy(const std::filesystem::path& directory, const sddp::Problem& problem);

/// Cuts of another study's policy that price the end of this one: those after its stage that ends
/// on the same day, by the states of `problem`. Storages and lags are found by plant and season,
/// commitments and water on its way by the days that their deliveries and arrivals share: a longer
/// delivery is the mean of what is known of it, and of an amount of water a part of the time has a
/// part. What the other prices and this one does not model is a warning, or refused where
/// `is_strict`.
/// @param case_directory  of this study, whose calendar goes on in its post_study_stages.json; may
///                        be empty
/// @throws IoError, InputError  as read_policy; also where it does not price a state of this study,
///                              no stage of it ends that day, or seasons or orders of inflow models
///                              differ
sddp::StageCuts read_boundary(const std::filesystem::path& directory,
                              bool is_strict,
                              const std::filesystem::path& case_directory,
                              const sddp::Problem& problem,
                              Problems& problems);

/// The manifest alone.
/// @throws as read_policy
PolicyInfo read_policy_info(const std::filesystem::path& directory);

/// A number of a state, as cuts have a slope for it.
struct StateSlot {
    std::string kind;    ///< storage, transit, commitment, energy, inflow_lag
    std::string entity;  ///< hydro, thermal, battery
    int entity_id = 0;
    int subindex = 0;  ///< lag from 1, stages until water arrives, place of a commitment; else 0
    std::string unit;
};

/// The state of a problem, in order.
std::vector<StateSlot> state_slots(const sddp::Problem& problem);

/// All cuts of a policy, a row each: stage_id, node_id, cut, iteration, trajectory, active,
/// intercept [$], and a column a state, "storage_3", "inflow_lag_3_1".
io::Table cut_matrix(const sddp::Problem& problem, const sddp::Policy& policy);

}  // namespace lockstep::formats::cobre
