#pragma once

#include <filesystem>
#include <string>

namespace lockstep::app {

/// Keeps other runs out of an output directory while this one writes it: an advisory lock on a file
/// in it, which the system takes away from an owner that dies.
class OutputLock {
public:
    static constexpr const char* file_name = ".lockstep-lock";

    OutputLock() = default;
    ~OutputLock() { release(); }
    OutputLock(const OutputLock&) = delete;
    OutputLock& operator=(const OutputLock&) = delete;

    /// Nothing when it is held already.
    /// @throws InputError  another process holds it: which one, since when; IoError  the directory
    ///         cannot be written
    void hold(const std::filesystem::path& directory);
    void release() noexcept;

private:
    int descriptor_ = -1;
    std::filesystem::path file_;
};

}  // namespace lockstep::app
