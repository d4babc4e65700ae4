#pragma once

#include <vector>

namespace lockstep::sddp {

/// lower and upper += amount
struct RowShift {
    int row = 0;
    double amount = 0;
};

struct BoundChange {
    int column = 0;
    double lower = 0;
    double upper = 0;
};

/// What an outcome of a stage means to its LP at some carried state. A model keeps beside it what
/// its records need.
struct Outcome {
    virtual ~Outcome() = default;
    std::vector<double> drawn;  ///< moves rows by StageLp::drawn_coupling; fresh states come first
    std::vector<RowShift> rows;
    std::vector<BoundChange> bounds;
};

}  // namespace lockstep::sddp
