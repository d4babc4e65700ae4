#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lockstep/runtime/rounds.hpp"
#include "lockstep/runtime/team.hpp"

#include "xpcs/sampling/pace.hpp"

namespace lockstep::xpcs {

/// A list of numbers of which each item is a function of its number alone.
struct Items {
    std::int64_t count = 0;
    int width = 1;  ///< numbers an item
    std::function<void(std::int64_t item, int thread, std::span<double> values)> compute;
    int useful_threads = 1;  ///< that make an item faster
    /// An item by all threads of the rank, where there are useful ones.
    std::function<void(std::int64_t item, std::span<double> values)> compute_together{};
};

/// Items computed by ranks and threads, so many in a round, in their order: a lost rank, or a stop
/// between rounds, costs no more than a round.
class ItemRounds final : public runtime::Rounds {
public:
    /// @param known  values of the first items, from an earlier run
    /// @param goes_on  asked between rounds; collective
    ItemRounds(runtime::Team& team,
               Items items,
               std::vector<double> known,
               std::function<bool()> goes_on);

    [[nodiscard]] std::int64_t done() const noexcept {
        return static_cast<std::int64_t>(values_.size()) / items_.width;
    }
    [[nodiscard]] bool is_complete() const noexcept { return done() == items_.count; }
    /// [done, width]
    [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
    [[nodiscard]] std::vector<double> take() { return std::move(values_); }
    /// That all items take, by those done since the start; 0 before.
    [[nodiscard]] double predicted_seconds() const noexcept;

    void begin(std::int64_t round) override;
    void work() override;
    void confirm() override { team_.ranks.barrier(); }
    void commit() override;
    bool is_over() override { return is_complete() || !goes_on_(); }
    void drop() override { pending_.clear(); }
    void repartition() override {}

private:
    void compute(std::int64_t begin, std::int64_t end);
    void compute_apart(std::int64_t begin, std::int64_t end);
    [[nodiscard]] std::span<double> values_of(std::int64_t item);

    runtime::Team& team_;
    Items items_;
    std::function<bool()> goes_on_;
    std::vector<double> values_;
    std::vector<double> pending_;  // of the round
    Pace pace_;
    std::int64_t size_ = 0;  // of the round
    double seconds_ = 0;     // of the round, of the slowest rank
    std::int64_t timed_ = 0;
    double timed_seconds_ = 0;
};

}  // namespace lockstep::xpcs
