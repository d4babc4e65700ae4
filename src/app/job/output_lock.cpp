#include "app/job/output_lock.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

#include "app/job/circumstances.hpp"

namespace lockstep::app {
namespace {

std::string content_of(int descriptor) {
    std::array<char, 256> text{};
    const auto length = ::pread(descriptor, text.data(), text.size(), 0);
    return {text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

// An owner that ends takes the file's name away; who waited for it holds a file that nobody will
// find.
bool is_named(int descriptor, const std::filesystem::path& file) {
    struct stat open {};
    struct stat named {};
    return ::fstat(descriptor, &open) == 0 && ::stat(file.c_str(), &named) == 0 &&
           open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

void write_owner(int descriptor) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const auto text = fmt::format("process {} on {} since {}", ::getpid(), host.data(), utc_now());
    // Only the message of a second run is the poorer without it.
    [[maybe_unused]] const auto written =
        ::ftruncate(descriptor, 0) == 0 ? ::pwrite(descriptor, text.data(), text.size(), 0) : 0;
}

int open_lock(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor < 0) {
        throw IoError(
            fmt::format(
                "{} cannot be written: {}", file.parent_path().string(), std::strerror(errno)),
            IoError::Direction::write);
    }
    return descriptor;
}

}  // namespace

void OutputLock::hold(const std::filesystem::path& directory) {
    const auto file = directory / file_name;
    while (descriptor_ < 0) {
        const int descriptor = open_lock(file);
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            const auto owner = content_of(descriptor);
            ::close(descriptor);
            throw InputError(fmt::format(
                "{}: another run is writing here ({}); let it end, or choose another --output",
                directory.string(),
                owner.empty() ? "process not known" : owner));
        }
        if (is_named(descriptor, file)) {
            write_owner(descriptor);
            descriptor_ = descriptor;
            file_ = file;
        } else {
            ::close(descriptor);
        }
    }
}

void OutputLock::release() noexcept {
    if (descriptor_ < 0) {
        return;
    }
    ::unlink(file_.c_str());
    ::close(std::exchange(descriptor_, -1));
}

}  // namespace lockstep::app
