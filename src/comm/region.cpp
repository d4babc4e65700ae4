#include "lockstep/comm/region.hpp"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {
namespace {

#ifdef NDEBUG
constexpr bool protects_readers = false;
#else
constexpr bool protects_readers = true;
#endif

}  // namespace

Region::Region(Communicator& node, std::unique_ptr<SharedMemory> memory)
    : node_(node), memory_(std::move(memory)), recoveries_(node.recoveries()) {}

std::size_t Region::size() const noexcept {
    return memory_->bytes().size();
}

bool Region::is_shared() const noexcept {
    return memory_->is_shared();
}

bool Region::is_writer() const noexcept {
    return !is_shared() || node_.rank() == 0;
}

std::span<std::byte> Region::writer_span() {
    must_be_writing(true);
    return is_writer() ? memory_->bytes() : std::span<std::byte>();
}

std::span<std::byte> Region::partition_span(std::size_t begin, std::size_t end) {
    must_be_writing(true);
    if (begin > end || end > size()) {
        throw AssertionError(fmt::format("region: range {} to {} of {} bytes", begin, end, size()));
    }
    return memory_->bytes().subspan(begin, end - begin);
}

std::span<const std::byte> Region::view() const {
    must_be_writing(false);
    return memory_->bytes();
}

void Region::publish() {
    must_be_writing(true);
    must_be_whole();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    memory_->synchronise();
    node_.barrier();
    memory_->synchronise();
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Region::fence() {
    publish();
    is_writing_ = false;
    ++generation_;
    if (protects_readers) {
        memory_->allow_writes(false);
    }
}

void Region::begin_update() {
    must_be_writing(false);
    must_be_whole();
    node_.barrier();
    is_writing_ = true;
    if (protects_readers) {
        memory_->allow_writes(true);
    }
}

void Region::must_be_writing(bool writing) const {
    if (is_writing_ != writing) {
        throw AssertionError(writing ? "region: written outside a writing phase"
                                     : "region: read inside a writing phase");
    }
}

void Region::must_be_whole() const {
    if (node_.recoveries() != recoveries_) {
        throw CommError("region: its communicator has recovered since; create another one");
    }
}

}  // namespace lockstep::comm
