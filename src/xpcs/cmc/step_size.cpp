#include "xpcs/cmc/step_size.hpp"

#include <algorithm>
#include <cmath>

#include "lockstep/base/math.hpp"

namespace lockstep::xpcs::cmc {
namespace {

constexpr double delay = 10;         // t0
constexpr double forgetting = 0.75;  // kappa
constexpr double shrinkage = 0.05;   // gamma

}  // namespace

void StepSize::restart() {
    attractor_ = math::log(10 * step_);
    count_ = mean_error_ = mean_log_step_ = 0;
}

void StepSize::learn(double acceptance) {
    count_ += 1;
    const double weight = 1 / (count_ + delay);
    mean_error_ =
        (1 - weight) * mean_error_ + weight * (target_acceptance_ - std::min(acceptance, 1.0));
    const double log_step = attractor_ - mean_error_ * std::sqrt(count_) / shrinkage;
    const double recent = math::pow(count_, -forgetting);
    mean_log_step_ = recent * log_step + (1 - recent) * mean_log_step_;
    step_ = math::exp(log_step);
}

void StepSize::settle() {
    if (count_ > 0) {
        step_ = math::exp(mean_log_step_);
    }
}

}  // namespace lockstep::xpcs::cmc
