#pragma once

#include <filesystem>

namespace lockstep::app {

/// A case comes from somebody else at times; the files that its run writes and replaces must not be
/// anywhere. Links count as what they point to.
/// @param policy  where policy.path of config.json leads
/// @throws InputError  it is neither inside the case nor inside the output
void check_policy_place(const std::filesystem::path& policy,
                        const std::filesystem::path& case_directory,
                        const std::filesystem::path& output);

}  // namespace lockstep::app
