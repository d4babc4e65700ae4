#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/base/bytes.hpp"

namespace lockstep::rl {

/// What was seen of a process: outcomes of each pair, how often, and from where each state is
/// entered.
class LearnedModel {
public:
    struct Seen {
        double reward = 0;  ///< sum over all times
        std::int32_t next = 0;
        std::uint32_t times = 0;
        std::int64_t terminated = 0;  ///< 0 or 1
    };

    LearnedModel(int states, int actions);

    void add(std::int32_t s, int action, double reward, std::int32_t next, bool terminated);

    /// Pairs that were seen, in the order in which they were seen first.
    [[nodiscard]] const std::vector<std::int64_t>& pairs() const noexcept { return pairs_; }
    /// Outcomes of pair state · actions + action, in the order in which they were seen first.
    [[nodiscard]] std::span<const Seen> outcomes(std::int64_t pair) const;
    [[nodiscard]] std::uint64_t times(std::int64_t pair) const;
    /// Pairs that have led to a state and gone on there.
    [[nodiscard]] std::span<const std::int64_t> before(std::int32_t s) const;

    void save(ByteWriter& bytes) const;
    /// @throws InputError  damaged, or of another process
    void load(ByteReader& bytes);

private:
    std::size_t actions_;
    std::vector<std::int32_t> slots_;  // [pairs]: 1 + place in pairs_; 0: not seen
    std::vector<std::int64_t> pairs_;
    std::vector<std::vector<Seen>> outcomes_;        // [seen pairs]
    std::vector<std::uint64_t> times_;               // [seen pairs]
    std::vector<std::vector<std::int64_t>> before_;  // [states]
};

/// Pairs by priority, the largest first, of equal ones the lower pair.
class PriorityQueue {
public:
    struct Entry {
        double priority = 0;
        std::int64_t pair = 0;
        friend bool operator<(const Entry& a, const Entry& b) noexcept {
            return a.priority < b.priority || (a.priority == b.priority && a.pair > b.pair);
        }
    };

    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    /// A pair may stand in it more than once.
    void push(double priority, std::int64_t pair);
    std::int64_t pop();

    void save(ByteWriter& bytes) const { bytes.add_array(heap_); }
    void load(ByteReader& bytes) { heap_ = bytes.read_array<Entry>(); }

private:
    std::vector<Entry> heap_;
};

}  // namespace lockstep::rl
