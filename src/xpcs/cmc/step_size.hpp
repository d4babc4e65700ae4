#pragma once

namespace lockstep::xpcs::cmc {

/// Step size that reaches a target acceptance by dual averaging.
/// @par Source  [HoffmanGelman2014], section 3.2
class StepSize {
public:
    StepSize() = default;  ///< to be read from bytes
    StepSize(double initial, double target_acceptance)
        : step_(initial), target_acceptance_(target_acceptance) {}

    [[nodiscard]] double value() const noexcept { return step_; }
    void set(double step) noexcept { step_ = step; }
    /// Forgets what was learned and is drawn towards ten times the present size.
    void restart();
    void learn(double acceptance);
    /// The average of what was tried, for the draws; the present size if nothing was.
    void settle();

private:
    double step_ = 1;
    double target_acceptance_ = 0;
    double attractor_ = 0;
    double count_ = 0;
    double mean_error_ = 0;
    double mean_log_step_ = 0;
};

}  // namespace lockstep::xpcs::cmc
