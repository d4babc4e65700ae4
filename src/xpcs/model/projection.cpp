#include "xpcs/model/projection.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

constexpr int one = AngleSums::one;
constexpr int x = AngleSums::x;
constexpr int residual = AngleSums::residual;
constexpr int derivative = AngleSums::first_derivative;

// A coefficient that the data do not determine (an angle whose g1 vanishes everywhere) stays near
// the reference.
constexpr double ridge = 1e-14;

using Square = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

}  // namespace

Projection::Projection(const Scaling& scaling, int parameters)
    : scaling_(scaling),
      parameters_(parameters),
      matrix_(scaling.coefficients(), scaling.coefficients()),
      right_(scaling.coefficients()),
      change_(scaling.coefficients()),
      target_(scaling.coefficients()),
      factor_(scaling.coefficients(), scaling.coefficients()),
      free_(at(scaling.coefficients()), true),
      coefficients_(at(scaling.coefficients()), 0.0),
      mixed_(at(scaling.coefficients() * parameters), 0.0) {
    members_.reserve(at(scaling.coefficients()));
}

void Projection::solve(const WeightedSums& of) {
    assemble(of);
    descend(of);
    for (int k = 0; k < scaling_.coefficients(); ++k) {
        const double value = of.reference[at(k)] + change_[k];
        coefficients_[at(k)] = free_[at(k)] ? value : nearest_bound(k, value);
    }
    sum_squares(of);
}

void Projection::take(const WeightedSums& of, std::span<const nlsq::AtBound> bounds) {
    assemble(of);
    change_.setZero();
    std::ranges::copy(of.reference, coefficients_.begin());
    for (std::size_t k = 0; k < bounds.size(); ++k) {
        free_[k] = bounds[k] == nlsq::AtBound::no;
    }
    list_free();
    sum_squares(of);
}

void Projection::sum_squares(const WeightedSums& of) {
    sum_of_squares_ = 0;
    for (std::size_t angle = 0; angle < of.sums.size(); ++angle) {
        sum_of_squares_ += of.weights[angle] * sum_of_squares(of, static_cast<int>(angle));
    }
    if (scaling_.has_penalty()) {
        sum_of_squares_ += penalty();
    }
}

void Projection::assemble(const WeightedSums& of) {
    xpcs::assemble(scaling_, of, matrix_, right_);
    if (scaling_.has_penalty()) {
        add_penalty(of);
    }
    for (int k = 0; k < scaling_.coefficients(); ++k) {
        matrix_(k, k) = matrix_(k, k) > 0 ? matrix_(k, k) * (1 + ridge) : 1;
    }
}

void Projection::add_penalty(const WeightedSums& of) {
    for (int row = 0; row < scaling_.coefficients(); ++row) {
        for (int column = 0; column < scaling_.coefficients(); ++column) {
            matrix_(row, column) += scaling_.penalty(row, column);
            right_[row] -= scaling_.penalty(row, column) * of.reference[at(column)];
        }
    }
}

double Projection::penalty() const {
    double sum = 0;
    for (int row = 0; scaling_.has_penalty() && row < scaling_.coefficients(); ++row) {
        for (int column = 0; column < scaling_.coefficients(); ++column) {
            sum +=
                coefficients_[at(row)] * scaling_.penalty(row, column) * coefficients_[at(column)];
        }
    }
    return sum;
}

double Projection::nearest_bound(int coefficient, double value) const {
    const double lower = scaling_.lower()[at(coefficient)];
    const double upper = scaling_.upper()[at(coefficient)];
    return value - lower < upper - value ? lower : upper;
}

/// A convex quadratic within a box: free coefficients go where they want until one meets its bound,
/// and one that a bound holds back against its will is set free.
void Projection::descend(const WeightedSums& of) {
    std::fill(free_.begin(), free_.end(), true);
    change_.setZero();
    const int most = 4 * scaling_.coefficients() + 4;
    for (int k = 0; k < most; ++k) {
        solve_free();
        if (step_within(of) && !release(of)) {
            return;
        }
    }
}

void Projection::list_free() {
    members_.clear();
    for (int k = 0; k < scaling_.coefficients(); ++k) {
        if (free_[at(k)]) {
            members_.push_back(k);
        }
    }
}

void Projection::solve_free() {
    list_free();
    const int size = static_cast<int>(members_.size());
    for (int row = 0; row < size; ++row) {
        double sum = right_[members_[at(row)]];
        for (int k = 0; k < scaling_.coefficients(); ++k) {
            sum -= free_[at(k)] ? 0 : matrix_(members_[at(row)], k) * change_[k];
        }
        target_[row] = sum;
        for (int column = 0; column <= row; ++column) {
            factor_(row, column) = matrix_(members_[at(row)], members_[at(column)]);
        }
    }
    Square square = factor_.topLeftCorner(size, size);
    const Eigen::LLT<Square> in_place(square);
    in_place.solveInPlace(target_.head(size));
}

/// Goes to the target, or to the first bound on the way, which then holds.
/// @returns whether the target was reached
bool Projection::step_within(const WeightedSums& of) {
    double length = 1;
    int blocking = -1;
    double bound = 0;
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const int k = members_[m];
        const double step = target_[static_cast<int>(m)] - change_[k];
        const double limit =
            (step < 0 ? scaling_.lower() : scaling_.upper())[at(k)] - of.reference[at(k)];
        if (length * std::abs(step) > std::abs(limit - change_[k])) {
            length = (limit - change_[k]) / step;
            blocking = k;
            bound = limit;
        }
    }
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const int k = members_[m];
        change_[k] += length * (target_[static_cast<int>(m)] - change_[k]);
    }
    if (blocking >= 0) {
        change_[blocking] = bound;
        free_[at(blocking)] = false;
    }
    return blocking < 0;
}

bool Projection::release(const WeightedSums& of) {
    double most = 0;
    int wanting = -1;
    for (int k = 0; k < scaling_.coefficients(); ++k) {
        if (free_[at(k)]) {
            continue;
        }
        double pull = right_[k];
        for (int other = 0; other < scaling_.coefficients(); ++other) {
            pull -= matrix_(k, other) * change_[other];
        }
        const bool is_lower = change_[k] + of.reference[at(k)] <= scaling_.lower()[at(k)];
        const double inward = is_lower ? pull : -pull;
        if (inward > most) {
            most = inward;
            wanting = k;
        }
    }
    if (wanting >= 0) {
        free_[at(wanting)] = true;
    }
    return wanting >= 0;
}

double Projection::sum_of_squares(const WeightedSums& of, int angle) const {
    return squares_after(of.sums[at(angle)], change_at(scaling_, angle, change_));
}

nlsq::AtBound Projection::bound_of(int coefficient) const {
    if (free_[at(coefficient)]) {
        return nlsq::AtBound::no;
    }
    return coefficients_[at(coefficient)] == scaling_.lower()[at(coefficient)]
               ? nlsq::AtBound::lower
               : nlsq::AtBound::upper;
}

void Projection::gradient(const WeightedSums& of, std::span<double> gradient) const {
    std::ranges::fill(gradient, 0.0);
    for (std::size_t angle = 0; angle < of.sums.size(); ++angle) {
        const AngleSums& sums = of.sums[angle];
        const auto [c, o] = change_at(scaling_, static_cast<int>(angle), change_);
        const double contrast =
            scaling_.scale_of(static_cast<int>(angle), coefficients_).contrast * of.weights[angle];
        for (int p = 0; p < parameters_; ++p) {
            const int column = derivative + p;
            gradient[at(p)] -=
                contrast * (sums(residual, column) - o * sums(one, column) - c * sums(x, column));
        }
    }
}

void Projection::scale_gradient(std::span<double> gradient) const {
    for (int k = 0; k < scaling_.coefficients(); ++k) {
        gradient[at(k)] = -right_[k];
        for (int other = 0; other < scaling_.coefficients(); ++other) {
            gradient[at(k)] += matrix_(k, other) * change_[other];
        }
    }
}

/// JᵀJ of a coefficient and a physical parameter.
double Projection::mixed(const WeightedSums& of, int coefficient, int parameter) const {
    const int functions = scaling_.functions();
    const int row = coefficient < functions ? x : one;
    double sum = 0;
    for (std::size_t angle = 0; angle < of.sums.size(); ++angle) {
        const double basis = scaling_.basis(static_cast<int>(angle), coefficient % functions);
        sum += basis == 0 ? 0
                          : of.weights[angle] * basis *
                                scaling_.scale_of(static_cast<int>(angle), coefficients_).contrast *
                                of.sums[angle](row, derivative + parameter);
    }
    return sum;
}

/// JᵀJ of two physical parameters.
double Projection::physical(const WeightedSums& of, int p, int q) const {
    double sum = 0;
    for (std::size_t angle = 0; angle < of.sums.size(); ++angle) {
        const double contrast = scaling_.scale_of(static_cast<int>(angle), coefficients_).contrast;
        sum += of.weights[angle] * contrast * contrast *
               of.sums[angle](derivative + p, derivative + q);
    }
    return sum;
}

void Projection::gram(const WeightedSums& of, std::span<double> gram) {
    const int free = static_cast<int>(members_.size());
    for (int p = 0; p < parameters_; ++p) {
        const std::span<double> column(&mixed_[at(p * free)], at(free));
        for (int k = 0; k < free; ++k) {
            column[at(k)] = mixed(of, members_[at(k)], p);
        }
        factor_.topLeftCorner(free, free)
            .triangularView<Eigen::Lower>()
            .solveInPlace(Eigen::Map<Eigen::VectorXd>(column.data(), free));
    }
    for (int p = 0; p < parameters_; ++p) {
        for (int q = 0; q <= p; ++q) {
            double sum = physical(of, p, q);
            for (int k = 0; k < free; ++k) {
                sum -= mixed_[at(p * free + k)] * mixed_[at(q * free + k)];
            }
            gram[at(p * parameters_ + q)] = sum;
            gram[at(q * parameters_ + p)] = sum;
        }
    }
}

std::vector<double> Projection::whole_gram(const WeightedSums& of) const {
    const int linear = scaling_.coefficients();
    const int size = linear + parameters_;
    std::vector<double> gram(at(size * size), 0.0);
    const auto set = [&](int row, int column, double value) {
        gram[at(row * size + column)] = value;
        gram[at(column * size + row)] = value;
    };
    for (const int row : members_) {
        for (const int column : members_) {
            set(row, column, matrix_(row, column));
        }
        for (int p = 0; p < parameters_; ++p) {
            set(row, linear + p, mixed(of, row, p));
        }
    }
    for (int p = 0; p < parameters_; ++p) {
        for (int q = 0; q <= p; ++q) {
            set(linear + p, linear + q, physical(of, p, q));
        }
    }
    return gram;
}

}  // namespace lockstep::xpcs
