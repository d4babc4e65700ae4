#include "xpcs/nlsq/ball_step.hpp"

#include <Eigen/SVD>

namespace lockstep::xpcs::nlsq {
namespace {

// How near the ball's surface a damped step has to end.
constexpr double slack = 1e-3;

// The step in the basis of the right singular vectors, as a function of the damping.
class DampedStep {
public:
    DampedStep(const Vector& values, const Vector& rest) : values_(values), rest_(rest) {}

    [[nodiscard]] Vector at(double damping) const {
        return -(values_.array() * rest_.array() / (values_.array().square() + damping));
    }
    // d|s|²/2 by the damping, with s = at(damping).
    [[nodiscard]] double slope(const Vector& s, double damping) const {
        return -(s.array().square() / (values_.array().square() + damping)).sum();
    }

private:
    const Vector& values_;
    const Vector& rest_;
};

// 1/|s| is concave in the damping, so the iterates rise towards the root and never pass it.
double damping_for(const DampedStep& step, double radius) {
    double damping = 0;
    for (int i = 0; i < 100; ++i) {
        const Vector s = step.at(damping);
        const double length = s.norm();
        if (!(length > radius * (1 + slack))) {
            break;
        }
        const double slope = step.slope(s, damping);
        damping += (length - radius) / radius * length * length / -slope;
    }
    return damping;
}

}  // namespace

BallStep ball_step(const Matrix& a, const Vector& c, double radius, double resolution) {
    if (radius <= 0 || a.cols() == 0) {
        return {Vector::Zero(a.cols()), 0};
    }
    const Eigen::JacobiSVD<Matrix> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Vector& all = svd.singularValues();
    const Index rank = (all.array() > resolution * all[0]).count();
    const Vector values = all.head(rank);
    const Vector rest = svd.matrixU().leftCols(rank).transpose() * c;
    const DampedStep step(values, rest);
    const double damping = damping_for(step, radius);
    return {svd.matrixV().leftCols(rank) * step.at(damping), damping};
}

Vector damped_solution(const Matrix& a, const Vector& b, double damping, double resolution) {
    const Eigen::JacobiSVD<Matrix> svd(a, Eigen::ComputeThinV);
    const Vector& all = svd.singularValues();
    const Index rank = (all.array() > resolution * all[0]).count();
    const auto v = svd.matrixV().leftCols(rank);
    const Vector part = v.transpose() * b;
    return -(v * (part.array() / (all.head(rank).array().square() + damping)).matrix());
}

}  // namespace lockstep::xpcs::nlsq
