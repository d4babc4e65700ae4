#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lockstep/base/aligned.hpp"
#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/mailbox.hpp"
#include "lockstep/comm/region.hpp"

namespace lockstep::comm {

class CallClock;

/// May travel: plain bytes, no pointers.
template <typename T>
concept Wire = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_const_v<T>;

/// May be reduced.
template <typename T>
concept Reducible = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;

/// sum: rank order, integers wrap; min, max: any NaN gives the canonical NaN, -0 < +0; bit_or:
/// unsigned only.
enum class ReduceOp { sum, min, max, bit_or };

/// Where each rank's part of a gathered array goes: 64-bit counts and offsets in elements.
class Layout {
public:
    Layout() = default;
    /// Parts one after the other.
    explicit Layout(const std::vector<std::int64_t>& counts);
    /// @throws CommError  sizes differ, negative numbers, overlapping parts or overflow; so do the
    /// others
    Layout(std::vector<std::int64_t> counts, std::vector<std::int64_t> offsets);
    /// `items` of `width` elements split over `ranks` by the block rule: sizes differ by at most
    /// one item, the first blocks are the longer ones.
    static Layout blocks(std::int64_t items, std::int64_t width, int ranks);

    [[nodiscard]] int ranks() const noexcept { return static_cast<int>(counts_.size()); }
    [[nodiscard]] std::int64_t count(int rank) const { return counts_[at(rank)]; }
    [[nodiscard]] std::int64_t offset(int rank) const { return offsets_[at(rank)]; }
    /// One past the last element that any part touches.
    [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
    /// Elements of all parts together.
    [[nodiscard]] std::int64_t total() const noexcept { return total_; }
    /// All parts have one length and lie one after the other from 0 on.
    [[nodiscard]] bool is_even() const noexcept { return is_even_; }
    /// The same number for equal layouts, another one for others.
    [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

private:
    std::vector<std::int64_t> counts_;
    std::vector<std::int64_t> offsets_;
    std::int64_t extent_ = 0;
    std::int64_t total_ = 0;
    bool is_even_ = true;
    std::uint64_t fingerprint_ = 0;
};

/// What a rank says about the collective that it enters, so that ranks in different ones notice.
///
/// Backends that exchange stamps compare them by check_stamps. No padding: it may travel as it
/// lies.
struct CallStamp {
    enum class Kind : std::uint32_t { allgatherv, broadcast, allreduce, barrier };
    Kind kind;
    std::uint32_t width;     ///< bytes of an element
    std::uint64_t sequence;  ///< collectives of this communicator before this one
    std::int64_t length;     ///< elements: extent of the layout, of the buffer, values to reduce
    /// Fingerprint of the layout, the root, or operation and type; the same on all ranks.
    std::uint64_t detail;
    friend bool operator==(const CallStamp&, const CallStamp&) = default;
};

/// The call in words, for example "broadcast of 3 8-byte elements from rank 1 (collective 17)".
std::string to_string(const CallStamp& stamp);

/// @param stamps  one of each rank
/// @throws CommError  that names the first rank whose call differs from that of rank 0, and both
/// calls
void check_stamps(std::span<const CallStamp> stamps);

/// Another rank is gone: killed, unreachable, or at its end while others wait for it.
class PeerFailed : public CommError {
public:
    PeerFailed(const std::string& message, int rank) : CommError(message), rank_(rank) {}
    /// The first rank found dead, as numbered when the call was made.
    [[nodiscard]] int rank() const noexcept { return rank_; }

private:
    int rank_;
};

/// What this rank has exchanged so far.
struct Traffic {
    std::int64_t calls = 0;
    std::int64_t bytes_sent = 0;      ///< contributions of this rank, counted once
    std::int64_t bytes_received = 0;  ///< contributions of the others
    double seconds = 0;               ///< inside collectives
    /// Of these, until the last rank had come. MPI does not tell when that was: over it, what
    /// collectives of at most 256 bytes a rank take beyond the fastest of their kind and size so
    /// far, with the delay of the network that they meet; longer ones count no waiting.
    double wait_seconds = 0;
};

/// Message passing between the ranks of a run.
///
/// Collectives only; every rank makes the same calls in the same order, from one thread at a time,
/// outside parallel regions. Arguments are checked alike by every backend before a byte moves: a
/// call that is wrong on four ranks fails on one. A communication error breaks the communicator:
/// later calls throw at once. Results are equal bits on all ranks; no backend reduces, every
/// reduction is a gather and one fold in rank order.
class Communicator {
public:
    virtual ~Communicator() = default;
    Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual int size() const noexcept = 0;
    [[nodiscard]] virtual std::string_view backend() const noexcept = 0;

    /// Rank i's `send` lands in receive[layout.offset(i) …]; gaps stay untouched. Promises complete
    /// data, not a barrier.
    /// @throws CommError  layout does not fit ranks, send or receive; or the transport failed
    template <Wire T>
    void allgatherv(std::span<const T> send, std::span<T> receive, const Layout& layout);

    /// Root's buffer on every rank. Length 0 is legal.
    /// @throws CommError  root is no rank; or the transport failed
    template <Wire T>
    void broadcast(std::span<T> buffer, int root);

    /// Element-wise over ranks, into every rank's `values`.
    /// @throws CommError  no values, or bit_or of a type that is not unsigned; or the transport
    /// failed
    template <Reducible T>
    void allreduce(std::span<T> values, ReduceOp op);

    template <Reducible T>
    [[nodiscard]] T allreduce(T value, ReduceOp op) {
        allreduce(std::span<T>(&value, 1), op);
        return value;
    }

    /// Nobody leaves before everyone entered.
    void barrier();

    /// Ends all ranks. Never returns.
    [[noreturn]] virtual void abort(int code) = 0;

    /// A collective failed under way, here or on another rank: later ones throw at once.
    [[nodiscard]] bool is_broken() const noexcept { return !broken_by_.empty(); }

    /// Name and version of the library underneath; "" where there is none.
    [[nodiscard]] virtual std::string library() const { return {}; }

    /// Name of the host on which a rank runs.
    [[nodiscard]] virtual std::string host(int rank) const = 0;

    /// The ranks that share this one's memory, in their order here. Collective.
    /// @throws CommError  the transport failed
    [[nodiscard]] std::unique_ptr<Communicator> split_local();

    /// Zeroed memory that the ranks of this communicator share; where they cannot, each rank has a
    /// copy. Collective, with equal bytes. The communicator must outlive the region; programs that
    /// may run over MPI end regions, mailboxes and node communicators in the same order on all
    /// ranks.
    /// @throws CommError  sizes differ; IoError  no memory, and what to enlarge
    [[nodiscard]] std::unique_ptr<Region> create_region(std::size_t bytes);

    /// Messages beside the collectives, with room for `bytes` in flight between two ranks.
    /// Collective. The communicator must outlive the mailbox.
    [[nodiscard]] std::unique_ptr<Mailbox> open_mailbox(std::size_t bytes);

    /// Whether survivors of a lost rank can go on by recover().
    [[nodiscard]] virtual bool can_recover() const noexcept { return false; }

    /// After PeerFailed: the survivors become a communicator of their own, in the old order; rank
    /// and size change, the communicator is whole again. Interrupted collectives are forgotten;
    /// their buffers are unspecified. Communicators, regions and mailboxes that were made from this
    /// one stay broken. Collective over the survivors.
    /// @returns the ranks that are gone, as numbered before, ascending; equal on all survivors
    /// @throws CommError  the survivors do not find each other
    std::vector<int> recover();
    /// What was made before the last one is broken.
    [[nodiscard]] std::uint64_t recoveries() const noexcept { return recoveries_; }

    [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }

protected:
    // Byte movers of a backend. Arguments are valid, buffers do not overlap; `layout` counts
    // elements of stamp.width bytes. Whatever they throw breaks the communicator.
    virtual void do_allgatherv(const CallStamp& stamp,
                               std::span<const std::byte> send,
                               std::span<std::byte> receive,
                               const Layout& layout) = 0;
    virtual void do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) = 0;
    virtual void do_barrier(const CallStamp& stamp) = 0;
    virtual std::unique_ptr<Communicator> do_split_local() = 0;
    /// Default: memory of this process alone.
    virtual std::unique_ptr<SharedMemory> do_allocate(std::size_t bytes);
    virtual std::unique_ptr<Mailbox> do_open_mailbox(std::size_t bytes) = 0;
    /// As recover(). Called where can_recover().
    virtual std::vector<int> do_recover();
    /// Told after each collective how long it took.
    virtual void do_time(const CallStamp& stamp, double seconds) noexcept;
    /// Time of the present collective that went by until the last rank had come.
    void add_wait(double seconds) noexcept { traffic_.wait_seconds += seconds; }

private:
    void gather_bytes(std::span<const std::byte> send,
                      std::span<std::byte> receive,
                      const Layout& layout,
                      std::size_t width);
    void broadcast_bytes(std::span<std::byte> buffer, std::size_t width, int root);
    template <typename F>
    void run(CallStamp& stamp, F&& transfer);
    template <typename F>
    void setup(F&& make);
    void count_bytes(std::size_t own, std::size_t all) noexcept;
    friend void check_same_program(Communicator& communicator, std::string_view own);
    template <Reducible T>
    std::span<T> room_for(std::size_t values);
    const Layout& equal_parts(std::int64_t length);

    const CallClock& clock_;
    std::atomic<bool> is_busy_ = false;
    AlignedVector<std::byte> gathered_;  // by reductions
    std::vector<Layout> equal_parts_;    // of the latest reductions
    std::uint64_t calls_ = 0;
    std::uint64_t recoveries_ = 0;
    Traffic traffic_;
    std::string broken_by_;  // message of the error that broke it
};

template <Wire T>
void Communicator::allgatherv(std::span<const T> send, std::span<T> receive, const Layout& layout) {
    gather_bytes(std::as_bytes(send), std::as_writable_bytes(receive), layout, sizeof(T));
}

template <Wire T>
void Communicator::broadcast(std::span<T> buffer, int root) {
    broadcast_bytes(std::as_writable_bytes(buffer), sizeof(T), root);
}

extern template void Communicator::allreduce(std::span<float>, ReduceOp);
extern template void Communicator::allreduce(std::span<double>, ReduceOp);
extern template void Communicator::allreduce(std::span<std::int32_t>, ReduceOp);
extern template void Communicator::allreduce(std::span<std::int64_t>, ReduceOp);
extern template void Communicator::allreduce(std::span<std::uint32_t>, ReduceOp);
extern template void Communicator::allreduce(std::span<std::uint64_t>, ReduceOp);

/// One rank: this process alone.
std::unique_ptr<Communicator> make_local();

/// Runs body(communicator) on `ranks` threads of this process that are ranks of one another, for
/// tests.
///
/// A rank that throws breaks the communicator of the others, which then throw CommError; afterwards
/// the exception of the lowest rank that did not throw CommError is rethrown (else the lowest
/// rank's). Collectives that do not match, or a rank that ends while others wait for it, are
/// CommErrors too: nobody hangs.
/// @param dies  asked before each collective of a rank, those on its node included, counted from 0;
///              true: the rank vanishes there, as if killed, which is no failure of the run
/// @throws InputError  ranks < 1
void run_in_process(int ranks,
                    const std::function<void(Communicator&)>& body,
                    const std::function<bool(int rank, std::int64_t collective)>& dies = {});

/// Runs `body`; then all ranks agree on whether every one succeeded. If not, a rank that failed
/// rethrows its own exception, the others throw an Error with the message and the exit code of the
/// first rank that failed. Collective.
void agree(Communicator& communicator, const std::function<void()>& body);

/// As agree(), and in the same exchange the lowest of the numbers that the bodies returned.
std::int64_t agree_on_lowest(Communicator& communicator, const std::function<std::int64_t()>& body);

/// Root's list on every rank, whatever the length of its own. Collective.
template <Wire T>
void broadcast_list(Communicator& communicator, std::vector<T>& list, int root) {
    auto length = static_cast<std::uint64_t>(list.size());
    communicator.broadcast(std::span<std::uint64_t>(&length, 1), root);
    list.resize(static_cast<std::size_t>(length));
    communicator.broadcast(std::span<T>(list), root);
}

/// Whether all ranks gave the same digest. Collective.
bool is_equal_on_all(Communicator& communicator, const Digest& digest);

}  // namespace lockstep::comm
