#include "comm/shm/segment.hpp"

#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

#include "comm/numa_interleave.hpp"

namespace lockstep::comm {
namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0)
            close(number_);
    }
    [[nodiscard]] int number() const noexcept { return number_; }

private:
    int number_;
};

std::string text_of(int error) {
    return std::generic_category().message(error);
}

IoError failure(const char* what, const std::string& name, int error) {
    return {fmt::format("cannot {} shared memory '{}': {}; /dev/shm must be a tmpfs in which this "
                        "user may write",
                        what,
                        name,
                        text_of(error)),
            IoError::Direction::write};
}

// Merely setting the size would succeed on a full tmpfs, and the first write die of SIGBUS.
void reserve(const Descriptor& file, const std::string& name, std::size_t bytes) {
    int error = EFBIG;
    if (std::in_range<off_t>(bytes)) {
        const NumaInterleave touches_all(bytes);
        do
            error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes));
        while (error == EINTR);
    }
    if (error != 0)
        throw IoError(fmt::format("no {} bytes of shared memory for '{}': {}; enlarge /dev/shm, "
                                  "for example 'mount -o remount,size=4G /dev/shm', or 'docker run "
                                  "--shm-size=4g'",
                                  bytes,
                                  name,
                                  text_of(error)),
                      IoError::Direction::write);
}

std::span<std::byte> map(const Descriptor& file, const std::string& name, std::size_t bytes) {
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (start == MAP_FAILED)
        throw failure("map", name, errno);
    return {static_cast<std::byte*>(start), bytes};
}

}  // namespace

std::optional<ShmSegment> ShmSegment::create(const std::string& name, std::size_t bytes) {
    const Descriptor file(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    if (file.number() < 0) {
        if (errno == EEXIST)
            return {};
        throw failure("create", name, errno);
    }
    try {
        reserve(file, name, bytes);
        return ShmSegment(map(file, name, bytes));
    } catch (...) {
        remove(name);
        throw;
    }
}

std::optional<ShmSegment> ShmSegment::open(const std::string& name) {
    const Descriptor file(shm_open(name.c_str(), O_RDWR, 0));
    if (file.number() < 0) {
        if (errno == ENOENT)
            return {};
        throw failure("open", name, errno);
    }
    struct stat status {};
    if (fstat(file.number(), &status) != 0)
        throw failure("open", name, errno);
    if (status.st_size == 0)
        return {};
    return ShmSegment(map(file, name, static_cast<std::size_t>(status.st_size)));
}

void ShmSegment::remove(const std::string& name) noexcept {
    shm_unlink(name.c_str());
}

ShmSegment::ShmSegment(ShmSegment&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), is_kept_(other.is_kept_) {}

ShmSegment::~ShmSegment() {
    if (!bytes_.empty() && !is_kept_)
        munmap(bytes_.data(), bytes_.size());
}

}  // namespace lockstep::comm
