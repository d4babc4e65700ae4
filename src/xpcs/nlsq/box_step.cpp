#include "xpcs/nlsq/box_step.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/index.hpp"

#include "xpcs/nlsq/ball_step.hpp"

namespace lockstep::xpcs::nlsq {
namespace {

class ActiveSet {
public:
    ActiveSet(const BoxProblem& problem, double radius)
        : problem_(problem),
          radius_(radius),
          s_(Vector::Zero(problem.a.cols())),
          held_(at(problem.a.cols()), AtBound::no) {
        hold_what_pulls_outwards();
    }

    BoxStep solve() {
        const Index legs =
            3 * s_.size() + 5;  // more only where rounding lets a parameter go in vain
        for (Index leg = 0; leg < legs; ++leg) {
            go_to(free_minimum());
            if (!hit_ && !let_one_go()) {
                break;
            }
        }
        const Vector change = problem_.a * s_;
        return {s_, -(problem_.c.dot(change) + 0.5 * change.squaredNorm()), damping_, held_};
    }

private:
    void hold_what_pulls_outwards() {
        const Vector gradient = problem_.a.transpose() * problem_.c;
        for (Index i = 0; i < s_.size(); ++i) {
            if (problem_.lower[i] == 0 && (gradient[i] >= 0 || problem_.upper[i] == 0)) {
                held_[at(i)] = AtBound::lower;
            } else if (problem_.upper[i] == 0 && gradient[i] <= 0) {
                held_[at(i)] = AtBound::upper;
            }
        }
    }

    [[nodiscard]] std::vector<Index> free() const {
        std::vector<Index> free;
        for (Index i = 0; i < s_.size(); ++i) {
            if (held_[at(i)] == AtBound::no) {
                free.push_back(i);
            }
        }
        return free;
    }

    // The minimiser over the free parameters, the others held where they are.
    Vector free_minimum() {
        const std::vector<Index> free = this->free();
        Vector target = s_;
        target(free).setZero();
        const Vector rest = problem_.c + problem_.a * target;
        const double room = radius_ * radius_ - target.squaredNorm();
        const BallStep step = ball_step(problem_.a(Eigen::all, free),
                                        rest,
                                        std::sqrt(std::max(room, 0.0)),
                                        problem_.resolution);
        target(free) = step.s;
        damping_ = step.damping;
        return target;
    }

    // Towards `target` up to the first bound.
    void go_to(const Vector& target) {
        double part = 1;
        Index first = -1;
        for (Index i = 0; i < s_.size(); ++i) {
            const double bound = target[i] < s_[i] ? problem_.lower[i] : problem_.upper[i];
            const bool leaves = target[i] < problem_.lower[i] || target[i] > problem_.upper[i];
            if (leaves && (bound - s_[i]) / (target[i] - s_[i]) < part) {
                part = (bound - s_[i]) / (target[i] - s_[i]);
                first = i;
            }
        }
        s_ += part * (target - s_);
        hit_ = first >= 0;
        if (hit_) {
            const bool lower = target[first] < problem_.lower[first];
            held_[at(first)] = lower ? AtBound::lower : AtBound::upper;
            s_[first] = lower ? problem_.lower[first] : problem_.upper[first];
        }
        s_ = s_.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
    }

    // Frees the held parameter that pulls inwards most; false: none does.
    bool let_one_go() {
        const Vector residual = problem_.a * s_ + problem_.c;
        const Vector slope = problem_.a.transpose() * residual + damping_ * s_;
        const Vector columns = problem_.a.colwise().norm();
        double strongest = 1e-12 * problem_.c.norm();
        Index which = -1;
        for (Index i = 0; i < s_.size(); ++i) {
            if (held_[at(i)] == AtBound::no || problem_.lower[i] == problem_.upper[i]) {
                continue;
            }
            const double inwards = held_[at(i)] == AtBound::lower ? -slope[i] : slope[i];
            if (inwards > strongest * columns[i]) {
                strongest = inwards / columns[i];
                which = i;
            }
        }
        if (which >= 0) {
            held_[at(which)] = AtBound::no;
        }
        return which >= 0;
    }

    const BoxProblem& problem_;
    double radius_;
    Vector s_;
    std::vector<AtBound> held_;
    double damping_ = 0;
    bool hit_ = false;
};

}  // namespace

BoxStep box_step(const BoxProblem& problem, double radius) {
    return ActiveSet(problem, radius).solve();
}

}  // namespace lockstep::xpcs::nlsq
