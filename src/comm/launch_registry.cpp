#include "comm/launch_registry.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::comm {
namespace {

// What a registry begins with; then follows a byte a rank, 1 once it has ended.
constexpr std::string_view mark = "LOCKSTEP REGISTRY\n";

void write_at(int descriptor, std::string_view bytes, std::size_t offset) {
    if (pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(bytes.size())) {
        throw IoError("no memory for the registry of ranks", IoError::Direction::write);
    }
}

}  // namespace

// Without the flag that closes it: ranks inherit it.
// NOLINTNEXTLINE(android-cloexec-memfd-create)
LaunchRegistry::LaunchRegistry() : descriptor_(memfd_create("lockstep-registry", 0)) {
    if (descriptor_ < 0) {
        throw IoError("no memory for the registry of ranks", IoError::Direction::write);
    }
    write_at(descriptor_, mark, 0);
}

LaunchRegistry::~LaunchRegistry() {
    close(descriptor_);
}

void LaunchRegistry::note_end(int rank) const {
    write_at(descriptor_, "\1", mark.size() + static_cast<std::size_t>(rank));
}

std::optional<int> ended_rank(int descriptor) noexcept {
    std::array<char, mark.size() + 4096> bytes{};
    const auto count = pread(descriptor, bytes.data(), bytes.size(), 0);
    if (count < 0 || !std::string_view(bytes.data(), mark.size()).starts_with(mark)) {
        return {};
    }
    const auto ranks = std::string_view(bytes.data(), bytes.size()).substr(mark.size());
    const auto ended = ranks.find('\1');
    return ended == ranks.npos ? std::optional<int>() : static_cast<int>(ended);
}

void check_nobody_ended(int descriptor, int own) {
    if (const auto ended = ended_rank(descriptor)) {
        throw EndedEarly(
            fmt::format("rank {}: rank {} ended before all ranks had met", own, *ended));
    }
}

}  // namespace lockstep::comm
