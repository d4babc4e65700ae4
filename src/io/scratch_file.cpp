#include "lockstep/io/scratch_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "io/descriptor.hpp"

namespace lockstep::io {
namespace {

constexpr int owner_only = 0600;

std::string reason(int code) {
    return std::generic_category().message(code);
}

[[noreturn]] void refuse(const std::filesystem::path& folder, std::size_t bytes, int code) {
    throw IoError(
        fmt::format("no room for {} bytes in {}: {}", bytes, folder.string(), reason(code)),
        IoError::Direction::write);
}

}  // namespace

ScratchFile::ScratchFile(std::filesystem::path path,
                         int descriptor,
                         std::size_t bytes,
                         bool is_named)
    : path_(std::move(path)), is_named_(is_named) {
    void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (start == MAP_FAILED) {
        const int code = errno;
        remove_name();
        refuse(path_.parent_path(), bytes, code);
    }
    bytes_ = {static_cast<std::byte*>(start), bytes};
}

std::shared_ptr<ScratchFile> ScratchFile::create(const std::filesystem::path& folder,
                                                 std::size_t bytes) {
    make_folder(folder);
    const auto path = temporary_name(folder / "scratch");
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, owner_only));
    if (file.get() < 0) {
        refuse(folder, bytes, errno);
    }
    // Without its place reserved, a full disk would end the process where it writes.
    if (const int code = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)); code != 0) {
        ::unlink(path.c_str());
        refuse(folder, bytes, code);
    }
    return std::shared_ptr<ScratchFile>(new ScratchFile(path, file.get(), bytes, true));
}

std::shared_ptr<ScratchFile> ScratchFile::open(const std::filesystem::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
        throw IoError(fmt::format("cannot open {}: {}", path.string(), reason(errno)),
                      IoError::Direction::read);
    }
    return std::shared_ptr<ScratchFile>(
        new ScratchFile(path, file.get(), static_cast<std::size_t>(status.st_size), false));
}

ScratchFile::~ScratchFile() {
    remove_name();
    ::munmap(bytes_.data(), bytes_.size());
}

void ScratchFile::remove_name() noexcept {
    if (std::exchange(is_named_, false)) {
        ::unlink(path_.c_str());
    }
}

}  // namespace lockstep::io
