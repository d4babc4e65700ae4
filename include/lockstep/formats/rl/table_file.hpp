#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "lockstep/formats/rl/environment_record.hpp"
#include "lockstep/formats/rl/names.hpp"
#include "lockstep/rl/environment.hpp"
#include "lockstep/rl/learn/table.hpp"

namespace lockstep::formats::rl {

/// Where a table comes from.
struct TableRecord {
    EnvironmentRecord environment;
    std::string algorithm;         ///< "q_learning"
    double discount_factor = 1;    ///< of a step
    std::int64_t transitions = 0;  ///< that it was learned from
    std::string digest;            ///< of the table, as the run told it; may be empty
};

struct TableFile {
    TableRecord record;
    lockstep::rl::QTable table;
};

/// Writes a table into a folder:
///
///     q_table.parquet  state, action, value, visits: the legal pairs, states ascending, and
///                      state_name, action_name where there are names; the record stands in the
///                      metadata under "lockstep.q_table"
///     q_table.npy      values as an array [states, actions] for NumPy, 0 where illegal: of
///                      float64, or of float32 where they were stored so
///
/// @param legal  the legal actions of a state
/// @param names  of the environment's model
/// @throws IoError  a file cannot be written
void write_table(const std::filesystem::path& folder,
                 const TableRecord& record,
                 const lockstep::rl::QTable& table,
                 const std::function<lockstep::rl::ActionMask(int)>& legal,
                 const Names& names = {});
/// What it writes, relative to the folder.
inline constexpr std::array<const char*, 2> table_files = {"q_table.parquet", "q_table.npy"};

/// Reads the table of a folder, from q_table.parquet.
/// @throws IoError  missing, unreadable; InputError  no such table, another version, damaged: each
/// value and visit is checked against a fingerprint
TableFile read_table(const std::filesystem::path& folder);

/// Refuses a table that was learned elsewhere.
/// @throws InputError  names both environments, or both shapes
void require_environment(const TableRecord& record, const EnvironmentRecord& wanted);

}  // namespace lockstep::formats::rl
