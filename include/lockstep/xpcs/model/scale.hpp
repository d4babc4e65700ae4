#pragma once

#include <span>
#include <vector>

namespace lockstep::xpcs {

/// How g2 follows from g1: g2 = offset + contrast g1², equation (1) of docs/xpcs/theory.md.
struct Scale {
    double contrast = 0;
    double offset = 0;
};

/// Which scales may differ from angle to angle.
enum class ScaleMode {
    individual,  ///< each angle has its own
    averaged,    ///< one contrast and one offset for all: biased where angles differ
    constant,    ///< given, not fitted
    fourier,     ///< series of cos kφ, sin kφ up to `harmonics`
};

struct ScaleOptions {
    ScaleMode mode = ScaleMode::individual;
    int harmonics = 2;
    std::vector<Scale> given{};  ///< constant: [angles]
    Scale lower{0, 0.5};  ///< of every angle; of fourier: of the constant terms, and ±1, ±0.5
    Scale upper{1, 1.5};  ///< of the others
};

}  // namespace lockstep::xpcs
