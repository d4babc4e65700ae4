#include "rl/server/ledger.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::rl {

void Ledger::open(const LeaseId& id, const Entry& entry) {
    for (const auto& [other, held] : open_) {
        if (held.item == entry.item) {
            throw AssertionError(fmt::format("environment {} is leased twice", entry.item));
        }
        const std::int64_t ahead = entry.clock - held.clock;
        most_ahead_ = std::max(most_ahead_, ahead);
        if (staleness_ >= 0 && ahead > staleness_) {
            throw AssertionError(
                fmt::format("a worker starts {} rounds ahead, {} are allowed", ahead, staleness_));
        }
    }
    if (counted_[at(entry.item)] != entry.from || entry.count < 0) {
        throw AssertionError(
            fmt::format("a lease of environment {} begins at transition {}, but {} "
                        "count",
                        entry.item,
                        entry.from,
                        counted_[at(entry.item)]));
    }
    if (!open_.emplace(id, entry).second) {
        throw AssertionError("a lease has the number of another one");
    }
}

Ledger::Entry Ledger::take(const LeaseId& id) {
    const auto found = open_.find(id);
    if (found == open_.end()) {
        throw AssertionError("a lease ends that is not open");
    }
    const Entry entry = found->second;
    open_.erase(found);
    return entry;
}

void Ledger::count(const LeaseId& id, std::int64_t age) {
    const Entry entry = take(id);
    counted_[at(entry.item)] += entry.count;
    ++leases_;
    const auto place = std::min(at(age), most_ages - 1);
    ages_.resize(std::max(ages_.size(), place + 1));
    ++ages_[place];
}

void Ledger::release(const LeaseId& id) {
    static_cast<void>(take(id));
    ++reissued_;
}

std::int64_t Ledger::transitions() const noexcept {
    return std::accumulate(counted_.begin(), counted_.end(), std::int64_t{0});
}

std::int64_t Ledger::transitions(int item) const {
    return counted_[at(item)];
}

void Ledger::save(ByteWriter& bytes) const {
    bytes.add_array(counted_);
    bytes.add(static_cast<std::uint64_t>(open_.size()));
    for (const auto& [id, entry] : open_) {
        bytes.add(id);
        bytes.add(std::int64_t{entry.item});
        bytes.add(entry.from);
        bytes.add(entry.count);
        bytes.add(entry.clock);
    }
    bytes.add(leases_);
    bytes.add(reissued_);
    bytes.add(refused_);
    bytes.add(most_ahead_);
    bytes.add_array(ages_);
}

void Ledger::load(ByteReader& bytes) {
    const auto counted = bytes.read_array<std::int64_t>();
    if (counted.size() != counted_.size()) {
        throw InputError("the checkpoint is of another number of workers");
    }
    counted_ = counted;
    open_.clear();
    for (auto left = bytes.read<std::uint64_t>(); left > 0; --left) {
        const auto id = bytes.read<LeaseId>();
        Entry entry;
        entry.item = static_cast<std::int32_t>(bytes.read<std::int64_t>());
        entry.from = bytes.read<std::int64_t>();
        entry.count = bytes.read<std::int64_t>();
        entry.clock = bytes.read<std::int64_t>();
        open_.emplace(id, entry);
    }
    leases_ = bytes.read<std::int64_t>();
    reissued_ = bytes.read<std::int64_t>();
    refused_ = bytes.read<std::int64_t>();
    most_ahead_ = bytes.read<std::int64_t>();
    ages_ = bytes.read_array<std::int64_t>();
}

}  // namespace lockstep::rl
