#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace lockstep::io {

/// Room for data that may be larger than memory: a file that is written and read as memory is,
/// whose parts the system keeps in memory while there is some and on the disk otherwise.
///
/// Who has it open shares the bytes with others on the machine. No file is left behind once it has
/// lost its name.
class ScratchFile {
public:
    /// A new file of zeros under a temporary_name(), with its place on the disk reserved.
    /// @param folder  on a disk; made if missing
    /// @param bytes   above 0
    /// @throws IoError  no room, no permission: the message names the folder and the size
    static std::shared_ptr<ScratchFile> create(const std::filesystem::path& folder,
                                               std::size_t bytes);
    /// One that another process or thread has created, while it has its name.
    /// @throws IoError
    static std::shared_ptr<ScratchFile> open(const std::filesystem::path& path);
    /// The creator's takes its name away.
    ~ScratchFile();
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    /// The bytes stay while somebody has the file open, and then are gone.
    void remove_name() noexcept;
    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

private:
    ScratchFile(std::filesystem::path path, int descriptor, std::size_t bytes, bool is_named);

    std::filesystem::path path_;
    std::span<std::byte> bytes_;
    bool is_named_;  ///< and the name is to be removed by this one
};

}  // namespace lockstep::io
