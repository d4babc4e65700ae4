#include "lockstep/io/mapped_file.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lockstep/base/error.hpp"

#include "io/descriptor.hpp"

namespace lockstep::io {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw IoError(fmt::format("cannot read {}: {}",
                              path.string(),
                              std::error_code(errno, std::generic_category()).message()),
                  IoError::Direction::read);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
    const auto file = open_regular(path);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        fail(path);
    }
    if (status.st_size == 0) {
        return;  // of which the system maps nothing
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (start == MAP_FAILED) {
        fail(path);
    }
    bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) {
        ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
}

}  // namespace lockstep::io
