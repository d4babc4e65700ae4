#include "comm/shm/memory.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include "lockstep/base/error.hpp"

#include "comm/agreed_outcome.hpp"
#include "comm/shm/segment.hpp"

namespace lockstep::comm {
namespace {

class MappedMemory final : public SharedMemory {
public:
    explicit MappedMemory(std::optional<ShmSegment> segment) : segment_(std::move(segment)) {}
    [[nodiscard]] std::span<std::byte> bytes() noexcept override {
        return segment_ ? segment_->bytes() : std::span<std::byte>();
    }
    [[nodiscard]] bool is_shared() const noexcept override { return true; }
    void allow_writes(bool allowed) override {
        if (segment_) {
            mprotect(bytes().data(), bytes().size(), PROT_READ | (allowed ? PROT_WRITE : 0));
        }
    }

private:
    std::optional<ShmSegment> segment_;  // none for 0 bytes
};

}  // namespace

std::unique_ptr<SharedMemory> share_memory(Communicator& communicator,
                                           const std::string& name,
                                           std::size_t bytes) {
    std::optional<ShmSegment> segment;
    if (bytes == 0) {
        return std::make_unique<MappedMemory>(std::move(segment));
    }
    const ShmNameGuard guard(name);
    const auto need = [&](std::optional<ShmSegment> found) {
        if (!found) {
            throw IoError(fmt::format("shared memory '{}' is not what rank 0 made", name),
                          IoError::Direction::read);
        }
        segment.emplace(std::move(*found));
    };
    agree_on_outcome(communicator, [&] {
        if (communicator.rank() == 0) {
            need(ShmSegment::create(name, bytes));
        }
    });
    agree_on_outcome(communicator, [&] {
        if (communicator.rank() != 0) {
            need(ShmSegment::open(name));
        }
    });
    return std::make_unique<MappedMemory>(std::move(segment));
}

}  // namespace lockstep::comm
