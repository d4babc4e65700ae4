#pragma once

namespace lockstep::xpcs::cmc {

/// Logarithm of the gamma function of x > 0; relative error about 1e-14.
double log_gamma(double x);

/// The x below which a Beta(a, b) variable lies with probability p in (0, 1); a, b > 0.
double beta_quantile(double p, double a, double b);

}  // namespace lockstep::xpcs::cmc
