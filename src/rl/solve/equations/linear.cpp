#include "rl/solve/equations/linear.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/index.hpp"

#include "rl/solve/equations/couplings.hpp"
#include "rl/solve/equations/multilevel.hpp"
#include "rl/solve/sweeps/blocks.hpp"

namespace lockstep::rl {
namespace {

constexpr std::int64_t sweeps_of_an_iteration = 14;  // that take as long
constexpr double least_weight = 0x1p-60;             // where 1 - self has no digit left
constexpr double least_angle = 1e-24;                // squared
constexpr std::int64_t patience = 50;

using Vector = std::vector<double>;

/// The vectors of one run. Names are those of the source.
class Iteration {
public:
    Iteration(const Couplings& c,
              const std::vector<double>& constant,
              std::span<double> v,
              runtime::ThreadTeam& team)
        : c_(c),
          team_(team),
          blocks_(c.size(), team),
          multilevel_(c, team),
          x_(v.begin(), v.end()),
          r_(v.size()),
          p_(v.size(), 0.0),
          v_(v.size(), 0.0),
          y_(v.size()),
          z_(v.size()),
          t_(v.size()) {
        apply(x_, r_);
        blocks_.for_all([&](std::size_t i) { r_[i] = constant[i] - r_[i]; });
        shadow_ = r_;
    }

    [[nodiscard]] double error() const {
        return blocks_.fold(
            0.0,
            [&](std::int64_t begin, std::int64_t end) {
                double most = 0;
                for (std::int64_t i = begin; i < end; ++i) {
                    most = std::max(most, std::abs(r_[at(i)]));
                }
                return most;
            },
            [](double a, double b) { return std::max(a, b); });
    }

    // False where a divisor is 0, nearly, or numbers are not finite.
    bool step() {
        const double rho = dot(shadow_, r_);
        if (!(rho * rho > least_angle * dot(shadow_, shadow_) * dot(r_, r_))) {
            return false;
        }
        const double beta = rho / rho_ * (alpha_ / omega_);
        rho_ = rho;
        blocks_.for_all([&](std::size_t i) { p_[i] = r_[i] + beta * (p_[i] - omega_ * v_[i]); });
        multilevel_.solve(p_, y_, team_);
        apply(y_, v_);
        alpha_ = rho / dot(shadow_, v_);
        blocks_.for_all([&](std::size_t i) { r_[i] -= alpha_ * v_[i]; });
        multilevel_.solve(r_, z_, team_);
        apply(z_, t_);
        omega_ = dot(t_, r_) / dot(t_, t_);
        blocks_.for_all([&](std::size_t i) {
            x_[i] += alpha_ * y_[i] + omega_ * z_[i];
            r_[i] -= omega_ * t_[i];
        });
        return std::isfinite(alpha_) && std::isfinite(omega_) && std::isfinite(beta) && omega_ != 0;
    }

    [[nodiscard]] const Vector& x() const { return x_; }

private:
    double dot(const Vector& a, const Vector& b) {
        return blocks_.sum([&](std::size_t i) { return a[i] * b[i]; });
    }

    // x - Cx
    void apply(const Vector& x, Vector& out) {
        blocks_.for_all(
            [&](std::size_t i) { out[i] = x[i] - c_.sum(x.data(), static_cast<std::int64_t>(i)); });
    }

    const Couplings& c_;
    runtime::ThreadTeam& team_;
    Blocks blocks_;
    Multilevel multilevel_;
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

}  // namespace

PolicyEquations::PolicyEquations(const RowSource& source,
                                 const std::vector<std::int32_t>& choice,
                                 double gamma,
                                 const Workers& workers)
    : begin_(workers.own(source.states()).begin),
      states_(source.states()),
      constant_(at(workers.own(source.states()).end - begin_), 0.0) {
    std::vector<Couplings> parts(blocks_of(source));
    over_blocks(
        source,
        workers,
        0,
        [&](int begin, int end, const RowBlock& rows) {
            Couplings& part = parts[at(begin / states_of_a_block)];
            for (std::int32_t s = begin; s < end; ++s) {
                const std::int32_t chosen = choice[at(s)];
                const double weight =
                    chosen < 0
                        ? 1
                        : add_equation(rows, rows.pair_first[s - begin] + chosen, s, gamma, part);
                part.end_row(weight);
            }
            return 0;
        },
        [](int a, int) { return a; });
    couplings_ = joined(parts);
}

// Returns what the equation was divided by.
double PolicyEquations::add_equation(
    const RowBlock& rows, std::int64_t pair, std::int32_t s, double gamma, Couplings& part) {
    const double weight = std::max(1 - gamma * rows.self[pair], least_weight);
    constant_[at(s - begin_)] = rows.reward[pair] / weight;
    for (std::int64_t k = rows.first[pair]; k < rows.first[pair + 1]; ++k) {
        if (rows.next[k] != s) {
            part.next.push_back(rows.next[k]);
            part.factor.push_back(gamma * rows.probability[k] / weight);
        }
    }
    return weight;
}

Change PolicyEquations::sweep(std::span<double> v, bool backwards, const Workers& workers) {
    old_.assign(v.begin(), v.end());
    const Change change = workers.fold(
        states_,
        states_of_a_long_block(states_),
        Change{},
        [&](int begin, int end) {
            return backwards ? sweep_block<true>(v, begin, end) : sweep_block<false>(v, begin, end);
        },
        [](const Change& a, const Change& b) { return a.with(b); });
    workers.share(v);
    return change;
}

template <bool is_backwards>
Change PolicyEquations::sweep_block(std::span<double> v,
                                    std::int64_t begin,
                                    std::int64_t end) const {
    Change change;
    for (std::int64_t k = begin; k < end; ++k) {
        const std::int64_t i = is_backwards ? begin + end - 1 - k : k;
        const double sum = couplings_.sum_seen<is_backwards>(
            constant_[at(i - begin_)], v.data(), old_.data(), i - begin_, begin, end);
        change.least = std::min(change.least, sum - v[at(i)]);
        change.most = std::max(change.most, sum - v[at(i)]);
        change.size = std::max(change.size, std::abs(sum));
        v[at(i)] = sum;
    }
    return change;
}

PolicyEquations::Improvement PolicyEquations::improve(std::span<double> v,
                                                      double target,
                                                      std::int64_t budget,
                                                      runtime::ThreadTeam& team) const {
    Iteration iteration(couplings_, constant_, v, team);
    double least = iteration.error();
    std::int64_t sweeps = 1;
    std::int64_t of_best = 0;
    for (std::int64_t step = 1;
         least > target && sweeps + sweeps_of_an_iteration <= budget && step - of_best <= patience;
         ++step) {
        sweeps += sweeps_of_an_iteration;
        if (!iteration.step()) {
            break;
        }
        const double error = iteration.error();
        if (error < least) {
            least = error;
            of_best = step;
            std::copy(iteration.x().begin(), iteration.x().end(), v.begin());
        }
    }
    return {sweeps, least};
}

}  // namespace lockstep::rl
