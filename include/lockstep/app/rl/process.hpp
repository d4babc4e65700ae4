#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/app/observer.hpp"
#include "lockstep/formats/mdp/model_file.hpp"
#include "lockstep/formats/records/setting.hpp"
#include "lockstep/formats/rl/bounded_value.hpp"
#include "lockstep/formats/rl/environment_record.hpp"
#include "lockstep/formats/rl/training.hpp"
#include "lockstep/rl/learn/table.hpp"
#include "lockstep/rl/learn/world.hpp"
#include "lockstep/rl/solve.hpp"

namespace lockstep::app {

struct Subject;

// Learning and solving in memory, for who holds the process and wants no files.

/// What options of a training (train_options()) come to.
/// @throws InputError  an option that is none, with the nearest one; a value that is none
rl::LearnOptions learn_options(const std::vector<formats::Setting>& options);

/// What was learned in memory.
struct LearnedTable {
    formats::rl::TrainingRecord record;
    rl::QTable table;
    int signal = 0;  ///< SIGINT or SIGTERM when one ended the work early, else 0
};

/// Learns in a world that someone else made, for example one of an environment in Python. Exact
/// values are not looked for.
/// @throws InputError  options; whatever the world throws
LearnedTable learn_in_memory(const rl::World& world,
                             const formats::rl::EnvironmentRecord& environment,
                             const rl::LearnOptions& options,
                             int threads,
                             Observer& observer);

/// Writes what a training leaves: its record and its table (formats::rl::training_files).
/// @throws IoError
void write_learned(const std::filesystem::path& output,
                   const LearnedTable& learned,
                   const rl::World& world);

/// What a policy is worth.
struct PolicyValue {
    rl::Solution solution;
    std::optional<formats::rl::BoundedValue> start{};  ///< mean over the starts
};

/// A process by name, of a file or of a model in memory, ready to be learned and solved.
class Process {
public:
    /// @throws InputError  as read_subject
    Process(const std::string& input, const std::vector<formats::Setting>& options);
    Process(formats::mdp::ModelFile file, const std::string& name);

    [[nodiscard]] const formats::rl::EnvironmentRecord& record() const;
    /// Nothing where its state is partly hidden.
    [[nodiscard]] std::optional<rl::Model> model() const;
    [[nodiscard]] const formats::mdp::ModelFile* file() const;

    /// The table of train_process(), bit for bit.
    LearnedTable learn(const std::vector<formats::Setting>& options,
                       int threads,
                       Observer& observer) const;
    /// @param gamma  none: the model file's, else 0.99, and 1 for another criterion
    /// @throws ModelError  as rl::solve
    [[nodiscard]] PolicyValue solve(rl::SolveOptions options,
                                    std::optional<double> gamma,
                                    int threads) const;
    /// @param policy  [states] actions, legal where the state has one
    [[nodiscard]] PolicyValue evaluate(std::span<const std::int32_t> policy,
                                       rl::SolveOptions options,
                                       std::optional<double> gamma,
                                       int threads) const;

private:
    [[nodiscard]] double discount(const rl::SolveOptions& options,
                                  std::optional<double> given) const;
    /// @param find  rl::solve or rl::evaluate
    template <typename Find>
    [[nodiscard]] PolicyValue value_by(const Find& find,
                                       rl::SolveOptions options,
                                       std::optional<double> gamma,
                                       int threads) const;
    std::shared_ptr<const Subject> subject_;
};

}  // namespace lockstep::app
