#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/problems.hpp"
#include "lockstep/formats/mdp/model_file.hpp"
#include "lockstep/formats/records/setting.hpp"
#include "lockstep/formats/rl/environment_record.hpp"
#include "lockstep/formats/rl/names.hpp"
#include "lockstep/rl/environments/registry.hpp"
#include "lockstep/rl/rows.hpp"

namespace lockstep::app {

/// What is solved or learned, from its name and parameters or from a model file.
struct Subject {
    formats::rl::EnvironmentRecord record;
    Digest digest{};        ///< of all that decides results
    std::string content{};  ///< digest of what was read from files; empty: nothing was
    /// To play in; none: a model file with more actions than a learner takes, which can be solved.
    std::optional<rl::AnyEnvironment> environment{};
    std::shared_ptr<const formats::mdp::ModelFile> file{};  ///< nullptr: of the registry
};

/// @param options  parameters by name, the last of one counts
/// @param problems  gets the faults of a model file; the result must not be used then
/// @throws InputError  no such environment or parameter, with the nearest one that exists
Subject read_subject(const std::string& input,
                     const std::vector<formats::Setting>& options,
                     Problems& problems);

/// The subject that a model is, wherever it comes from.
/// @param path  of its file; empty: there is none
Subject model_subject(formats::mdp::ModelFile file,
                      const std::string& name,
                      const std::string& path);

/// The subject that a record was made from.
/// @throws InputError, IoError  it cannot be made again here
Subject subject_of(const formats::rl::EnvironmentRecord& record);

/// What its states and actions are called.
formats::rl::Names names_of(const Subject& subject);

/// The environment of a subject, to play in.
/// @throws InputError  there is none, and why
const rl::AnyEnvironment& environment_of(const Subject& subject);

/// The model of a subject; nothing where its state is partly hidden.
std::optional<rl::Model> model_of(const Subject& subject);

/// A process of which everything is known, by its rows.
struct KnownProcess {
    std::shared_ptr<const rl::Model> model;  ///< that the rows read; nullptr: they are computed
    std::unique_ptr<const rl::RowSource> rows;
    std::vector<rl::Start> starts;
};
/// Whether it does without a model in memory.
bool computes_rows(const Subject& subject);
/// Without a model in memory where the environment computes its outcomes.
/// @throws ModelError  its state is partly hidden, or two players move
KnownProcess known_process(const Subject& subject);

}  // namespace lockstep::app
