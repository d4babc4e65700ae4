#include "sddp/cut_pool.hpp"

#include <algorithm>
#include <cmath>

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
      older_stride_(padded(hydros * std::max(lags - 1, 0))),
      storage_(index(hydros)),
      inflow_(index(lags > 0 ? hydros : 0)) {}

void CutPool::reserve(int cuts) {
    const auto total = index(size() + cuts);
    // Doubling, so that asking for a few at a time does not copy the pool each time.
    const auto room =
        total <= intercept_.capacity() ? total : std::max(total, 2 * intercept_.capacity());
    for (auto* table : {&storage_, &inflow_})
        for (auto& column : *table)
            column.reserve(room);
    older_.reserve(room * older_stride_);
    for (auto* list : {&iteration_, &trajectory_, &last_active_})
        list->reserve(room);
    intercept_.reserve(room);
}

void CutPool::add(double intercept, std::span<const double> slopes, int iteration, int trajectory) {
    const auto hydros = index(hydros_);
    for (std::size_t h = 0; h < hydros; ++h)
        storage_[h].push_back(slopes[h]);
    for (std::size_t h = 0; h < inflow_.size(); ++h)
        inflow_[h].push_back(slopes[hydros + h]);
    const auto older = slopes.subspan(hydros + inflow_.size());
    older_.insert(older_.end(), older.begin(), older.end());
    older_.resize(older_stride_ * (index(size()) + 1), 0.0);
    intercept_.push_back(intercept);
    iteration_.push_back(iteration);
    trajectory_.push_back(trajectory);
    last_active_.push_back(iteration);
}

void CutPool::price_incoming(std::span<const double> incoming_lags, std::span<double> value) const {
    const auto width = index(hydros_) * index(std::max(lags_ - 1, 0));
    const auto recent = incoming_lags.first(width);
    for (std::size_t cut = 0; cut < intercept_.size(); ++cut) {
        const std::span<const double> slopes(older_.data() + cut * older_stride_, width);
        value[cut] = intercept_[cut] + runtime::fixed_dot(slopes, recent);
    }
}

namespace {

// A sum over the plants for each cut: the plants in order, the cuts side by side.
void add_products(const std::vector<AlignedVector<double>>& slopes,
                  std::span<const double> x,
                  std::span<double> value) {
    for (std::size_t h = 0; h < slopes.size(); ++h) {
        const double factor = x[h];
        const double* column = slopes[h].data();
        for (std::size_t cut = 0; cut < value.size(); ++cut)
            value[cut] = std::fma(column[cut], factor, value[cut]);
    }
}

}  // namespace

void CutPool::add_inflow_part(std::span<const double> inflow, std::span<double> value) const {
    add_products(inflow_, inflow, value);
}

void CutPool::add_storage_part(std::span<const double> storage, std::span<double> value) const {
    add_products(storage_, storage, value);
}

void CutPool::rewind(const Mark& mark) {
    const auto size = index(mark.size);
    for (auto* table : {&storage_, &inflow_})
        for (auto& column : *table)
            column.resize(size);
    older_.resize(size * older_stride_);
    intercept_.resize(size);
    iteration_.resize(size);
    trajectory_.resize(size);
    last_active_ = mark.last_active;
}

void CutPool::pack(ByteWriter& out) const {
    const auto cuts = to_policy();
    out.add_array(cuts.intercept);
    out.add_array(cuts.slope);
    out.add_array(cuts.iteration);
    out.add_array(cuts.trajectory);
    out.add_array(last_active_);
}

CutPool CutPool::unpack(ByteReader& in, int hydros, int lags) {
    StageCuts cuts;
    cuts.state_size = hydros * (1 + lags);
    cuts.intercept = in.read_array<double>();
    cuts.slope = in.read_array<double>();
    cuts.iteration = in.read_array<std::int32_t>();
    cuts.trajectory = in.read_array<std::int32_t>();
    auto last_active = in.read_array<int>();
    const auto count = cuts.intercept.size();
    if (cuts.slope.size() != count * index(cuts.state_size) || cuts.iteration.size() != count ||
        cuts.trajectory.size() != count || last_active.size() != count)
        throw InputError("a pool of cuts has arrays of different lengths");
    cuts.active.assign(count, 1);
    auto pool = from_policy(cuts, hydros, lags);
    pool.last_active_ = std::move(last_active);
    return pool;
}

StageCuts CutPool::to_policy() const {
    StageCuts cuts;
    cuts.state_size = hydros_ * (1 + lags_);
    cuts.intercept = intercept_;
    cuts.iteration.assign(iteration_.begin(), iteration_.end());
    cuts.trajectory.assign(trajectory_.begin(), trajectory_.end());
    cuts.active.assign(intercept_.size(), 1);
    cuts.slope.reserve(intercept_.size() * index(cuts.state_size));
    for (std::size_t cut = 0; cut < intercept_.size(); ++cut) {
        for (const auto* table : {&storage_, &inflow_})
            for (const auto& column : *table)
                cuts.slope.push_back(column[cut]);
        const auto* older = older_.data() + cut * older_stride_;
        cuts.slope.insert(cuts.slope.end(), older, older + hydros_ * std::max(lags_ - 1, 0));
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
