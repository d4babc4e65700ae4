#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/runtime/team.hpp"
#include "lockstep/xpcs/fit.hpp"

namespace lockstep::xpcs {

/// How errors of a fit are found. Neighbouring values of c2 share frames and pixels, so that they
/// are no independent numbers: errors that take them for such are several times too small.
enum class ErrorMethod {
    classical,  ///< as if all values were independent
    blocks,     ///< sandwich: residuals are as they are, but independent between blocks of time
    speckle,    ///< of speckle patterns that are simulated with the fit's parameters
};
std::string_view to_string(ErrorMethod method) noexcept;

struct ErrorOptions {
    ErrorMethod method = ErrorMethod::speckle;
    int blocks = 16;  ///< of time
    /// That are simulated, for each angle; 0: 2000 up to 256 frames, then fewer in proportion to
    /// the pairs of frames, at least 512, whose errors are off by about a tenth.
    int pixels = 0;
    std::uint64_t seed = 42;
};

/// What the data say of the detector at an angle.
struct SpeckleFacts {
    double modes = 0;    ///< 1 / contrast
    double photons = 0;  ///< per pixel and frame; infinity: no photon noise to be seen
    double pixels = 0;   ///< that make the residuals as large as they are
};

/// Errors of all that was fitted.
struct ErrorBars {
    ErrorMethod method = ErrorMethod::classical;
    nlsq::Covariance covariance{};        ///< in the order of FitResult::values
    std::vector<SpeckleFacts> speckle{};  ///< [angles], of that method

    /// Standard errors; NaN where there is none.
    [[nodiscard]] std::vector<double> errors() const;
};

/// The errors of a fit of the same measurement and options.
///
/// `speckle`: Gaussian fields with the covariance g1 that the fit has, 1/contrast modes a pixel,
/// photons by the excess of the raw diagonal, and as many pixels as the residuals ask for. What a
/// pixel adds to the parameters' deviation is linear in its products of intensities, so that the
/// spread of simulated pixels gives the covariance without a single fit: equations (15) to (19) of
/// docs/xpcs/theory.md.
/// The same bits for any number of ranks and threads.
/// @throws InputError  a fit of compat_grid, which has classical errors alone
/// Collective.
ErrorBars errors_of(const Measurement& measurement,
                    const FitOptions& options,
                    const FitResult& fit,
                    const ErrorOptions& how,
                    runtime::Team& team);

}  // namespace lockstep::xpcs
