#include "sddp/hydro/process/inflow_range.hpp"

#include <algorithm>
#include <set>

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

Interval common_part(const Interval& a, const Interval& b) {
    const Interval both{std::max(a.low, b.low), std::min(a.high, b.high)};
    return both.low <= both.high ? both : a;  // apart by rounding only
}

/// Follows one plant through the stages. Two enclosures are known of each mean and the common part
/// is kept: by the intervals of its lags, which is sharp where coefficients are positive, and by
/// the innovations of all stages before, which does not grow where they alternate.
class Plant {
public:
    Plant(const Process& process, int hydro) : process_(process), hydro_(hydro) {}

    std::vector<Interval> follow() {
        for (int t = 0; t < static_cast<int>(process_.inflow.stages.size()); ++t) {
            add_response(t);
            means_.push_back(common_part(by_lags(t), by_innovations(t)));
            add_inflow(t);
        }
        return std::move(means_);
    }

private:
    [[nodiscard]] double coefficient(int stage, int lag) const {
        return process_.inflow.stages[at(stage)].lag[at(lag * process_.inflow.hydros + hydro_)];
    }
    [[nodiscard]] double initial(int lag) const {
        return process_.inflow.initial_lags[at(lag * process_.inflow.hydros + hydro_)];
    }

    /// The mean of stage t = constant + Σ over stages s before of response[s]·innovation_s:
    /// equation (14).
    void add_response(int t) {
        auto& response = response_.emplace_back(at(t) + 1, 0.0);
        double constant = process_.inflow.stages[at(t)].base[at(hydro_)];
        for (int lag = 0; lag < process_.inflow.lags; ++lag) {
            const auto psi = coefficient(t, lag);
            const int source = t - 1 - lag;
            if (source < 0) {
                constant += psi * initial(-source - 1);
                continue;
            }
            constant += psi * constant_[at(source)];
            for (int s = 0; s <= source; ++s) {
                response[at(s)] += psi * response_[at(source)][at(s)];
            }
        }
        response.back() = 1;
        constant_.push_back(constant);
    }

    [[nodiscard]] Interval by_lags(int t) const {
        const auto base = process_.inflow.stages[at(t)].base[at(hydro_)];
        Interval sum{base, base};
        for (int lag = 0; lag < process_.inflow.lags; ++lag) {
            const int source = t - 1 - lag;
            const auto value = source < 0 ? Interval{initial(-source - 1), initial(-source - 1)}
                                          : inflow_[at(source)];
            sum = sum + coefficient(t, lag) * value;
        }
        return sum;
    }

    [[nodiscard]] Interval by_innovations(int t) const {
        Interval sum{constant_[at(t)], constant_[at(t)]};
        for (int s = 0; s < t; ++s) {
            sum = sum + response_[at(t)][at(s)] * innovation_[at(s)];
        }
        return sum;
    }

    [[nodiscard]] Interval shocks(int t) const {
        const auto scale = process_.inflow.stages[at(t)].scale[at(hydro_)];
        Interval range{scale * process_.tree.noise(t, 0)[at(hydro_)], 0};
        range.high = range.low;
        for (int opening = 1; opening < process_.tree.count[at(t)]; ++opening) {
            const auto shock = scale * process_.tree.noise(t, opening)[at(hydro_)];
            range = {std::min(range.low, shock), std::max(range.high, shock)};
        }
        return range;
    }

    /// Truncation raises the noise to what ends at zero.
    void add_inflow(int t) {
        const auto& mean = means_.back();
        auto shock = shocks(t);
        auto inflow = mean + shock;
        if (process_.inflow.stages[at(t)].scale[at(hydro_)] > 0) {
            shock = {std::max(shock.low, -mean.high), std::max(shock.high, -mean.low)};
            inflow = {std::max(inflow.low, 0.0), std::max(inflow.high, 0.0)};
        }
        innovation_.push_back(shock);
        inflow_.push_back(inflow);
    }

    const Process& process_;
    int hydro_;
    std::vector<double> constant_;
    std::vector<std::vector<double>> response_;
    std::vector<Interval> means_, innovation_, inflow_;
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
    return process.tree.count[at(stage)] > 1 &&
           process.inflow.stages[at(stage)].scale[at(hydro)] > 0;
}

// Whether the inflow of a plant at some stage from `first` on depends on one before it that may be
// this or that.
bool remembers_noise(const Process& process, int first, int hydro) {
    int noisy = 0;
    while (noisy < first && !has_noise(process, noisy, hydro)) {
        ++noisy;
    }
    const auto& inflow = process.inflow;
    for (int t = first; t < static_cast<int>(inflow.stages.size()); ++t) {
        for (int lag = t - first; lag < inflow.lags; ++lag) {
            if (t - 1 - lag >= noisy &&
                inflow.stages[at(t)].lag[at(lag * inflow.hydros + hydro)] != 0) {
                return true;
            }
        }
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
