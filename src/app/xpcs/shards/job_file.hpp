#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/io/mapped_file.hpp"
#include "lockstep/xpcs/shard_work.hpp"

namespace lockstep::app {

/// Writes everything that worker processes of this build need to sample shards: settings, and the
/// data of each shard. Memory is that of one shard.
/// @returns the digest of all of it
/// @throws IoError
Digest write_shard_job(const std::filesystem::path& path, const xpcs::ShardWork& work);

/// Such a file, mapped: the worker processes of a machine share one copy.
class ShardJob {
public:
    /// @throws IoError  it cannot be read; InputError  it is damaged, or of another build
    explicit ShardJob(const std::filesystem::path& path);

    /// Its tasks. Who runs them reads from this, which has to outlive it.
    [[nodiscard]] xpcs::ShardWork work() const;

private:
    [[nodiscard]] std::span<const std::byte> shard(int number) const;

    std::filesystem::path path_;
    io::MappedFile file_;
    std::span<const std::byte> settings_;
    std::vector<std::size_t> ends_;  // [shards + 1] of the shards before, in the file
    std::vector<Digest> digests_;    // [shards]
};

}  // namespace lockstep::app
