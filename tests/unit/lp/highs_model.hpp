#pragma once

#include <Highs.h>

#include "lockstep/lp/model.hpp"

namespace lockstep::lp {

/// The LP that HiGHS has read, as a model of ours.
inline Model model_of(const Highs& highs) {
    const auto& lp = highs.getLp();
    return {lp.col_cost_,
            lp.col_lower_,
            lp.col_upper_,
            lp.row_lower_,
            lp.row_upper_,
            lp.a_matrix_.start_,
            lp.a_matrix_.index_,
            lp.a_matrix_.value_};
}

}  // namespace lockstep::lp
