#pragma once

#include "lockstep/app/option.hpp"
#include "lockstep/app/xpcs/batch.hpp"
#include "lockstep/app/xpcs/prepare.hpp"

namespace lockstep::app {

// Options of an analysis, in the parts that commands are made of.

OptionTable<XpcsRequest> xpcs_model_options();   ///< what is fitted
OptionTable<XpcsRequest> xpcs_data_option();     ///< data_file
OptionTable<XpcsRequest> xpcs_method_option();   ///< method, by homodyne's names
OptionTable<XpcsRequest> xpcs_fit_options();     ///< least squares and their errors
OptionTable<XpcsRequest> xpcs_search_options();  ///< which minimum
OptionTable<XpcsRequest> xpcs_sample_options();  ///< the posterior
OptionTable<XpcsRequest> xpcs_result_options();  ///< what is written

/// All of a run: fit, posterior, results, checkpoints, ranks.
/// @param work  leaves out what has no part in it
OptionTable<XpcsRequest> xpcs_run_options(XpcsWork work);
OptionTable<BatchRequest> xpcs_batch_options();
OptionTable<MeasurementRequest> xpcs_simulate_options();

}  // namespace lockstep::app
