#include "lockstep/xpcs/cmc/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/base/math.hpp"
#include "lockstep/runtime/fixed_sum.hpp"

#include "xpcs/cmc/beta_quantile.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double lower_tail = 0.05;
constexpr double upper_tail = 0.95;

// Chains of equal length, one after the other.
struct Chains {
    std::size_t count = 0;
    std::size_t draws = 0;
    std::vector<double> values;

    [[nodiscard]] std::span<const double> chain(std::size_t c) const {
        return std::span(values).subspan(c * draws, draws);
    }
};

bool is_usable(MatrixView<const double> chains) {
    if (chains.rows() < 1 || chains.cols() < 4) {
        return false;
    }
    for (std::ptrdiff_t c = 0; c < chains.rows(); ++c) {
        const auto row = chains.row(c);
        if (!std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); })) {
            return false;
        }
    }
    return true;
}

std::vector<double> all_of(MatrixView<const double> chains) {
    std::vector<double> values;
    for (std::ptrdiff_t c = 0; c < chains.rows(); ++c) {
        const auto row = chains.row(c);
        values.insert(values.end(), row.begin(), row.end());
    }
    return values;
}

// Halves of f(x) for each draw x.
template <typename F>
Chains split(MatrixView<const double> chains, F f) {
    Chains halves{at(chains.rows()) * 2, at(chains.cols()) / 2, {}};
    for (std::ptrdiff_t c = 0; c < chains.rows(); ++c) {
        const auto row = chains.row(c);
        for (const auto half : {row.first(halves.draws), row.last(halves.draws)}) {
            std::transform(half.begin(), half.end(), std::back_inserter(halves.values), f);
        }
    }
    return halves;
}

Chains split(MatrixView<const double> chains) {
    return split(chains, [](double x) { return x; });
}

double mean_of(std::span<const double> values) {
    return runtime::fixed_sum(values) / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
    const double mean = mean_of(values);
    std::vector<double> squares;
    squares.reserve(values.size());
    for (const double value : values) {
        squares.push_back((value - mean) * (value - mean));
    }
    return runtime::fixed_sum(squares) / (static_cast<double>(values.size()) - 1);
}

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return quantile_of_sorted(values, 0.5);
}

// Replaces values by the normal quantiles of their ranks; equal values share their mean rank.
void normalise_ranks(std::vector<double>& values) {
    struct Placed {
        double value;
        std::size_t place;
    };
    const std::size_t n = values.size();
    std::vector<Placed> sorted;
    sorted.reserve(n);
    for (const double value : values) {
        sorted.push_back({value, sorted.size()});
    }
    std::sort(sorted.begin(), sorted.end(), [](const Placed& a, const Placed& b) {
        return a.value < b.value;
    });
    for (std::size_t first = 0; first < n;) {
        std::size_t end = first + 1;
        while (end < n && sorted[end].value == sorted[first].value) {
            ++end;
        }
        const double rank = 0.5 * static_cast<double>(first + 1 + end);
        const double z = math::normal_quantile((rank - 0.375) / (static_cast<double>(n) + 0.25));
        for (; first < end; ++first) {
            values[sorted[first].place] = z;
        }
    }
}

Chains ranked(Chains chains) {
    normalise_ranks(chains.values);
    return chains;
}

double rhat(const Chains& chains) {
    std::vector<double> means;
    std::vector<double> variances;
    for (std::size_t c = 0; c < chains.count; ++c) {
        means.push_back(mean_of(chains.chain(c)));
        variances.push_back(variance_of(chains.chain(c)));
    }
    const auto n = static_cast<double>(chains.draws);
    return std::sqrt((n * variance_of(means) / mean_of(variances) + n - 1) / n);
}

// Mean autocovariance of the chains at one lag after the other, only as far as asked for.
class Autocovariance {
public:
    explicit Autocovariance(const Chains& chains) : draws_(chains.draws) {
        for (std::size_t c = 0; c < chains.count; ++c) {
            const auto chain = chains.chain(c);
            means_.push_back(mean_of(chain));
            for (const double x : chain) {
                centred_.push_back(x - means_.back());
            }
        }
    }
    [[nodiscard]] double operator()(std::size_t lag) const {
        double sum = 0;
        for (std::size_t c = 0; c < means_.size(); ++c) {
            const auto chain = std::span(centred_).subspan(c * draws_, draws_);
            sum += runtime::fixed_dot(chain.first(draws_ - lag), chain.subspan(lag));
        }
        return sum / static_cast<double>(draws_ * means_.size());
    }
    [[nodiscard]] std::span<const double> means() const { return means_; }

private:
    std::size_t draws_;
    std::vector<double> means_;
    std::vector<double> centred_;
};

// Autocorrelation of all chains together, by pairs of lags as long as they sum to more than 0
// (initial positive sequence), never growing (initial monotone sequence): Σ of what [Geyer1992]
// keeps is the time after which draws count as independent.
double autocorrelation_time(const Chains& chains) {
    const Autocovariance covariance(chains);
    const auto n = static_cast<double>(chains.draws);
    const double within = covariance(0) * n / (n - 1);
    const double whole = covariance(0) + (chains.count > 1 ? variance_of(covariance.means()) : 0.0);
    const auto rho = [&](std::size_t lag) { return 1 - (within - covariance(lag)) / whole; };
    double even = 1;
    double odd = rho(1);
    double smallest_pair = even + odd;
    double sum = smallest_pair;
    std::size_t lag = 2;
    bool ended = false;
    while (!ended && lag + 2 < chains.draws && even + odd > 0) {
        even = rho(lag);
        odd = rho(lag + 1);
        ended = even + odd < 0;
        if (!ended) {
            smallest_pair = std::min(smallest_pair, even + odd);
            sum += smallest_pair;
        }
        lag += 2;
    }
    if (!ended && lag > 2) {
        sum -= smallest_pair;  // of correlations that do not die out the last odd one is left out
    }
    return -1 + 2 * sum + (even > 0 ? even : 0);
}

double ess(const Chains& chains) {
    const auto [least, most] = std::minmax_element(chains.values.begin(), chains.values.end());
    const auto total = static_cast<double>(chains.values.size());
    if (*most - *least < std::numeric_limits<double>::epsilon()) {
        return total;
    }
    constexpr double log_of_ten = 2.302585092994045684;
    return total / std::max(autocorrelation_time(chains), log_of_ten / math::log(total));
}

std::vector<double> sorted(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values;
}

double ess_below(MatrixView<const double> chains, double threshold) {
    return ess(split(chains, [=](double x) { return x <= threshold ? 1.0 : 0.0; }));
}

std::vector<double> squared_distances(std::vector<double> values, double centre) {
    for (double& value : values) {
        value = (value - centre) * (value - centre);
    }
    return values;
}

}  // namespace

RHat split_rhat(MatrixView<const double> chains) {
    if (!is_usable(chains) || chains.rows() < 2) {
        return {not_a_number, not_a_number};
    }
    const Chains halves = split(chains);
    const double middle = median_of(halves.values);
    return {rhat(ranked(halves)),
            rhat(ranked(split(chains, [=](double x) { return std::abs(x - middle); })))};
}

double ess_bulk(MatrixView<const double> chains) {
    return is_usable(chains) ? ess(ranked(split(chains))) : not_a_number;
}

double ess_tail(MatrixView<const double> chains) {
    return std::min(ess_quantile(chains, lower_tail), ess_quantile(chains, upper_tail));
}

double ess_mean(MatrixView<const double> chains) {
    return is_usable(chains) ? ess(split(chains)) : not_a_number;
}

double ess_sd(MatrixView<const double> chains) {
    if (!is_usable(chains)) {
        return not_a_number;
    }
    const double mean = mean_of(all_of(chains));
    return ess(split(chains, [=](double x) { return (x - mean) * (x - mean); }));
}

double ess_quantile(MatrixView<const double> chains, double probability) {
    return is_usable(chains)
               ? ess_below(chains, quantile_of_sorted(sorted(all_of(chains)), probability))
               : not_a_number;
}

double mcse_mean(MatrixView<const double> chains) {
    return is_usable(chains) ? std::sqrt(variance_of(all_of(chains)) / ess_mean(chains))
                             : not_a_number;
}

double mcse_sd(MatrixView<const double> chains) {
    if (!is_usable(chains)) {
        return not_a_number;
    }
    const std::vector<double> draws = all_of(chains);
    const std::vector<double> squares = squared_distances(draws, mean_of(draws));
    const double variance = mean_of(squares);
    const double spread = mean_of(squared_distances(squares, variance));
    return std::sqrt(spread / ess_sd(chains) / variance / 4);
}

double mcse_quantile(MatrixView<const double> chains, double probability) {
    if (!is_usable(chains)) {
        return not_a_number;
    }
    constexpr double minus_one_sd = 0.1586553;
    constexpr double plus_one_sd = 0.8413447;
    const double size = ess_quantile(chains, probability);
    const std::vector<double> draws = sorted(all_of(chains));
    const auto last = static_cast<double>(draws.size() - 1);
    const auto rank = [&](double p) {
        return beta_quantile(p, size * probability + 1, size * (1 - probability) + 1) * (last + 1) -
               1;
    };
    const double low = std::floor(std::max(rank(minus_one_sd), 0.0));
    const double high = std::ceil(std::min(rank(plus_one_sd), last));
    return 0.5 * (draws[static_cast<std::size_t>(high)] - draws[static_cast<std::size_t>(low)]);
}

Summary summarise(MatrixView<const double> chains) {
    const std::vector<double> draws = sorted(all_of(chains));
    if (draws.empty()) {
        return {};
    }
    return {mean_of(draws),
            std::sqrt(variance_of(draws)),
            quantile_of_sorted(draws, lower_tail),
            quantile_of_sorted(draws, 0.5),
            quantile_of_sorted(draws, upper_tail),
            split_rhat(chains),
            ess_bulk(chains),
            ess_tail(chains),
            mcse_mean(chains),
            mcse_sd(chains)};
}

double quantile_of_sorted(std::span<const double> sorted, double probability) {
    const double place = probability * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double e_bfmi(std::span<const double> energies) {
    if (energies.size() < 3) {
        return not_a_number;
    }
    std::vector<double> squares;
    for (std::size_t i = 1; i < energies.size(); ++i) {
        squares.push_back((energies[i] - energies[i - 1]) * (energies[i] - energies[i - 1]));
    }
    return mean_of(squares) / variance_of(energies);
}

}  // namespace lockstep::xpcs::cmc
