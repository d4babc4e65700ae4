#pragma once

#include <filesystem>
#include <string>

#include "lockstep/formats/records/output_metadata.hpp"

#include "app/xpcs/stages/dataset.hpp"
#include "app/xpcs/stages/fitting.hpp"
#include "app/xpcs/stages/sampling.hpp"

namespace lockstep::app {

// The last stage: files of a result, homodyne's and ours. What is written is only read, so that
// another thread may go on with it meanwhile.

/// @param request  says which of homodyne's files are written, and how
/// @param timestamp  of the run, ISO 8601
/// @throws IoError
void write_fit_files(const XpcsRequest& request,
                     const std::filesystem::path& output,
                     const Dataset& dataset,
                     const Fitted& fitted,
                     const std::string& timestamp);
/// @throws IoError
void write_posterior_files(const std::filesystem::path& output,
                           const Dataset& dataset,
                           const Sampled& sampled,
                           const std::string& timestamp);

/// As metadata.json lists them.
formats::OutputPart part_of(const Fitted& fitted, formats::homodyne::SummaryFormat summary_format);
formats::OutputPart part_of(const Sampled& sampled);

/// Names of the parts that `work` makes.
std::vector<std::string> part_names(XpcsWork work);
/// Takes away the files of an earlier analysis.
/// @throws IoError
void clear_results(const std::filesystem::path& output);

}  // namespace lockstep::app
