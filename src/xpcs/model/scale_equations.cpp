#include "xpcs/model/scale_equations.hpp"

namespace lockstep::xpcs {
namespace {

constexpr int one = AngleSums::one;
constexpr int x = AngleSums::x;
constexpr int residual = AngleSums::residual;

}  // namespace

void assemble(const Scaling& scaling,
              const WeightedSums& of,
              Eigen::MatrixXd& matrix,
              Eigen::VectorXd& right) {
    matrix.setZero();
    right.setZero();
    const int functions = scaling.functions();
    for (std::size_t angle = 0; angle < of.sums.size(); ++angle) {
        const AngleSums& sums = of.sums[angle];
        for (int p = 0; p < functions; ++p) {
            const double left = of.weights[angle] * scaling.basis(static_cast<int>(angle), p);
            if (left == 0) {
                continue;
            }
            right[p] += left * sums(x, residual);
            right[functions + p] += left * sums(one, residual);
            for (int q = 0; q < functions; ++q) {
                const double both = left * scaling.basis(static_cast<int>(angle), q);
                matrix(p, q) += both * sums(x, x);
                matrix(functions + p, q) += both * sums(one, x);
                matrix(p, functions + q) += both * sums(one, x);
                matrix(functions + p, functions + q) += both * sums(one, one);
            }
        }
    }
}

Scale change_at(const Scaling& scaling, int angle, const Eigen::VectorXd& change) {
    Scale sum;
    const int functions = scaling.functions();
    for (int k = 0; k < functions; ++k) {
        sum.contrast += change[k] * scaling.basis(angle, k);
        sum.offset += change[functions + k] * scaling.basis(angle, k);
    }
    return sum;
}

double squares_after(const AngleSums& sums, const Scale& change) {
    const auto [c, o] = change;
    return sums(residual, residual) - 2 * o * sums(one, residual) - 2 * c * sums(x, residual) +
           o * o * sums(one, one) + 2 * o * c * sums(one, x) + c * c * sums(x, x);
}

}  // namespace lockstep::xpcs
