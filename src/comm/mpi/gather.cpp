#include "comm/mpi/gather.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {

/// A gather that MPI has prepared. It fixes the buffers, so they are our own, the parts one after
/// the other.
struct MpiGather::Prepared {
    std::vector<int> counts;  // bytes
    std::vector<int> offsets;
    std::vector<std::byte> send;
    std::vector<std::byte> receive;
    MpiRequest* request = nullptr;
    bool is_used = true;
};

namespace {

constexpr std::int64_t largest_prepared = std::int64_t{4} << 20;  // bytes
constexpr std::size_t most_prepared = 64;
constexpr int trials = 10;

}  // namespace

MpiGather::MpiGather(const MpiLink& link, const MpiConfig& config)
    : link_(link),
      persistent_(config.persistent),
      largest_count_(config.largest_count),
      counts_(static_cast<std::size_t>(link.size())),
      offsets_(counts_.size()) {
    if (persistent_ != MpiConfig::Persistent::off && !link.table().has_persistent()) {
        throw NotBuiltError(
            "LOCKSTEP_MPI_PERSISTENT: this MPI library has no persistent collectives; set it to "
            "off");
    }
}

MpiGather::~MpiGather() {
    for (const auto& [key, gather] : prepared_) {
        if (gather->request != nullptr) {
            link_.table().free_request(gather->request);
        }
    }
}

void MpiGather::run(const CallStamp& stamp,
                    std::span<const std::byte> send,
                    std::span<std::byte> receive,
                    const Layout& layout) {
    const auto width = static_cast<int>(stamp.width);
    if (persistent_ != MpiConfig::Persistent::off) {
        if (Prepared* gather = prepared(stamp, layout)) {
            return run_prepared(*gather, send, receive, layout, width);
        }
    }
    // Single bytes are what MPI moves fastest, equal parts what it gathers fastest.
    const bool can_count_bytes = layout.extent() * width <= largest_count_;
    if (can_count_bytes && layout.is_even()) {
        link_.settle(link_.table().allgather(
                         link_.comm(), send.data(), receive.data(), static_cast<int>(send.size())),
                     "allgatherv");
    } else if (can_count_bytes) {
        call(send, receive, layout, width, 1);
    } else if (layout.extent() <= largest_count_) {
        call(send, receive, layout, 1, width);
    } else {
        run_in_pieces(send, receive, layout, width);
    }
}

void MpiGather::run_prepared(Prepared& gather,
                             std::span<const std::byte> send,
                             std::span<std::byte> receive,
                             const Layout& layout,
                             int width) {
    std::ranges::copy(send, gather.send.begin());
    link_.settle(link_.table().run(gather.request), "allgatherv");
    for (int rank = 0; rank < layout.ranks(); ++rank) {
        const auto target = part_of(receive, layout, static_cast<std::size_t>(width), rank);
        std::copy_n(
            gather.receive.begin() + gather.offsets[at(rank)], target.size(), target.begin());
    }
}

// Counts are in elements of `unit` bytes, `scale` of which are an element of the layout.
void MpiGather::call(std::span<const std::byte> send,
                     std::span<std::byte> receive,
                     const Layout& layout,
                     int scale,
                     int unit) {
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
        const auto count = layout.count(static_cast<int>(rank));
        counts_[rank] = static_cast<int>(count * scale);
        offsets_[rank] =
            count == 0 ? 0 : static_cast<int>(layout.offset(static_cast<int>(rank)) * scale);
    }
    const MpiParts parts{counts_.data(), offsets_.data(), unit};
    const int own = counts_[at(link_.rank())];
    link_.settle(link_.table().allgatherv(link_.comm(), send.data(), own, receive.data(), &parts),
                 "allgatherv");
}

void MpiGather::run_in_pieces(std::span<const std::byte> send,
                              std::span<std::byte> receive,
                              const Layout& layout,
                              int width) {
    for (int rank = 0; rank < layout.ranks(); ++rank) {
        const auto target = part_of(receive, layout, static_cast<std::size_t>(width), rank);
        if (rank == link_.rank()) {
            std::ranges::copy(send, target.begin());
        }
        broadcast(target, rank);
    }
}

void MpiGather::broadcast(std::span<std::byte> buffer, int root) {
    while (!buffer.empty()) {
        const auto count = std::min(static_cast<std::int64_t>(buffer.size()), largest_count_);
        link_.settle(
            link_.table().broadcast(link_.comm(), buffer.data(), static_cast<int>(count), root),
            "broadcast");
        buffer = buffer.subspan(static_cast<std::size_t>(count));
    }
}

// The prepared gather for this call, if there is one that is worth it: the same on all ranks.
MpiGather::Prepared* MpiGather::prepared(const CallStamp& stamp, const Layout& layout) {
    const auto found = prepared_.find({stamp.kind, stamp.width, stamp.length, stamp.detail});
    if (found != prepared_.end()) {
        return found->second->is_used ? found->second.get() : nullptr;
    }
    const auto elements = layout.total();
    if (elements == 0 || elements > largest_prepared / stamp.width ||
        elements * stamp.width > largest_count_ || prepared_.size() >= most_prepared) {
        return nullptr;
    }
    auto& gather = *prepared_
                        .emplace(Key{stamp.kind, stamp.width, stamp.length, stamp.detail},
                                 std::make_unique<Prepared>())
                        .first->second;
    prepare(gather, layout, static_cast<int>(stamp.width));
    if (persistent_ == MpiConfig::Persistent::automatic) {
        gather.is_used = is_faster(gather);
    }
    return gather.is_used ? &gather : nullptr;
}

void MpiGather::prepare(Prepared& gather, const Layout& layout, int width) {
    int end = 0;
    for (int rank = 0; rank < layout.ranks(); ++rank) {
        gather.offsets.push_back(end);
        gather.counts.push_back(static_cast<int>(layout.count(rank)) * width);
        end += gather.counts.back();
    }
    const int own = gather.counts[at(link_.rank())];
    gather.send.resize(static_cast<std::size_t>(own));
    gather.receive.resize(static_cast<std::size_t>(end));
    const MpiParts parts{gather.counts.data(), gather.offsets.data(), 1};
    link_.settle(
        link_.table().prepare_allgatherv(
            link_.comm(), gather.send.data(), own, gather.receive.data(), &parts, &gather.request),
        "preparation of an allgatherv");
}

// Measures both ways. Rank 0 decides, since all must go the same way.
bool MpiGather::is_faster(Prepared& gather) {
    const auto seconds = [&](auto&& once) {
        link_.settle(link_.table().barrier(link_.comm()), "barrier");
        const auto start = std::chrono::steady_clock::now();
        for (int trial = 0; trial < trials; ++trial) {
            link_.settle(once(), "allgatherv");
        }
        return std::chrono::steady_clock::now() - start;
    };
    const MpiParts parts{gather.counts.data(), gather.offsets.data(), 1};
    const auto plain = seconds([&] {
        return link_.table().allgatherv(link_.comm(),
                                        gather.send.data(),
                                        static_cast<int>(gather.send.size()),
                                        gather.receive.data(),
                                        &parts);
    });
    const auto persistent = seconds([&] { return link_.table().run(gather.request); });
    auto choice = static_cast<std::byte>(persistent < plain);
    broadcast({&choice, 1}, 0);
    return choice != std::byte{0};
}

}  // namespace lockstep::comm
