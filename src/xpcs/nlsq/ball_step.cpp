#include "xpcs/nlsq/ball_step.hpp"

#include <utility>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace lockstep::xpcs::nlsq {
namespace {

// How near the ball's surface a damped step has to end.
constexpr double slack = 1e-3;
// A triangle whose diagonal varies by less has full rank beyond doubt.
constexpr double safe_diagonal = 1e-5;
// Below this part of the largest eigenvalue, damping and the rounding of squares are too near.
constexpr double safe_damping = 1e-8;

/// A step in an orthonormal basis where AᵀA is diagonal, as a function of the damping.
class DampedStep {
public:
    /// @param squares  the diagonal of AᵀA
    /// @param slope  Aᵀc in that basis
    DampedStep(Vector squares, Vector slope)
        : squares_(std::move(squares)), slope_(std::move(slope)) {}

    [[nodiscard]] Vector at(double damping) const {
        return -(slope_.array() / (squares_.array() + damping));
    }

    // 1/|s| is concave in the damping, so that Newton's iterates rise towards the root and never
    // pass it.
    [[nodiscard]] double damping_for(double radius) const {
        double damping = 0;
        for (int i = 0; i < 100; ++i) {
            const Vector s = at(damping);
            const double length = s.norm();
            if (!(length > radius * (1 + slack))) {
                break;
            }
            const double rate = (s.array().square() / (squares_.array() + damping)).sum();
            damping += (length - radius) / radius * length * length / rate;
        }
        return damping;
    }

private:
    Vector squares_;
    Vector slope_;
};

// By singular values: exact whatever the rank.
BallStep careful_step(const Matrix& a, const Vector& c, double radius, double resolution) {
    const Eigen::JacobiSVD<Matrix> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Vector& all = svd.singularValues();
    const Index rank = (all.array() > resolution * all[0]).count();
    const Vector values = all.head(rank);
    const DampedStep step(values.cwiseAbs2(),
                          values.cwiseProduct(svd.matrixU().leftCols(rank).transpose() * c));
    const double damping = step.damping_for(radius);
    return {svd.matrixV().leftCols(rank) * step.at(damping), damping};
}

bool is_safe(const Eigen::Ref<const Vector>& diagonal) {
    const auto sizes = diagonal.array().abs();
    return sizes.minCoeff() > safe_diagonal * sizes.maxCoeff();
}

bool is_triangle(const Matrix& a) {
    for (Index column = 0; column + 1 < a.cols(); ++column) {
        if (!a.col(column).tail(a.rows() - column - 1).isZero(0)) {
            return false;
        }
    }
    return a.rows() == a.cols();
}

// The least-squares solution at a tenth of the cost, if the rank is full beyond doubt; else empty.
Vector plain_solution(const Matrix& a, const Vector& c) {
    if (is_triangle(a)) {
        return is_safe(a.diagonal()) ? Vector(a.triangularView<Eigen::Upper>().solve(-c))
                                     : Vector();
    }
    if (a.rows() < a.cols()) {
        return {};
    }
    const Eigen::HouseholderQR<Matrix> qr(a);
    return is_safe(qr.matrixQR().diagonal()) ? Vector(qr.solve(-c)) : Vector();
}

// By the eigenvalues of AᵀA, where the damping hides their rounding.
BallStep damped_step(const Matrix& a, const Vector& c, double radius, double resolution) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(a.transpose() * a);
    const Vector squares = solver.eigenvalues().cwiseMax(0);
    const DampedStep step(squares, solver.eigenvectors().transpose() * (a.transpose() * c));
    const double damping = step.damping_for(radius);
    return damping > safe_damping * squares.maxCoeff()
               ? BallStep{solver.eigenvectors() * step.at(damping), damping}
               : careful_step(a, c, radius, resolution);
}

}  // namespace

BallStep ball_step(const Matrix& a, const Vector& c, double radius, double resolution) {
    if (radius <= 0 || a.cols() == 0) {
        return {Vector::Zero(a.cols()), 0};
    }
    const Vector plain = plain_solution(a, c);
    if (plain.size() == 0) {
        return careful_step(a, c, radius, resolution);
    }
    if (plain.norm() <= radius * (1 + slack)) {
        return {plain, 0};
    }
    return damped_step(a, c, radius, resolution);
}

Vector damped_solution(const Matrix& a, const Vector& b, double damping, double resolution) {
    const Eigen::JacobiSVD<Matrix> svd(a, Eigen::ComputeThinV);
    const Vector& all = svd.singularValues();
    const Index rank = (all.array() > resolution * all[0]).count();
    const auto v = svd.matrixV().leftCols(rank);
    const DampedStep step(all.head(rank).cwiseAbs2(), v.transpose() * b);
    return v * step.at(damping);
}

}  // namespace lockstep::xpcs::nlsq
