#pragma once

namespace lockstep::xpcs::cmc {

/// A parameter as a function of an unbounded coordinate, with what a density needs of it.
struct Transformed {
    double value = 0;
    double slope = 0;        ///< d value / d u
    double log_slope = 0;    ///< the logarithm of the Jacobian, to be added to the log density
    double d_log_slope = 0;  ///< d log_slope / d u, to be added to the gradient
};

/// Maps between a parameter and the whole real line.
///
/// Far out the interval ends at its bounds (slope 0 at last) and the others at 0 or infinity; the
/// log-Jacobian and its derivative stay finite. To turn a density of parameters θ into one of
/// coordinates u: sum log_slope, and per coordinate d/du = slope · d/dθ + d_log_slope.
class Transform {
public:
    static Transform real() { return {Kind::real, 0, 0}; }
    /// value = low + (high - low) / (1 + e^-u).
    /// @throws InputError  not low < high, or infinite
    static Transform interval(double low, double high);
    /// value = low + e^u. A half-normal or other scale: low = 0.
    static Transform above(double low);
    /// value = high - e^u
    static Transform below(double high);

    [[nodiscard]] Transformed at(double u) const;
    /// The coordinate of a value.
    /// @throws InputError  the value is not strictly inside
    [[nodiscard]] double inverse(double value) const;

private:
    enum class Kind { real, interval, above, below };
    Transform(Kind kind, double low, double high) : kind_(kind), low_(low), high_(high) {}

    Kind kind_;
    double low_;
    double high_;
};

/// Logarithms of densities up to a constant, with their derivative by x.
struct LogPrior {
    double value = 0;
    double slope = 0;
};
/// @param sd  > 0
LogPrior normal_log_density(double x, double mean, double sd);
/// For x >= 0. @param scale  sd of the normal that is folded, > 0
LogPrior half_normal_log_density(double x, double scale);

}  // namespace lockstep::xpcs::cmc
