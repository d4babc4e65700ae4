#include "sddp/passes/work/work_tally.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/gather_list.hpp"

#include "sddp/passes/work/work_counts.hpp"

namespace lockstep::sddp {

WorkTally::WorkTally(std::span<const int> openings, bool is_cyclic, int threads)
    : first_(openings.size()), threads_(static_cast<std::size_t>(threads)) {
    const auto stages = static_cast<int>(openings.size());
    for (int t = 0; t < stages; ++t) {
        places_.push_back({WorkRow::Pass::forward, t, -1, {}});
    }
    for (int t = stages - 1; t >= (is_cyclic ? 0 : 1); --t) {
        first_[at(t)] = places_.size();
        for (int w = 0; w < openings[at(t)]; ++w) {
            places_.push_back({WorkRow::Pass::backward, t, w, {}});
        }
    }
    for (auto& thread : threads_) {
        thread.work.resize(places_.size());
    }
}

void WorkTally::add(Thread& thread, std::size_t place, const PhaseReport& work) noexcept {
    sddp::add(work, thread.work[place]);
    sddp::add(work, thread.total);
}

PhaseReport WorkTally::take_total() {
    PhaseReport sum;
    for (auto& thread : threads_) {
        sddp::add(std::exchange(thread.total, {}), sum);
    }
    return sum;
}

void WorkTally::clear() {
    for (auto& thread : threads_) {
        std::fill(thread.work.begin(), thread.work.end(), PhaseReport{});
        thread.total = {};
    }
}

PhaseReport WorkTally::own(std::size_t place) const {
    PhaseReport sum;
    for (const auto& thread : threads_) {
        sddp::add(thread.work[place], sum);
    }
    return sum;
}

WorkTable WorkTally::exchange(comm::Communicator& ranks) const {
    std::vector<WorkRow> rows = places_;
    std::vector<std::byte> mine;  // nothing of a rank that had no trajectories
    std::int64_t solves = 0;
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const auto work = own(place);
        put_counts(work, mine);
        solves += work.solves;
        add_times(work, rows[place].work);
    }
    if (solves == 0) {
        mine.clear();
    }
    const auto all = comm::gather_list(ranks, mine);
    for (std::span<const std::byte> rest = all; !rest.empty();) {
        for (auto& row : rows) {
            take_counts(rest, row.work);
        }
    }
    return WorkTable(rows);
}

}  // namespace lockstep::sddp
