#include "rl/solve/linear.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

constexpr std::int64_t states_of_a_block = 65536;
constexpr std::int64_t sweeps_of_an_iteration = 6;

using Vector = std::vector<double>;

}  // namespace

/// The vectors of one run. Names are those of the source.
class Iteration {
public:
    Iteration(const PolicyEquations& equations, std::span<double> v, runtime::ThreadTeam& team)
        : e_(equations),
          team_(team),
          n_(static_cast<std::int64_t>(v.size())),
          x_(v.begin(), v.end()),
          r_(v.size()),
          p_(v.size(), 0.0),
          v_(v.size(), 0.0),
          y_(v.size()),
          z_(v.size()),
          t_(v.size()) {
        each_block([&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                r_[at(i)] = e_.constant_[at(i)] - without(x_, i);
            }
        });
        shadow_ = r_;
    }

    [[nodiscard]] double error() {
        return team_.ordered_reduce(
            blocks(),
            0.0,
            [&](std::ptrdiff_t block, int) {
                double most = 0;
                for (std::int64_t i = begin_of(block); i < end_of(block); ++i) {
                    most = std::max(most, std::abs(r_[at(i)]));
                }
                return most;
            },
            [](double a, double b) { return std::max(a, b); });
    }

    // False where a divisor is 0 or numbers are not finite.
    bool step() {
        const double rho = dot(shadow_, r_);
        const double beta = rho / rho_ * (alpha_ / omega_);
        rho_ = rho;
        each([&](std::size_t i) { p_[i] = r_[i] + beta * (p_[i] - omega_ * v_[i]); });
        precondition(p_, y_);
        apply(y_, v_);
        alpha_ = rho / dot(shadow_, v_);
        each([&](std::size_t i) { r_[i] -= alpha_ * v_[i]; });
        precondition(r_, z_);
        apply(z_, t_);
        omega_ = dot(t_, r_) / dot(t_, t_);
        each([&](std::size_t i) {
            x_[i] += alpha_ * y_[i] + omega_ * z_[i];
            r_[i] -= omega_ * t_[i];
        });
        return std::isfinite(alpha_) && std::isfinite(omega_) && std::isfinite(beta) &&
               omega_ != 0 && rho_ != 0;
    }

    [[nodiscard]] const Vector& x() const { return x_; }

private:
    [[nodiscard]] std::ptrdiff_t blocks() const {
        return (n_ + states_of_a_block - 1) / states_of_a_block;
    }
    [[nodiscard]] static std::int64_t begin_of(std::ptrdiff_t block) {
        return block * states_of_a_block;
    }
    [[nodiscard]] std::int64_t end_of(std::ptrdiff_t block) const {
        return std::min(n_, (block + 1) * states_of_a_block);
    }

    template <typename F>
    void each_block(F&& body) {
        team_.parallel_for(
            blocks(), [&](std::ptrdiff_t block, int) { body(begin_of(block), end_of(block)); });
    }

    template <typename F>
    void each(F&& body) {
        each_block([&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                body(at(i));
            }
        });
    }

    double dot(const Vector& a, const Vector& b) {
        return team_.ordered_reduce(
            blocks(),
            0.0,
            [&](std::ptrdiff_t block, int) {
                double sum = 0;
                for (std::int64_t i = begin_of(block); i < end_of(block); ++i) {
                    sum += a[at(i)] * b[at(i)];
                }
                return sum;
            },
            [](double x, double y) { return x + y; });
    }

    // (x - Cx)(i)
    [[nodiscard]] double without(const Vector& x, std::int64_t i) const {
        double sum = 0;
        for (std::int64_t k = e_.first_[at(i)]; k < e_.first_[at(i + 1)]; ++k) {
            sum += e_.factor_[at(k)] * x[at(e_.next_[at(k)])];
        }
        return x[at(i)] - sum;
    }

    void apply(const Vector& x, Vector& out) {
        each_block([&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                out[at(i)] = without(x, i);
            }
        });
    }

    // z = r + Cz within each block by a sweep forwards from 0 and one backwards.
    void precondition(const Vector& r, Vector& z) {
        each_block([&](std::int64_t begin, std::int64_t end) {
            std::fill(z.begin() + begin, z.begin() + end, 0.0);
            for (std::int64_t i = begin; i < end; ++i) {
                z[at(i)] = r[at(i)] + sum_within(z, i, begin, end);
            }
            for (std::int64_t i = end; i-- > begin;) {
                z[at(i)] = r[at(i)] + sum_within(z, i, begin, end);
            }
        });
    }

    [[nodiscard]] double sum_within(const Vector& z,
                                    std::int64_t i,
                                    std::int64_t begin,
                                    std::int64_t end) const {
        double sum = 0;
        for (std::int64_t k = e_.first_[at(i)]; k < e_.first_[at(i + 1)]; ++k) {
            const std::int64_t next = e_.next_[at(k)];
            if (next >= begin && next < end) {
                sum += e_.factor_[at(k)] * z[at(next)];
            }
        }
        return sum;
    }

    const PolicyEquations& e_;
    runtime::ThreadTeam& team_;
    std::int64_t n_;
    Vector x_;
    Vector r_;
    Vector shadow_;
    Vector p_;
    Vector v_;
    Vector y_;
    Vector z_;
    Vector t_;
    double rho_ = 1;
    double alpha_ = 1;
    double omega_ = 1;
};

PolicyEquations::PolicyEquations(const RowTable& policy, double gamma)
    : first_{0}, constant_(at(policy.states()), 0.0) {
    const RowBlock rows = policy.all();
    const std::size_t outcomes = at(rows.first[rows.pair_first[policy.states()]]);
    first_.reserve(at(policy.states()) + 1);
    next_.reserve(outcomes);
    factor_.reserve(outcomes);
    for (std::int32_t s = 0; s < policy.states(); ++s) {
        for (std::int64_t p = rows.pair_first[s]; p < rows.pair_first[s + 1]; ++p) {
            const double leaves = 1 - gamma * rows.self[p];
            constant_[at(s)] = rows.reward[p] / leaves;
            for (std::int64_t k = rows.first[p]; k < rows.first[p + 1]; ++k) {
                if (rows.next[k] != s) {
                    next_.push_back(rows.next[k]);
                    factor_.push_back(gamma * rows.probability[k] / leaves);
                }
            }
        }
        first_.push_back(static_cast<std::int64_t>(next_.size()));
    }
}

Change PolicyEquations::sweep(std::span<double> v, bool backwards, runtime::ThreadTeam& team) {
    old_.assign(v.begin(), v.end());
    const auto n = static_cast<std::int64_t>(v.size());
    const auto block_change = [&](std::ptrdiff_t block, int) {
        const std::int64_t begin = block * states_of_a_block;
        const std::int64_t end = std::min(n, begin + states_of_a_block);
        Change change;
        for (std::int64_t k = begin; k < end; ++k) {
            const std::int64_t i = backwards ? begin + end - 1 - k : k;
            double sum = constant_[at(i)];
            for (std::int64_t j = first_[at(i)]; j < first_[at(i + 1)]; ++j) {
                const std::int64_t next = next_[at(j)];
                const double* from = next >= begin && next < end ? v.data() : old_.data();
                sum += factor_[at(j)] * from[next];
            }
            change.least = std::min(change.least, sum - v[at(i)]);
            change.most = std::max(change.most, sum - v[at(i)]);
            change.size = std::max(change.size, std::abs(sum));
            v[at(i)] = sum;
        }
        return change;
    };
    return team.ordered_reduce((n + states_of_a_block - 1) / states_of_a_block,
                               Change{},
                               block_change,
                               [](const Change& a, const Change& b) { return a.with(b); });
}

std::int64_t PolicyEquations::improve(std::span<double> v,
                                      double target,
                                      std::int64_t budget,
                                      runtime::ThreadTeam& team) const {
    Iteration iteration(*this, v, team);
    double least = iteration.error();
    std::int64_t sweeps = 1;
    std::int64_t of_best = 0;
    for (std::int64_t step = 1;
         least > target && sweeps + sweeps_of_an_iteration <= budget && step - of_best <= 50;
         ++step) {
        sweeps += sweeps_of_an_iteration;
        if (!iteration.step()) {
            break;
        }
        const double error = iteration.error();
        if (error < least) {
            least = error;
            of_best = step;
            if (error <= target || step % 8 == 0) {
                std::copy(iteration.x().begin(), iteration.x().end(), v.begin());
            }
        }
    }
    return sweeps;
}

}  // namespace lockstep::rl
