#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/xpcs/sample.hpp"

namespace lockstep::app {

/// What homodyne writes of a run, in its own layout, beside our files.
struct HomodyneRun {
    const formats::homodyne::Configuration& configuration;
    const formats::homodyne::Loaded& loaded;
    const xpcs::FitOptions& options;
    std::string timestamp;
    std::string input_digest;
    formats::homodyne::SummaryFormat summary_format = formats::homodyne::SummaryFormat::json;
    bool has_fitted_data = true;
};

/// OUTPUT/homodyne_results.* and OUTPUT/nlsq. Errors are those of the record.
/// @throws IoError
void write_homodyne_fit(const std::filesystem::path& output,
                        const HomodyneRun& run,
                        const xpcs::FitResult& fit,
                        const formats::xpcs::FitRecord& record);

/// OUTPUT/cmc.
/// @throws IoError
void write_homodyne_samples(const std::filesystem::path& output,
                            const HomodyneRun& run,
                            const xpcs::SampleOptions& sampling,
                            const xpcs::SampleResult& sample,
                            const formats::xpcs::PosteriorRecord& record);

}  // namespace lockstep::app
