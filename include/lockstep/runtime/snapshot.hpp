#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::runtime {

/// What a snapshot belongs to. A run resumes only from one with equal fields.
struct SnapshotKey {
    std::string engine;  ///< "sddp", "xpcs", "rl"
    Digest input{};      ///< of the input files
    Digest options{};    ///< of the options that decide results
};

/// What a manifest says of a part.
struct SnapshotPart {
    std::uint64_t size = 0;  ///< [bytes]
    Digest digest{};
};

/// One snapshot on disk whose checks have passed.
class Snapshot {
public:
    Snapshot(std::filesystem::path folder, std::int64_t iteration, std::vector<SnapshotPart> parts)
        : folder_(std::move(folder)), iteration_(iteration), parts_(std::move(parts)) {}

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
    [[nodiscard]] std::int64_t iteration() const noexcept { return iteration_; }
    [[nodiscard]] int parts() const noexcept { return static_cast<int>(parts_.size()); }
    /// @throws IoError  the file cannot be read; InputError  it is not what was written
    [[nodiscard]] std::vector<std::byte> part(int index) const;

private:
    std::filesystem::path folder_;
    std::int64_t iteration_;
    std::vector<SnapshotPart> parts_;
};

/// Snapshots of one run in a directory: the newest three, each in a folder of its own.
///
/// A snapshot is parts (opaque bytes) and a manifest. Each part is written by one rank, whole or
/// not at all; the manifest comes last, then `latest` is switched; so a run that is killed at any
/// moment leaves the one before.
class SnapshotStore {
public:
    SnapshotStore(std::filesystem::path directory, SnapshotKey key);

    [[nodiscard]] const SnapshotKey& key() const noexcept { return key_; }

    /// Writes a snapshot. Every rank writes its block of the parts. Collective.
    /// @param part  bytes of a part, the same on every rank
    /// @return false when a rank could not write its part: nothing has changed on disk that load()
    ///         would see; `problem` says which and why
    bool save(comm::Communicator& ranks,
              std::int64_t iteration,
              int parts,
              const std::function<std::vector<std::byte>(int index)>& part,
              std::string& problem) const;

    /// The newest snapshot whose checks pass, the same on every rank; nothing when the directory
    /// holds none or does not exist. Every rank checks its block of the parts. Collective.
    /// @param passed_over  one sentence for each newer one that is damaged
    /// @throws IoError  the directory is there and cannot be read
    /// @throws InputError  the snapshot is of another input, option or program: which differs; or
    ///         all snapshots are damaged; or the ranks see different ones
    [[nodiscard]] std::optional<Snapshot> load(comm::Communicator& ranks,
                                               std::vector<std::string>& passed_over) const;

private:
    [[nodiscard]] std::filesystem::path folder_of(std::int64_t iteration) const;
    [[nodiscard]] std::vector<std::int64_t> whole_ones() const;
    [[nodiscard]] Snapshot open(comm::Communicator& ranks, std::int64_t iteration) const;
    void prune(std::int64_t newest) const;

    std::filesystem::path directory_;
    SnapshotKey key_;
};

}  // namespace lockstep::runtime
