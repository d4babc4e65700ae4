#include "comm/mpi/memory.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"

#include "comm/numa_interleave.hpp"

namespace lockstep::comm {
namespace {

constexpr const char* shared_folder = "/dev/shm";
constexpr std::size_t alignment = 64;  // a cache line, and the widest vector register

class MpiMemory final : public SharedMemory {
public:
    MpiMemory(std::shared_ptr<const MpiLink> link,
              const Communicator& owner,
              MpiWindow* window,
              std::span<std::byte> bytes)
        : link_(std::move(link)), owner_(owner), window_(window), bytes_(bytes) {}
    // Where others may not come, the memory is left to the end of the process.
    ~MpiMemory() override {
        allow_writes(true);
        if (link_->is_whole() && !link_->is_in_doubt() && !owner_.is_broken() &&
            std::uncaught_exceptions() == 0) {
            link_->table().free_shared(window_);
        }
    }

    [[nodiscard]] std::span<std::byte> bytes() noexcept override { return bytes_; }
    [[nodiscard]] bool is_shared() const noexcept override { return true; }
    void synchronise() override { link_->check(link_->table().synchronise(window_), "fence"); }

    // Whole pages only: the rest may be MPI's own.
    void allow_writes(bool allowed) override {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        void* begin = bytes_.data();
        std::size_t room = bytes_.size();
        if (std::align(page, page, begin, room) != nullptr) {
            mprotect(begin, room / page * page, allowed ? PROT_READ | PROT_WRITE : PROT_READ);
        }
    }

private:
    std::shared_ptr<const MpiLink> link_;
    const Communicator& owner_;
    MpiWindow* window_;
    std::span<std::byte> bytes_;
};

// Memory that is not there shows only as it is written, and then by a signal.
void check_room(const MpiLink& link, std::size_t bytes) {
    struct statvfs room {};
    std::uint64_t free_bytes = UINT64_MAX;
    if (link.rank() == 0 && statvfs(shared_folder, &room) == 0) {
        free_bytes = std::uint64_t{room.f_bavail} * room.f_frsize;
    }
    link.settle(link.table().broadcast(link.comm(), &free_bytes, sizeof free_bytes, 0),
                "create_region");
    if (bytes > free_bytes) {
        throw IoError(fmt::format("no room for a region of {} bytes: {} has {} left; enlarge it, "
                                  "for example by docker run --shm-size",
                                  bytes,
                                  shared_folder,
                                  free_bytes),
                      IoError::Direction::write);
    }
}

// MPI aligns windows to 8 bytes. All ranks map whole pages, so the same step leads all of them to
// the same place.
std::span<std::byte> aligned(void* start, std::size_t room, std::size_t bytes) {
    return {static_cast<std::byte*>(std::align(alignment, bytes, start, room)), bytes};
}

}  // namespace

std::unique_ptr<SharedMemory> share_memory(const std::shared_ptr<const MpiLink>& link,
                                           const Communicator& owner,
                                           std::size_t bytes) {
    check_room(*link, bytes);
    MpiWindow* window = nullptr;
    void* start = nullptr;
    const auto room = bytes + alignment;
    const NumaInterleave touches_all(link->rank() == 0 ? bytes : 0);
    const int code = link->table().allocate_shared(link->comm(), room, &window, &start);
    if (code != 0) {
        throw IoError(fmt::format("no shared memory for a region of {} bytes: {}; enlarge {}",
                                  bytes,
                                  link->session()->describe(code),
                                  shared_folder),
                      IoError::Direction::write);
    }
    const auto all = aligned(start, room, bytes);
    auto memory = std::make_unique<MpiMemory>(link, owner, window, all);
    if (link->rank() == 0) {
        std::ranges::fill(all, std::byte{0});
    }
    memory->synchronise();
    link->settle(link->table().barrier(link->comm()), "create_region");
    memory->synchronise();
    return memory;
}

}  // namespace lockstep::comm
