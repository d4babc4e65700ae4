#include "lockstep/comm/communicator.hpp"

#include <exception>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/aligned.hpp"
#include "lockstep/base/error.hpp"

#include "comm/backends.hpp"
#include "comm/call_clock.hpp"
#include "comm/reduction.hpp"

namespace lockstep::comm {
namespace {

constexpr std::size_t most_layouts_kept = 8;
constexpr std::size_t most_gathered_bytes_kept = std::size_t{16} << 20;

bool do_overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
    const std::less<> is_before;
    return !a.empty() && !b.empty() && is_before(a.data(), b.data() + b.size()) &&
           is_before(b.data(), a.data() + a.size());
}

// Larger than any number of bytes where there is no such number.
std::size_t bytes_of(std::int64_t elements, std::size_t width) {
    std::size_t bytes = 0;
    return __builtin_mul_overflow(static_cast<std::size_t>(elements), width, &bytes)
               ? std::numeric_limits<std::size_t>::max()
               : bytes;
}

void check_gather(std::span<const std::byte> send,
                  std::span<const std::byte> receive,
                  const Layout& layout,
                  std::size_t width,
                  int rank,
                  int size) {
    if (layout.ranks() != size) {
        throw CommError(fmt::format(
            "allgatherv: the layout has {} ranks, the communicator {}", layout.ranks(), size));
    }
    if (send.size() != bytes_of(layout.count(rank), width)) {
        throw CommError(fmt::format("allgatherv: rank {} sends {} elements, its layout says {}",
                                    rank,
                                    send.size() / width,
                                    layout.count(rank)));
    }
    if (receive.size() < bytes_of(layout.extent(), width)) {
        throw CommError(
            fmt::format("allgatherv: rank {} receives into {} elements, its layout needs {}",
                        rank,
                        receive.size() / width,
                        layout.extent()));
    }
    if (do_overlap(send, receive)) {
        throw CommError("allgatherv: the send and receive buffers overlap");
    }
}

class OwnMemory final : public SharedMemory {
public:
    explicit OwnMemory(std::size_t bytes) : bytes_(zeroed_bytes(bytes)) {}
    [[nodiscard]] std::span<std::byte> bytes() noexcept override { return bytes_; }
    [[nodiscard]] bool is_shared() const noexcept override { return false; }

private:
    AlignedVector<std::byte> bytes_;
};

void check_reduce(std::size_t length, ReduceOp op, char type) {
    if (length == 0) {
        throw CommError("allreduce: 0 values, must be 1 or more");
    }
    if (op == ReduceOp::bit_or && type != 'u') {
        throw CommError("allreduce: bit_or is for unsigned integers only");
    }
}

}  // namespace

Communicator::Communicator() : clock_(CallClock::shared()) {}

void Communicator::do_time(const CallStamp&, double) noexcept {}

// One collective: nothing runs on a broken communicator or beside another call, and a failure
// breaks it.
template <typename F>
void Communicator::run(CallStamp& stamp, F&& transfer) {
    if (is_broken()) {
        throw CommError(fmt::format("communicator is broken since: {}", broken_by_));
    }
    if (is_busy_.exchange(true, std::memory_order_acquire)) {
        throw CommError(
            fmt::format("rank {} entered a collective while it was in another one: "
                        "they come from one thread at a time",
                        rank()));
    }
    stamp.sequence = calls_++;
    ++traffic_.calls;
    const auto start = clock_.now();
    try {
        transfer();
    } catch (const std::exception& error) {
        broken_by_ = error.what();
        is_busy_ = false;
        throw;
    }
    const double seconds = clock_.seconds_since(start);
    traffic_.seconds += seconds;
    do_time(stamp, seconds);
    is_busy_.store(false, std::memory_order_release);
}

void Communicator::gather_bytes(std::span<const std::byte> send,
                                std::span<std::byte> receive,
                                const Layout& layout,
                                std::size_t width) {
    check_gather(send, receive, layout, width, rank(), size());
    CallStamp stamp{.kind = CallStamp::Kind::allgatherv,
                    .width = static_cast<std::uint32_t>(width),
                    .sequence = 0,
                    .length = layout.extent(),
                    .detail = layout.fingerprint()};
    run(stamp, [&] { do_allgatherv(stamp, send, receive, layout); });
    count_bytes(send.size(), static_cast<std::size_t>(layout.total()) * width);
}

void Communicator::broadcast_bytes(std::span<std::byte> buffer, std::size_t width, int root) {
    if (root < 0 || root >= size()) {
        throw CommError(fmt::format("broadcast: root is {}, must be 0 to {}", root, size() - 1));
    }
    CallStamp stamp{.kind = CallStamp::Kind::broadcast,
                    .width = static_cast<std::uint32_t>(width),
                    .sequence = 0,
                    .length = static_cast<std::int64_t>(buffer.size() / width),
                    .detail = static_cast<std::uint64_t>(root)};
    run(stamp, [&] { do_broadcast(stamp, buffer, root); });
    count_bytes(rank() == root ? buffer.size() : 0, buffer.size());
}

void Communicator::barrier() {
    CallStamp stamp{
        .kind = CallStamp::Kind::barrier, .width = 1, .sequence = 0, .length = 0, .detail = 0};
    run(stamp, [&] { do_barrier(stamp); });
}

std::unique_ptr<Communicator> Communicator::split_local() {
    std::unique_ptr<Communicator> node;
    setup([&] { node = do_split_local(); });
    return node;
}

std::unique_ptr<Region> Communicator::create_region(std::size_t bytes) {
    const auto lowest = allreduce(static_cast<std::uint64_t>(bytes), ReduceOp::min);
    const auto highest = allreduce(static_cast<std::uint64_t>(bytes), ReduceOp::max);
    if (lowest != highest) {
        throw CommError(fmt::format(
            "create_region: ranks ask for {} to {} bytes, must be equal", lowest, highest));
    }
    std::unique_ptr<SharedMemory> memory;
    setup([&] { memory = do_allocate(bytes); });
    return std::make_unique<Region>(*this, std::move(memory));
}

std::unique_ptr<Mailbox> Communicator::open_mailbox(std::size_t bytes) {
    std::unique_ptr<Mailbox> mailbox;
    setup([&] { mailbox = do_open_mailbox(bytes); });
    return mailbox;
}

std::vector<int> Communicator::recover() {
    if (!can_recover()) {
        throw CommError(fmt::format("{} cannot go on without the lost rank", backend()));
    }
    std::vector<int> lost;
    try {
        lost = do_recover();
    } catch (const std::exception& error) {
        broken_by_ = error.what();
        throw;
    }
    broken_by_.clear();
    calls_ = 0;
    ++recoveries_;
    return lost;
}

std::unique_ptr<SharedMemory> Communicator::do_allocate(std::size_t bytes) {
    return std::make_unique<OwnMemory>(bytes);
}

std::vector<int> Communicator::do_recover() {
    throw AssertionError("recover: this backend has none");
}

// Making something may take collectives of the backend's own, so that it counts as no call.
template <typename F>
void Communicator::setup(F&& make) {
    if (is_broken()) {
        throw CommError(fmt::format("communicator is broken since: {}", broken_by_));
    }
    try {
        make();
    } catch (const CommError& error) {
        broken_by_ = error.what();
        throw;
    }
}

void Communicator::count_bytes(std::size_t own, std::size_t all) noexcept {
    traffic_.bytes_sent += static_cast<std::int64_t>(own);
    traffic_.bytes_received += static_cast<std::int64_t>(all - own);
}

// A layout costs more than a small reduction, most of which have the length of one before.
const Layout& Communicator::equal_parts(std::int64_t length) {
    for (const Layout& layout : equal_parts_) {
        if (layout.count(0) == length && layout.ranks() == size()) {
            return layout;
        }
    }
    if (equal_parts_.size() == most_layouts_kept) {
        equal_parts_.clear();
    }
    return equal_parts_.emplace_back(
        std::vector<std::int64_t>(static_cast<std::size_t>(size()), length));
}

// Kept from one reduction to the next, so that a small one allocates nothing.
template <Reducible T>
std::span<T> Communicator::room_for(std::size_t values) {
    const std::size_t bytes = values * sizeof(T);
    if (gathered_.size() > most_gathered_bytes_kept) {
        gathered_ = {};
    }
    if (gathered_.size() < bytes) {
        gathered_.resize(bytes);
    }
    return {static_cast<T*>(static_cast<void*>(gathered_.data())), values};
}

template <Reducible T>
void Communicator::allreduce(std::span<T> values, ReduceOp op) {
    check_reduce(values.size(), op, type_letter<T>);
    const auto ranks = static_cast<std::size_t>(size());
    CallStamp stamp{.kind = CallStamp::Kind::allreduce,
                    .width = sizeof(T),
                    .sequence = 0,
                    .length = static_cast<std::int64_t>(values.size()),
                    .detail = reduction_detail<T>(op)};
    run(stamp, [&] {
        const auto gathered = room_for<T>(values.size() * ranks);
        do_allgatherv(stamp,
                      std::as_bytes(values),
                      std::as_writable_bytes(gathered),
                      equal_parts(stamp.length));
        fold(op, std::span<const T>(gathered), values);
    });
    count_bytes(values.size_bytes(), values.size_bytes() * ranks);
}

template void Communicator::allreduce(std::span<float>, ReduceOp);
template void Communicator::allreduce(std::span<double>, ReduceOp);
template void Communicator::allreduce(std::span<std::int32_t>, ReduceOp);
template void Communicator::allreduce(std::span<std::int64_t>, ReduceOp);
template void Communicator::allreduce(std::span<std::uint32_t>, ReduceOp);
template void Communicator::allreduce(std::span<std::uint64_t>, ReduceOp);

}  // namespace lockstep::comm
