#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/xpcs/consensus.hpp"
#include "lockstep/xpcs/errors.hpp"
#include "lockstep/xpcs/sample.hpp"

#include "app/xpcs/shards/shard_choice.hpp"

namespace lockstep::app {

formats::xpcs::DataRecord data_record(const std::string& file,
                                      const formats::homodyne::Loaded& loaded,
                                      std::int64_t pairs);

/// @param tolerance  part of the bounds' width that is no distance from them; none: the usual one
formats::xpcs::FitRecord fit_record(const xpcs::Measurement& measurement,
                                    const xpcs::FitOptions& options,
                                    const xpcs::FitResult& fit,
                                    const xpcs::ErrorBars& errors,
                                    std::optional<double> tolerance = {});

/// What scales of their own would change for each angle.
formats::xpcs::IndividualRecord individual_record(const xpcs::FitResult& fit,
                                                  const xpcs::FitResult& individual,
                                                  const xpcs::ErrorBars& errors);

formats::xpcs::PosteriorRecord posterior_record(const xpcs::FitOptions& options,
                                                const xpcs::SampleResult& sample);

/// Shards, beside the posterior of all data where there is one.
formats::xpcs::ConsensusRecord consensus_record(const xpcs::ConsensusResult& consensus,
                                                const xpcs::Measurement& measurement,
                                                const ShardChoice& choice,
                                                const xpcs::SampleResult* whole);

}  // namespace lockstep::app
