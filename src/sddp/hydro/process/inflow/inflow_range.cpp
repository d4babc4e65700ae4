#include "sddp/hydro/process/inflow/inflow_range.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {

namespace {

Interval operator+(const Interval& a, const Interval& b) {
    return {a.low + b.low, a.high + b.high};
}

Interval operator*(double factor, const Interval& a) {
    return factor < 0 ? Interval{factor * a.high, factor * a.low}
                      : Interval{factor * a.low, factor * a.high};
}

Interval hull(const Interval& a, const Interval& b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Interval common_part(const Interval& a, const Interval& b) {
    const Interval both{std::max(a.low, b.low), std::min(a.high, b.high)};
    return both.low <= both.high ? both : a;  // apart by rounding only
}

/// A place of the state of one plant: between what it lies, and as constant + Σ over stages s
/// before of response[s]·innovation_s.
struct PlaceRange {
    Interval value;
    double constant = 0;
    std::vector<double> response{};  ///< of the first stages; 0 for the others
};

/// `place` times `weight` on top of `sum`.
void add(double weight, const PlaceRange& place, PlaceRange& sum) {
    sum.value = sum.value + weight * place.value;
    sum.constant += weight * place.constant;
    sum.response.resize(std::max(sum.response.size(), place.response.size()), 0.0);
    for (std::size_t s = 0; s < place.response.size(); ++s) {
        sum.response[s] += weight * place.response[s];
    }
}

/// Follows one plant through the stages. Two enclosures are known of each mean and the common part
/// is kept: by the intervals of its lags, which is sharp where coefficients are positive, and by
/// the innovations of all stages before, which does not grow where they alternate: equation (14).
class Plant {
public:
    Plant(const Process& process, int hydro) : process_(process), hydro_(hydro) {
        for (int place = 0; place < process.inflow.lags; ++place) {
            const double value =
                process.inflow.initial_lags[at(place * process.inflow.hydros + hydro)];
            state_.push_back({{value, value}, value});
        }
    }

    std::vector<Interval> follow() {
        for (int t = 0; t < static_cast<int>(process_.inflow.stages.size()); ++t) {
            recall(t);
            PlaceRange inflow = mean(t);
            means_.push_back(common_part(inflow.value, by_innovations(inflow)));
            add_inflow(t, std::move(inflow));
        }
        return std::move(means_);
    }

private:
    [[nodiscard]] double coefficient(int stage, int lag) const {
        return process_.inflow.stages[at(stage)].lag[at(lag * process_.inflow.hydros + hydro_)];
    }

    void recall(int t) {
        const auto& terms = process_.inflow.stages[at(t)].recall;
        if (terms.empty()) {
            return;
        }
        std::vector<PlaceRange> lags(state_.size());
        for (const InflowModel::Recall& term : terms) {
            add(term.weight[at(hydro_)], state_[at(term.place)], lags[at(term.lag)]);
        }
        state_ = std::move(lags);
    }

    [[nodiscard]] PlaceRange mean(int t) const {
        const auto base = process_.inflow.stages[at(t)].base[at(hydro_)];
        PlaceRange sum{{base, base}, base};
        for (int lag = 0; lag < process_.inflow.lags; ++lag) {
            add(coefficient(t, lag), state_[at(lag)], sum);
        }
        return sum;
    }

    [[nodiscard]] Interval by_innovations(const PlaceRange& mean) const {
        Interval sum{mean.constant, mean.constant};
        for (std::size_t s = 0; s < mean.response.size(); ++s) {
            sum = sum + mean.response[s] * innovation_[s];
        }
        return sum;
    }

    [[nodiscard]] Interval shocks(int t) const {
        const auto scale = process_.inflow.stages[at(t)].scale[at(hydro_)];
        Interval range{scale * process_.tree.noise(t, 0)[at(hydro_)], 0};
        range.high = range.low;
        for (int opening = 1; opening < process_.tree.count[at(t)]; ++opening) {
            const auto shock = scale * process_.tree.noise(t, opening)[at(hydro_)];
            range = hull(range, {shock, shock});
        }
        return range;
    }

    /// Truncation raises the noise to what ends at zero.
    void add_inflow(int t, PlaceRange inflow) {
        const auto& mean = means_.back();
        auto shock = shocks(t);
        inflow.value = mean + shock;
        if (process_.inflow.stages[at(t)].scale[at(hydro_)] > 0) {
            shock = {std::max(shock.low, -mean.high), std::max(shock.high, -mean.low)};
            inflow.value = {std::max(inflow.value.low, 0.0), std::max(inflow.value.high, 0.0)};
        }
        for (const PinnedInflow& pinned : process_.pinned_inflow) {
            if (pinned.stage == t && !pinned.flow_m3s.empty()) {
                const double flow = pinned.flow_m3s[at(hydro_)];
                shock = hull(shock, {flow - mean.high, flow - mean.low});
                inflow.value = hull(inflow.value, {flow, flow});
            }
        }
        innovation_.push_back(shock);
        inflow.response.resize(at(t), 0.0);
        inflow.response.push_back(1);
        state_.insert(state_.begin(), std::move(inflow));
        state_.pop_back();
    }

    const Process& process_;
    int hydro_;
    std::vector<PlaceRange> state_;
    std::vector<Interval> means_, innovation_;
};

// Whether an opening is dry after some paths that differ.
bool is_truncated(const Process& process, int stage, int hydro, const Interval& mean) {
    const auto scale = process.inflow.stages[at(stage)].scale[at(hydro)];
    for (int opening = 0; scale > 0 && opening < process.tree.count[at(stage)]; ++opening) {
        const auto shock = scale * process.tree.noise(stage, opening)[at(hydro)];
        if (mean.low < mean.high && mean.low + shock < 0) {
            return true;
        }
    }
    return false;
}

bool has_noise(const Process& process, int stage, int hydro) {
    const bool is_pinned = std::ranges::any_of(process.pinned_inflow, [&](const auto& pinned) {
        return pinned.stage == stage && !pinned.flow_m3s.empty();
    });
    return is_pinned || (process.tree.count[at(stage)] > 1 &&
                         process.inflow.stages[at(stage)].scale[at(hydro)] > 0);
}

/// Whether places of the state of a plant, at a stage, hold inflows that may be this or that.
std::vector<char> recalled(const InflowModel::StageModel& stage,
                           int hydro,
                           const std::vector<char>& state) {
    if (stage.recall.empty()) {
        return state;
    }
    std::vector<char> lags(state.size(), 0);
    for (const InflowModel::Recall& term : stage.recall) {
        const bool has = term.weight[at(hydro)] != 0 && state[at(term.place)] != 0;
        lags[at(term.lag)] = has ? 1 : lags[at(term.lag)];
    }
    return lags;
}

// Whether the inflow of a plant at some stage from `first` on depends on one before it that may be
// this or that.
bool remembers_noise(const Process& process, int first, int hydro) {
    const auto& inflow = process.inflow;
    std::vector<char> varies(at(inflow.lags), 0);
    bool is_noisy = false;
    for (int t = 0; t < static_cast<int>(inflow.stages.size()) && inflow.lags > 0; ++t) {
        varies = recalled(inflow.stages[at(t)], hydro, varies);
        for (int lag = 0; t >= first && lag < inflow.lags; ++lag) {
            if (varies[at(lag)] != 0 &&
                inflow.stages[at(t)].lag[at(lag * inflow.hydros + hydro)] != 0) {
                return true;
            }
        }
        is_noisy = is_noisy || has_noise(process, t, hydro);
        varies.insert(varies.begin(), is_noisy && t < first ? 1 : 0);
        varies.pop_back();
    }
    return false;
}

bool remembers_noise(const Process& process, int first) {
    for (int h = 0; h < process.inflow.hydros; ++h) {
        if (remembers_noise(process, first, h)) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool truncates(NonNegativity method) noexcept {
    return method == NonNegativity::truncation || method == NonNegativity::truncation_with_penalty;
}

std::vector<int> truncated_hydros(const Process& process) {
    std::set<int> found;
    const auto means = inflow_means(process);
    for (int t = 1; t < static_cast<int>(means.size()); ++t) {
        for (int h = 0; h < process.inflow.hydros; ++h) {
            if (is_truncated(process, t, h, means[at(t)][at(h)])) {
                found.insert(h);
            }
        }
    }
    return {found.begin(), found.end()};
}

std::vector<int> stages_of_partial_cuts(const Calendar& calendar, const Process& process) {
    std::vector<int> stages;
    for (int t = 1; t < calendar.stage_count(); ++t) {
        const auto& stage = calendar.stages[at(t)];
        if ((!stage.storage_in_cuts && process.inflow.hydros > 0) ||
            (!stage.lags_in_cuts && remembers_noise(process, t))) {
            stages.push_back(t);
        }
    }
    return stages;
}

bool has_valid_bound(const Calendar& calendar, const Process& process) {
    return (process.bound_slopes == BoundSlopes::secant || truncated_hydros(process).empty()) &&
           stages_of_partial_cuts(calendar, process).empty();
}

std::vector<std::vector<Interval>> inflow_means(const Process& process) {
    std::vector<std::vector<Interval>> means;
    if (process.inflow.lags == 0 || !truncates(process.non_negativity)) {
        return means;
    }
    means.resize(process.inflow.stages.size());
    for (int h = 0; h < process.inflow.hydros; ++h) {
        const auto plant = Plant(process, h).follow();
        for (std::size_t t = 0; t < means.size(); ++t) {
            means[t].push_back(plant[t]);
        }
    }
    return means;
}

AffineSupport support_of_truncated(double weight, double f, const Interval& range) noexcept {
    if (range.low >= 0) {
        return {1, 0};
    }
    if (range.high <= 0) {
        return {0, 0};
    }
    if (weight >= 0) {  // convex: a tangent
        return {f >= 0 ? 1.0 : 0.0, 0};
    }
    const auto slope = range.high / (range.high - range.low);  // concave: the secant
    return {slope, -slope * range.low};
}

}  // namespace lockstep::sddp
