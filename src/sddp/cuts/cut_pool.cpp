#include "sddp/cuts/cut_pool.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/error.hpp"
#include "lockstep/runtime/fixed_sum.hpp"

namespace lockstep::sddp {

void CutPool::reserve(int cuts) {
    slopes_.reserve(cuts);
    const auto total = at(size() + cuts);
    // Doubling, so that asking for a few at a time does not copy the lists each time.
    const auto room =
        total <= intercept_.capacity() ? total : std::max(total, 2 * intercept_.capacity());
    for (auto* list : {&iteration_, &trajectory_, &last_active_}) {
        list->reserve(room);
    }
    intercept_.reserve(room);
}

void CutPool::add(double intercept, std::span<const double> slopes, int iteration, int trajectory) {
    slopes_.add(slopes);
    intercept_.push_back(intercept);
    iteration_.push_back(iteration);
    trajectory_.push_back(trajectory);
    last_active_.push_back(iteration);
}

void CutPool::price_incoming(std::span<const double> incoming_lags, std::span<double> value) const {
    for (std::size_t b = 0; b < slopes_.blocks().size(); ++b) {
        const auto& block = slopes_.blocks()[b];
        const auto slopes = slopes_.older(block);
        const auto recent = incoming_lags.first(slopes.width);
        for (int i = 0; i < slopes_.count(b); ++i) {
            const auto cut = at(block.first + i);
            value[cut] = intercept_[cut] + runtime::fixed_dot(slopes[i], recent);
        }
    }
}

namespace {

// A sum over the plants for each cut: the plants in order, the cuts side by side.
void add_products(const double* columns,
                  std::size_t stride,
                  std::span<const double> x,
                  std::span<double> value) {
    for (std::size_t h = 0; h < x.size(); ++h) {
        const double factor = x[h];
        const double* column = columns + h * stride;
        for (std::size_t cut = 0; cut < value.size(); ++cut) {
            value[cut] = std::fma(column[cut], factor, value[cut]);
        }
    }
}

// `first_column` of a block of slopes is that of x[0].
void add_products(const CutSlopes& slopes,
                  std::size_t first_column,
                  std::span<const double> x,
                  std::span<double> value) {
    for (std::size_t b = 0; b < slopes.blocks().size(); ++b) {
        const auto& block = slopes.blocks()[b];
        const auto stride = at(block.room);
        add_products(block.values + first_column * stride,
                     stride,
                     x,
                     value.subspan(at(block.first), at(slopes.count(b))));
    }
}

}  // namespace

void CutPool::add_inflow_part(std::span<const double> inflow, std::span<double> value) const {
    if (slopes_.lags() > 0) {
        add_products(slopes_, at(slopes_.hydros()), inflow.first(at(slopes_.hydros())), value);
    }
}

double CutPool::lag_part(int cut,
                         std::span<const double> incoming_lags,
                         std::span<const double> inflow) const {
    const auto older = slopes_.older(cut);
    const auto own = slopes_.inflow(cut);
    double value =
        intercept_[at(cut)] + runtime::fixed_dot(older, incoming_lags.first(older.size()));
    for (int h = 0; h < slopes_.hydros(); ++h) {
        value += own[h] * inflow[at(h)];
    }
    return value;
}

void CutPool::add_storage_part(std::span<const double> storage, std::span<double> value) const {
    add_products(slopes_, 0, storage.first(at(slopes_.hydros())), value);
}

void CutPool::rewind(const Mark& mark) {
    const auto size = at(mark.size);
    slopes_.truncate(mark.size);
    intercept_.resize(size);
    iteration_.resize(size);
    trajectory_.resize(size);
    last_active_ = mark.last_active;
}

void CutPool::pack(ByteWriter& out) const {
    out.add_array(intercept_);
    out.add_array(iteration_);
    out.add_array(trajectory_);
    out.add_array(last_active_);
}

CutPool CutPool::unpack(ByteReader& in, int hydros, int lags) {
    CutPool pool(hydros, lags);
    pool.intercept_ = in.read_array<double>();
    pool.iteration_ = in.read_array<std::int32_t>();
    pool.trajectory_ = in.read_array<std::int32_t>();
    pool.last_active_ = in.read_array<int>();
    for (const auto* list : {&pool.iteration_, &pool.trajectory_, &pool.last_active_}) {
        if (list->size() != pool.intercept_.size()) {
            throw InputError("a pool of cuts has arrays of different lengths");
        }
    }
    return pool;
}

StageCuts CutPool::to_policy() const {
    return {slopes_,
            intercept_,
            iteration_,
            trajectory_,
            std::vector<std::uint8_t>(intercept_.size(), 1)};
}

CutPool CutPool::from_policy(const StageCuts& cuts, int hydros, int lags) {
    CutPool pool(hydros, lags);
    if (std::ranges::count(cuts.active, 0) == 0 && cuts.size() > 0) {
        pool.slopes_ = cuts.slopes;
        pool.intercept_ = cuts.intercept;
        pool.iteration_ = pool.last_active_ = cuts.iteration;
        pool.trajectory_ = cuts.trajectory;
        return pool;
    }
    pool.reserve(cuts.size());
    for (int cut = 0; cut < cuts.size(); ++cut) {
        if (cuts.active[at(cut)] != 0) {
            pool.add(cuts.intercept[at(cut)],
                     cuts.slopes.row(cut),
                     cuts.iteration[at(cut)],
                     cuts.trajectory[at(cut)]);
        }
    }
    return pool;
}

double StageCuts::value(std::span<const double> state) const {
    double best = 0;
    for (int cut = 0; cut < size(); ++cut) {
        best = std::max(best, intercept[at(cut)] + runtime::fixed_dot(slopes.row(cut), state));
    }
    return best;
}

}  // namespace lockstep::sddp
