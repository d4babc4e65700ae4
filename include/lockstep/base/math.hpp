#pragma once

/// Elementary functions whose bits depend on their arguments alone.
///
/// The C library picks its code by CPU and version, so its last bits differ between machines. These
/// are built from
/// + - * /, fma and integer operations only, all of which are exact or correctly rounded
/// everywhere. Each result is within 1 unit in the last place of the true value, also among
/// subnormal numbers.
namespace lockstep::math {

/// e^x. exp(0) = 1 exactly; +infinity above 709.78, 0 below -745.13; NaN for NaN.
double exp(double x) noexcept;

/// Natural logarithm. log(1) = 0 exactly; -infinity for ±0, NaN below 0.
double log(double x) noexcept;

/// x^y for x >= 0; NaN for a negative x, whatever y is other than 0.
///
/// pow(x, 0) = pow(1, y) = 1 exactly, also for NaN and infinity. Powers that are representable,
/// such as pow(x, 1), pow(3, 4) and pow(0.25, -0.5), are exact.
double pow(double x, double y) noexcept;

/// The x below which a standard normal variable lies with probability p; relative error about
/// 1e-15.
///
/// ±infinity at p = 1 and p = 0, NaN outside [0, 1]. normal_quantile(1 - p) is -normal_quantile(p)
/// where 1 - p is exact.
/// @par Source  [Wichura1988], algorithm PPND16
double normal_quantile(double p) noexcept;

}  // namespace lockstep::math
