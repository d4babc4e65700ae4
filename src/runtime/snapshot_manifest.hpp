#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/error.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/runtime/snapshot.hpp"

namespace lockstep::runtime {

inline constexpr std::string_view manifest_name = "manifest.json";

/// What a snapshot folder holds; the last file that is written into it.
struct Manifest {
    struct Part {
        std::string file;
        std::uint64_t size = 0;
        Digest digest{};
    };
    SnapshotKey key;
    std::int64_t iteration = 0;
    int ranks = 0;      ///< that wrote it; for people
    std::string build;  ///< of the program that wrote it
    std::vector<Part> parts;
};

/// A whole snapshot that belongs to something else.
class SnapshotMismatch : public InputError {
public:
    using InputError::InputError;
};

/// "iteration-00000012"
std::string folder_name(std::int64_t iteration);
std::optional<std::int64_t> iteration_of_folder(std::string_view name);

/// Of the present build.
std::string to_text(const Manifest& manifest);

/// @throws IoError, InputError  unreadable, damaged, another format version, or a field that is
///         missing
Manifest read_manifest(const std::filesystem::path& file);
/// The text of a manifest's members, with the digest of them as the last one.
std::string sealed(io::Json members);
/// That a text is as sealed() made it, so that damage is not taken for a difference.
/// @throws InputError  it is not; `name` is for messages
void check_seal(std::string_view text, std::string_view name);
/// The fields of a text, whatever its seal.
/// @throws InputError  as read_manifest
Manifest parse_manifest(std::string_view text, std::string_view name);

/// @throws SnapshotMismatch  names what differs and what to do
void check_key(const Manifest& manifest, const SnapshotKey& key, const std::filesystem::path& file);

}  // namespace lockstep::runtime
