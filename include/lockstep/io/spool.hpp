#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::io {

/// Numbered records that several processes write, each into a file of its own below one folder, and
/// that one of them reads when all are done.
///
/// A record is there as soon as append() returns, also when its process is killed after that; one
/// that is torn is not there. A record may be appended twice with equal bytes. The files are hidden
/// and have temporary names: remove_temporaries() takes what a killed run left.
class Spool {
public:
    /// @throws IoError
    explicit Spool(const std::filesystem::path& folder);
    ~Spool();
    Spool(Spool&&) noexcept;
    Spool& operator=(Spool&&) noexcept;

    /// @throws IoError  cannot be written, for example a full disk
    void append(std::int64_t number, std::span<const std::byte> record);
    /// Other machines see what was appended.
    /// @throws IoError
    void sync();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The records below a folder.
class SpooledRecords {
public:
    /// @throws IoError  a file cannot be read
    explicit SpooledRecords(const std::filesystem::path& folder);
    ~SpooledRecords();
    SpooledRecords(SpooledRecords&&) noexcept;
    SpooledRecords& operator=(SpooledRecords&&) noexcept;

    /// @throws IoError  no process left that record whole
    [[nodiscard]] std::vector<std::byte> read(std::int64_t number) const;
    /// Removes the files.
    void remove() noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::io
