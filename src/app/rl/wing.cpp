#include "app/rl/wing.hpp"

#include "app/rl/compare.hpp"
#include "app/rl/report/parts.hpp"

namespace lockstep::app {
namespace {

// Environments have names, and are no files.
bool is_input(const std::filesystem::path& /*input*/) {
    return false;
}

}  // namespace

Wing rl_wing() {
    return {"rl", "reinforcement learning on tables", is_input, rl_differences, rl_report};
}

}  // namespace lockstep::app
