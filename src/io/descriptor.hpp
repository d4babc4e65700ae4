#pragma once

#include <filesystem>
#include <utility>

#include <unistd.h>

namespace lockstep::io {

/// Closes a file descriptor where nothing depends on whether that goes well.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            descriptor_ = std::exchange(other.descriptor_, -1);
        }
        return *this;
    }
    [[nodiscard]] int get() const noexcept { return descriptor_; }

private:
    void close() noexcept {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    int descriptor_ = -1;
};

/// Opens a regular file for reading; never waits, as it would for a pipe.
/// @throws IoError  missing, no permission, not a regular file
Descriptor open_regular(const std::filesystem::path& path);

}  // namespace lockstep::io
