#pragma once

#include <filesystem>
#include <string>

#include "lockstep/app/rl/evaluate.hpp"
#include "lockstep/app/rl/solve.hpp"
#include "lockstep/app/rl/train.hpp"

#include "common_commands.hpp"
#include "voice.hpp"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct Command;

// Commands of `lockstep rl`.

struct RlListCommand {
    std::string environment;  ///< empty: all there is
    Voice voice;
};

struct RlSolveCommand {
    app::SolveRequest request;
    Voice voice;
};

struct RlTrainCommand {
    app::TrainRequest request;
    std::string listen;  ///< where workers connect; empty: nowhere
    Voice voice;
};

struct RlWorkCommand {
    std::string server;
    int threads = 0;  ///< 0: all usable CPUs
    Voice voice;
};

struct RlEvaluateCommand {
    app::EvaluateRequest request;
    Voice voice;
};

struct RlSummaryCommand {
    std::filesystem::path output_directory;
    Voice voice;
};

int execute(const RlListCommand& command);
int execute(const RlSolveCommand& command);
int execute(const RlTrainCommand& command);
int execute(const RlWorkCommand& command);
int execute(const RlEvaluateCommand& command);
int execute(const RlSummaryCommand& command);

struct RlHandlers {
    Handler<RlListCommand> list = executes<RlListCommand>();
    Handler<RlSolveCommand> solve = executes<RlSolveCommand>();
    Handler<RlTrainCommand> train = executes<RlTrainCommand>();
    Handler<RlWorkCommand> work = executes<RlWorkCommand>();
    Handler<RlEvaluateCommand> evaluate = executes<RlEvaluateCommand>();
    Handler<RlSummaryCommand> summary = executes<RlSummaryCommand>();
};

/// Registers `lockstep rl` with its commands.
void add_rl(CLI::App& parent, Command& result, const RlHandlers& handlers);

/// A result for people, one fact a line.
std::string solution_text(const formats::rl::SolutionRecord& record, const std::string& output);
std::string training_text(const formats::rl::TrainingRecord& record, const std::string& output);

}  // namespace lockstep::cli
