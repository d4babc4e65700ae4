#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace lockstep::comm {

/// Shared memory that this process has mapped.
///
/// Name and memory live apart: others find the memory by its name; once they have it the name may
/// go, and the memory lasts as long as somebody maps it. Who made it holds a lock on the file as
/// long as it maps it, so that a name whose maker has died is told from one in use, wherever that
/// ran (remove_abandoned_memory).
class ShmSegment {
public:
    /// Zeroed memory with a place reserved for every page: it cannot run out later.
    /// @param name  begins with '/'
    /// @returns nothing when the name is taken
    /// @throws IoError  shared memory is full or cannot be used, and the remedy
    static std::optional<ShmSegment> create(const std::string& name, std::size_t bytes);
    /// @returns nothing when there is no such name, or its memory has no size yet
    /// @throws IoError  it cannot be opened or mapped
    static std::optional<ShmSegment> open(const std::string& name);
    /// No error when it is gone already.
    static void remove(const std::string& name) noexcept;

    ShmSegment(ShmSegment&& other) noexcept;
    ShmSegment& operator=(ShmSegment&&) = delete;
    ~ShmSegment();

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    /// Leaves the memory mapped until the process ends.
    void keep_mapped() noexcept { is_kept_ = true; }

private:
    explicit ShmSegment(std::span<std::byte> bytes) : bytes_(bytes) {}
    static std::optional<ShmSegment> create_named(const std::string& name, std::size_t bytes);

    std::span<std::byte> bytes_;
    bool is_kept_ = false;
};

/// Removes a name at the end of a scope.
class ShmNameGuard {
public:
    explicit ShmNameGuard(std::string name) : name_(std::move(name)) {}
    ShmNameGuard(const ShmNameGuard&) = delete;
    ShmNameGuard& operator=(const ShmNameGuard&) = delete;
    ~ShmNameGuard() { ShmSegment::remove(name_); }

private:
    std::string name_;
};

}  // namespace lockstep::comm
