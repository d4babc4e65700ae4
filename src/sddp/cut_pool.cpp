#include "sddp/cut_pool.hpp"

#include <algorithm>

#include "lockstep/runtime/fixed_sum.hpp"

namespace lockstep::sddp {

namespace {

std::size_t padded(int width) {
    return (static_cast<std::size_t>(width) + 7) / 8 * 8;
}

}  // namespace

CutPool::CutPool(int hydros, int lags)
    : hydros_(hydros),
      lags_(lags),
      storage_stride_(padded(hydros)),
      lag_stride_(padded(hydros * lags)) {}

void CutPool::reserve(int cuts) {
    const auto total = index(size() + cuts);
    storage_.reserve(total * storage_stride_);
    lag_.reserve(total * lag_stride_);
    for (auto* list : {&iteration_, &trajectory_, &last_active_})
        list->reserve(total);
    intercept_.reserve(total);
}

void CutPool::add(double intercept, std::span<const double> slopes, int iteration, int trajectory) {
    const auto storages = static_cast<std::ptrdiff_t>(hydros_);
    storage_.insert(storage_.end(), slopes.begin(), slopes.begin() + storages);
    storage_.resize(storage_stride_ * (index(size()) + 1), 0.0);
    lag_.insert(lag_.end(), slopes.begin() + storages, slopes.end());
    lag_.resize(lag_stride_ * (index(size()) + 1), 0.0);
    intercept_.push_back(intercept);
    iteration_.push_back(iteration);
    trajectory_.push_back(trajectory);
    last_active_.push_back(iteration);
}

void CutPool::price_incoming(std::span<const double> incoming_lags, std::span<double> value) const {
    const auto width =
        static_cast<std::size_t>(hydros_) * static_cast<std::size_t>(std::max(lags_ - 1, 0));
    const auto older = incoming_lags.first(width);
    for (int cut = 0; cut < size(); ++cut) {
        const std::span<const double> slopes(lag_.data() + index(cut) * lag_stride_ +
                                                 static_cast<std::size_t>(lags_ > 0 ? hydros_ : 0),
                                             width);
        value[index(cut)] = intercept(cut) + runtime::fixed_dot(slopes, older);
    }
}

double CutPool::inflow_part(int cut, std::span<const double> inflow) const {
    return lags_ == 0 ? 0.0 : runtime::fixed_dot(lag_slopes(cut, 0), inflow);
}

double CutPool::storage_part(int cut, std::span<const double> storage) const {
    return runtime::fixed_dot(storage_slopes(cut), storage);
}

StageCuts CutPool::to_policy() const {
    StageCuts cuts;
    cuts.state_size = hydros_ * (1 + lags_);
    cuts.intercept = intercept_;
    cuts.iteration.assign(iteration_.begin(), iteration_.end());
    cuts.trajectory.assign(trajectory_.begin(), trajectory_.end());
    cuts.active.assign(intercept_.size(), 1);
    cuts.slope.reserve(intercept_.size() * static_cast<std::size_t>(cuts.state_size));
    for (int cut = 0; cut < size(); ++cut) {
        const auto storage = storage_slopes(cut);
        cuts.slope.insert(cuts.slope.end(), storage.begin(), storage.end());
        const auto lags = lag_.begin() + static_cast<std::ptrdiff_t>(index(cut) * lag_stride_);
        cuts.slope.insert(cuts.slope.end(), lags, lags + hydros_ * lags_);
    }
    return cuts;
}

CutPool CutPool::from_policy(const StageCuts& cuts, int hydros, int lags) {
    CutPool pool(hydros, lags);
    pool.reserve(cuts.size());
    for (int cut = 0; cut < cuts.size(); ++cut)
        if (cuts.active[index(cut)] != 0)
            pool.add(cuts.intercept[index(cut)],
                     cuts.slopes(cut),
                     cuts.iteration[index(cut)],
                     cuts.trajectory[index(cut)]);
    return pool;
}

double StageCuts::value(std::span<const double> state) const noexcept {
    double best = 0;
    for (int cut = 0; cut < size(); ++cut)
        best = std::max(
            best,
            intercept[static_cast<std::size_t>(cut)] + runtime::fixed_dot(slopes(cut), state));
    return best;
}

}  // namespace lockstep::sddp
