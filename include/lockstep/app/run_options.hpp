#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/app/option.hpp"
#include "lockstep/app/run_request.hpp"

namespace lockstep::app {

// Options that runs of every engine have.

/// output, threads, metrics.
/// @param output  where results go where nothing is said, in words
OptionTable<RunRequest> output_options(std::string_view output = "output in the input's folder");
/// set: values of the input.
/// @param about  says of which file
OptionTable<RunRequest> setting_options(std::string_view about);
/// backend, on_failure.
OptionTable<RunRequest> rank_options();
/// resume.
OptionTable<RunRequest> resume_option();
/// resume, checkpoint_minutes.
/// @param usual_minutes  where nothing is said
OptionTable<RunRequest> resume_options(std::string_view usual_minutes);
/// resume, checkpoint_every, checkpoint_minutes.
OptionTable<RunRequest> checkpoint_options();

/// threads, also of what is no run.
Option threads_record(std::string_view about);

/// KEY=VALUE as a setting. @pre  the text has an equals sign
formats::Setting setting_of(std::string_view text);

/// Numbers of a text that complaint() finds nothing wrong with.
std::int64_t whole_of(std::string_view text);
double real_of(std::string_view text);

}  // namespace lockstep::app
