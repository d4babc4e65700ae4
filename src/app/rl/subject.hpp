#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/formats/records/setting.hpp"
#include "lockstep/formats/rl/environment_record.hpp"
#include "lockstep/rl/environments/registry.hpp"

namespace lockstep::app {

/// What is solved or learned, from its name and parameters.
struct Subject {
    rl::AnyEnvironment environment;
    formats::rl::EnvironmentRecord record;
    Digest digest{};                ///< of all that decides results
    std::optional<double> gamma{};  ///< discount of a step that a model file asks for
};

/// @param input  name of an environment, or a model file: a name that ends as one
/// @throws InputError  no such environment or parameter, with the nearest one that exists; every
/// fault of a model file; IoError  it cannot be read
Subject read_subject(const std::string& input, const std::vector<formats::Setting>& options);

/// The subject that a record was made from.
/// @throws InputError, IoError  it cannot be made again here
Subject subject_of(const formats::rl::EnvironmentRecord& record);

/// The model of a subject.
/// @throws ModelError  its state is partly hidden
rl::Model model_of(const Subject& subject);

}  // namespace lockstep::app
