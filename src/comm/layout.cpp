#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

namespace lockstep::comm {
namespace {

// Parts one after the other; what is wrong with the counts is found later.
std::vector<std::int64_t> packed_offsets(const std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> offsets;
    std::int64_t end = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        offsets.push_back(end);
        if (__builtin_add_overflow(end, counts[rank], &end)) {
            throw CommError(
                fmt::format("layout: the parts up to rank {} exceed 2^63 elements", rank));
        }
    }
    return offsets;
}

std::int64_t end_of_part(std::size_t rank, std::int64_t count, std::int64_t offset) {
    if (count < 0 || offset < 0) {
        throw CommError(
            fmt::format("layout: rank {} has count {} and offset {}, both must be 0 or more",
                        rank,
                        count,
                        offset));
    }
    std::int64_t end = 0;
    if (__builtin_add_overflow(offset, count, &end)) {
        throw CommError(fmt::format(
            "layout: count {} at offset {} of rank {} exceeds 2^63", count, offset, rank));
    }
    return end;
}

bool are_even(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& offsets) {
    std::int64_t end = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        if (counts[rank] != counts.front() || offsets[rank] != end) {
            return false;
        }
        end += counts[rank];
    }
    return true;
}

std::uint64_t fingerprint_of(const std::vector<std::int64_t>& counts,
                             const std::vector<std::int64_t>& offsets) {
    DigestBuilder builder;
    builder.add(counts);
    builder.add(offsets);
    return builder.digest()[0];
}

void check_disjoint(const Layout& layout) {
    std::vector<int> order(static_cast<std::size_t>(layout.ranks()));
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](int rank) { return layout.count(rank) == 0; });
    std::ranges::sort(order, {}, [&](int rank) { return layout.offset(rank); });
    for (std::size_t i = 1; i < order.size(); ++i) {
        const int before = order[i - 1];
        const int rank = order[i];
        if (layout.offset(before) + layout.count(before) > layout.offset(rank)) {
            throw CommError(
                fmt::format("layout: the parts of ranks {} and {} overlap at element {}",
                            std::min(before, rank),
                            std::max(before, rank),
                            layout.offset(rank)));
        }
    }
}

}  // namespace

Layout::Layout(const std::vector<std::int64_t>& counts) : Layout(counts, packed_offsets(counts)) {}

Layout::Layout(std::vector<std::int64_t> counts, std::vector<std::int64_t> offsets)
    : counts_(std::move(counts)), offsets_(std::move(offsets)) {
    if (counts_.size() != offsets_.size()) {
        throw CommError(fmt::format("layout: {} counts and {} offsets, must be one a rank",
                                    counts_.size(),
                                    offsets_.size()));
    }
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
        const std::int64_t end = end_of_part(rank, counts_[rank], offsets_[rank]);
        if (counts_[rank] > 0) {
            extent_ = std::max(extent_, end);
        }
    }
    check_disjoint(*this);
    total_ = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
    is_even_ = are_even(counts_, offsets_);
    fingerprint_ = fingerprint_of(counts_, offsets_);
}

Layout Layout::blocks(std::int64_t items, std::int64_t width, int ranks) {
    std::int64_t elements = 0;
    if (items < 0 || width < 0 || ranks < 1 || __builtin_mul_overflow(items, width, &elements)) {
        throw CommError(
            fmt::format("layout: {} items of width {} over {} ranks", items, width, ranks));
    }
    std::vector<std::int64_t> counts;
    for (int rank = 0; rank < ranks; ++rank) {
        counts.push_back((items / ranks + (rank < items % ranks ? 1 : 0)) * width);
    }
    return Layout(counts);
}

}  // namespace lockstep::comm
