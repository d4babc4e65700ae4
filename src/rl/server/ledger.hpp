#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lockstep/base/bytes.hpp"

#include "rl/server/messages.hpp"

namespace lockstep::rl {

/// The books of a parameter server, kept apart from what they check: every transition of every
/// environment counts once, in order and without gaps, and no worker starts too far ahead.
class Ledger {
public:
    static constexpr std::size_t most_ages = 64;
    /// @param staleness  rounds that a worker may be ahead; -1: any
    Ledger(int items, int staleness)
        : counted_(static_cast<std::size_t>(items)), staleness_(staleness) {}

    struct Entry {
        std::int32_t item = 0;
        std::int64_t from = 0;  ///< transitions of the item before
        std::int64_t count = 0;
        std::int64_t clock = 0;  ///< of the worker as it starts
    };
    /// A lease begins.
    /// @throws AssertionError  another one of the item is open, or it does not begin where the last
    /// one that counts ended; or an open one is more than `staleness` rounds behind
    void open(const LeaseId& id, const Entry& entry);
    /// What came of it is part of the table.
    /// @param age  of the table that it learned from, in rounds
    /// @throws AssertionError  it is not open
    void count(const LeaseId& id, std::int64_t age);
    /// It is given up; somebody else will have its transitions.
    /// @throws AssertionError  it is not open
    void release(const LeaseId& id);
    /// A push of what counts already, or belongs to somebody else by now.
    void refuse() noexcept { ++refused_; }

    /// Transitions that count.
    [[nodiscard]] std::int64_t transitions() const noexcept;
    [[nodiscard]] std::int64_t transitions(int item) const;
    [[nodiscard]] std::int64_t leases() const noexcept { return leases_; }
    [[nodiscard]] std::int64_t reissued() const noexcept { return reissued_; }
    [[nodiscard]] std::int64_t refused() const noexcept { return refused_; }
    /// Most rounds that a worker was ahead of another as it began.
    [[nodiscard]] std::int64_t most_ahead() const noexcept { return most_ahead_; }
    /// [age in rounds, the last one and more]: leases that count.
    [[nodiscard]] const std::vector<std::int64_t>& ages() const noexcept { return ages_; }

    void save(ByteWriter& bytes) const;
    /// @throws InputError  damaged
    void load(ByteReader& bytes);

private:
    Entry take(const LeaseId& id);

    std::vector<std::int64_t> counted_;  // [items]
    int staleness_;
    std::map<LeaseId, Entry> open_;
    std::int64_t leases_ = 0;
    std::int64_t reissued_ = 0;
    std::int64_t refused_ = 0;
    std::int64_t most_ahead_ = 0;
    std::vector<std::int64_t> ages_;
};

}  // namespace lockstep::rl
