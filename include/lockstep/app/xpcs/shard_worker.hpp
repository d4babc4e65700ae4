#pragma once

#include <filesystem>

namespace lockstep::app {

/// A worker process of a consensus: samples shards of the job in a file until its farm hangs up.
/// @returns what main() should
/// @throws IoError, InputError  the job
int serve_shards(const std::filesystem::path& job);

/// One element of a job array: runs the task of that index in a folder of its farm.
/// @throws as serve_shards; IoError, InputError  the task
int serve_shard_element(const std::filesystem::path& job,
                        const std::filesystem::path& folder,
                        int index);

}  // namespace lockstep::app
