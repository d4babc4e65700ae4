#pragma once

#include <vector>

#include "lockstep/formats/homodyne/data.hpp"

#include "formats/homodyne/load/matrix_source.hpp"

namespace lockstep::formats::homodyne {

/// What is taken of a file, in the order of the angles.
struct Chosen {
    std::vector<int> matrices;  ///< [angles] numbers among the labels of the source
    Selection selection;
};

/// @throws InputError  nothing is left, or only what is far from what was asked for
Chosen choose(const MatrixSource& source, const Configuration& configuration);

}  // namespace lockstep::formats::homodyne
