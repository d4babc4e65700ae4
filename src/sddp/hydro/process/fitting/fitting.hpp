#pragma once

#include "lockstep/base/problems.hpp"
#include "lockstep/sddp/process.hpp"

namespace lockstep::sddp {

/// Tables of an inflow model with nothing left to estimate, and how they came about.
struct CompleteTables {
    ProcessData data;
    Provenance provenance;  ///< all but tree_source
    FitReport fit;          ///< residual ratios are left at 1
};

/// Estimates from history what the case leaves out.
///
/// | history | statistics | coefficients | path                       | estimated |
/// |---------|------------|--------------|----------------------------|--------------------------------------|
/// | no      | no         | any          | deterministic              | nothing; every inflow is 0
/// | | no      | yes        | no           | user_stats_white_noise     | nothing | | no      | yes
/// | yes          | user_provided_no_history   | nothing                              | | yes     |
/// no         | no           | full_estimation            | statistics, coefficients             |
/// | yes     | no         | yes          | user_ar_history_stats      | statistics | | yes     |
/// yes        | no           | partial_estimation         | coefficients                         |
/// | yes     | yes        | yes          | user_provided_all          | nothing |
///
/// Where something is estimated and the case has no correlation, that of the residuals is taken.
/// Estimation needs a season map (months, weeks, or custom seasons, of which each cycle is fitted
/// by itself) and a history of every plant with at least two values of each season; with a yearly
/// part it needs months.
CompleteTables complete_tables(const Calendar& calendar,
                               const System& system,
                               const ProcessData& data,
                               Problems& problems);

}  // namespace lockstep::sddp
