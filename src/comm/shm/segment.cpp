#include "comm/shm/segment.hpp"

#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
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
        if (number_ >= 0) {
            close(number_);
        }
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
        do {
            error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes));
        } while (error == EINTR);
    }
    if (error != 0) {
        throw IoError(fmt::format("no {} bytes of shared memory for '{}': {}; enlarge /dev/shm, "
                                  "for example 'mount -o remount,size=4G /dev/shm', or 'docker run "
                                  "--shm-size=4g'",
                                  bytes,
                                  name,
                                  text_of(error)),
                      IoError::Direction::write);
    }
}

std::span<std::byte> map(const Descriptor& file, const std::string& name, std::size_t bytes) {
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (start == MAP_FAILED) {
        throw failure("map", name, errno);
    }
    return {static_cast<std::byte*>(start), bytes};
}

constexpr const char* folder = "/dev/shm";

// The lock is of the open file, which outlives its descriptor in what is mapped of it.
void lock(const Descriptor& file) {
    while (flock(file.number(), LOCK_EX) != 0 && errno == EINTR) {
        continue;
    }
}

// Whether the name was free.
bool give_name(const Descriptor& file, const std::string& name) {
    const auto memory = fmt::format("/proc/self/fd/{}", file.number());
    if (linkat(AT_FDCWD, memory.c_str(), AT_FDCWD, (folder + name).c_str(), AT_SYMLINK_FOLLOW) ==
        0) {
        return true;
    }
    if (errno == EEXIST) {
        return false;
    }
    throw failure("name", name, errno);
}

bool is_taken(const std::string& name) {
    struct stat status {};
    return lstat((folder + name).c_str(), &status) == 0;
}

}  // namespace

// The memory is whole and locked before it has a name: who dies on the way leaves nothing.
std::optional<ShmSegment> ShmSegment::create(const std::string& name, std::size_t bytes) {
    if (is_taken(name)) {
        return {};
    }
    const Descriptor file(::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file.number() < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
        return create_named(name, bytes);
    }
    if (file.number() < 0) {
        throw failure("create", name, errno);
    }
    lock(file);
    reserve(file, name, bytes);
    ShmSegment segment(map(file, name, bytes));
    if (!give_name(file, name)) {
        return {};
    }
    return segment;
}

// Where /dev/shm is of a kind that knows no files without a name.
std::optional<ShmSegment> ShmSegment::create_named(const std::string& name, std::size_t bytes) {
    const Descriptor file(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    if (file.number() < 0) {
        if (errno == EEXIST) {
            return {};
        }
        throw failure("create", name, errno);
    }
    try {
        lock(file);
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
        if (errno == ENOENT) {
            return {};
        }
        throw failure("open", name, errno);
    }
    struct stat status {};
    if (fstat(file.number(), &status) != 0) {
        throw failure("open", name, errno);
    }
    if (status.st_size == 0) {
        return {};
    }
    return ShmSegment(map(file, name, static_cast<std::size_t>(status.st_size)));
}

void ShmSegment::remove(const std::string& name) noexcept {
    shm_unlink(name.c_str());
}

ShmSegment::ShmSegment(ShmSegment&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), is_kept_(other.is_kept_) {}

ShmSegment::~ShmSegment() {
    if (!bytes_.empty() && !is_kept_) {
        munmap(bytes_.data(), bytes_.size());
    }
}

}  // namespace lockstep::comm
