#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace lockstep::io {

/// The bytes of a regular file, read only and as the system reads them: processes of one machine
/// that map the same file share one copy.
class MappedFile {
public:
    /// @throws IoError  missing, not a regular file, no permission, or the system maps nothing
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    /// Valid while this lives. Who shortens the file meanwhile ends the process.
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace lockstep::io
