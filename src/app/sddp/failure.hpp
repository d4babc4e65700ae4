#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lockstep/sddp/calendar.hpp"
#include "lockstep/sddp/train.hpp"

namespace lockstep::app {

/// Where the LP of a failure goes: infeasible-<stage index>.mps in a part of the output, or
/// unsolved-<stage index>.mps when a solution may exist.
std::filesystem::path infeasible_file(const std::filesystem::path& part,
                                      const sddp::Failure& failure);

/// Whether infeasible_file makes such names.
bool is_infeasible_file(std::string_view name);

/// What a user has to know of a stage without a solution.
std::string failure_text(const sddp::Failure& failure,
                         const sddp::Calendar& calendar,
                         const std::filesystem::path& mps);

}  // namespace lockstep::app
