#include "sddp/cuts/cut_pool.hpp"

#include <algorithm>

#include "lockstep/base/error.hpp"
#include "lockstep/runtime/fixed_sum.hpp"

namespace lockstep::sddp {

void CutPool::reserve(int cuts) {
    slopes_.reserve(cuts);
    const auto total = at(size() + cuts);
    // Doubling, so that asking for a few at a time does not copy the lists each time.
    const auto room =
        total <= intercept_.capacity() ? total : std::max(total, 2 * intercept_.capacity());
    for (auto* list : {&iteration_, &trajectory_, &outcome_, &last_active_}) {
        list->reserve(room);
    }
    intercept_.reserve(room);
    selected_.reserve(room);
}

void CutPool::add(
    double intercept, std::span<const double> slopes, int iteration, int trajectory, int outcome) {
    slopes_.add(slopes);
    intercept_.push_back(intercept);
    iteration_.push_back(iteration);
    trajectory_.push_back(trajectory);
    outcome_.push_back(outcome);
    last_active_.push_back(iteration);
    selected_.push_back(1);
    ++selected_count_;
}

void CutPool::select(int cut, bool is_selected) {
    selected_count_ += static_cast<int>(is_selected) - selected_[at(cut)];
    selected_[at(cut)] = static_cast<std::uint8_t>(is_selected);
}

void CutPool::price_older(std::span<const double> older, std::span<double> value) const {
    for (std::size_t b = 0; b < slopes_.blocks().size(); ++b) {
        const auto& block = slopes_.blocks()[b];
        const auto slopes = slopes_.older(block);
        for (int i = 0; i < slopes_.count(b); ++i) {
            const auto cut = at(block.first + i);
            value[cut] = intercept_[cut] + runtime::fixed_dot(slopes[i], older);
        }
    }
}

void CutPool::add_fresh_part(std::span<const double> drawn, std::span<double> value) const {
    const auto& states = slopes_.states();
    slopes_.add_products(states.decided, drawn.first(at(states.fresh)), value);
}

void CutPool::add_decided_part(std::span<const double> decided, std::span<double> value) const {
    slopes_.add_products(0, decided.first(at(slopes_.states().decided)), value);
}

double CutPool::carried_part(int cut,
                             std::span<const double> older,
                             std::span<const double> drawn) const {
    const auto own = slopes_.fresh(cut);
    double value = intercept_[at(cut)] + runtime::fixed_dot(slopes_.older(cut), older);
    for (int i = 0; i < slopes_.states().fresh; ++i) {
        value += own[i] * drawn[at(i)];
    }
    return value;
}

void CutPool::rewind(const Mark& mark) {
    const auto size = at(mark.size);
    slopes_.truncate(mark.size);
    intercept_.resize(size);
    iteration_.resize(size);
    trajectory_.resize(size);
    outcome_.resize(size);
    last_active_ = mark.last_active;
    selected_ = mark.selected;
    count_selected();
}

void CutPool::pack(ByteWriter& out) const {
    out.add_array(intercept_);
    out.add_array(iteration_);
    out.add_array(trajectory_);
    out.add_array(outcome_);
    out.add_array(last_active_);
    out.add_array(selected_);
}

CutPool CutPool::unpack(ByteReader& in, StateLayout states) {
    CutPool pool(states);
    pool.intercept_ = in.read_array<double>();
    pool.iteration_ = in.read_array<std::int32_t>();
    pool.trajectory_ = in.read_array<std::int32_t>();
    pool.outcome_ = in.read_array<std::int32_t>();
    pool.last_active_ = in.read_array<int>();
    pool.selected_ = in.read_array<std::uint8_t>();
    for (const auto* list :
         {&pool.iteration_, &pool.trajectory_, &pool.outcome_, &pool.last_active_}) {
        if (list->size() != pool.intercept_.size()) {
            throw InputError("a pool of cuts has arrays of different lengths");
        }
    }
    if (pool.selected_.size() != pool.intercept_.size()) {
        throw InputError("a pool of cuts has arrays of different lengths");
    }
    if (std::ranges::any_of(pool.selected_, [](auto is_selected) { return is_selected > 1; })) {
        throw InputError("whether a cut is selected is neither 0 nor 1");
    }
    pool.count_selected();
    return pool;
}

void CutPool::count_selected() {
    selected_count_ = static_cast<int>(std::ranges::count(selected_, 1));
}

StageCuts CutPool::to_policy() const {
    StageCuts cuts{slopes_, intercept_, iteration_, trajectory_, selected_};
    if (std::ranges::any_of(outcome_, [](auto outcome) { return outcome >= 0; })) {
        cuts.outcome = outcome_;
    }
    return cuts;
}

CutPool CutPool::from_policy(const StageCuts& cuts, StateLayout states) {
    CutPool pool(states);
    if (cuts.size() > 0) {
        pool.slopes_ = cuts.slopes;
        pool.intercept_ = cuts.intercept;
        pool.iteration_ = pool.last_active_ = cuts.iteration;
        pool.trajectory_ = cuts.trajectory;
        pool.outcome_ = cuts.outcome;
        pool.outcome_.resize(pool.intercept_.size(), -1);
        pool.selected_ = cuts.active;
        pool.count_selected();
    }
    return pool;
}

}  // namespace lockstep::sddp
