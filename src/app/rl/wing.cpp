#include "app/rl/wing.hpp"

#include "app/rl/compare.hpp"
#include "app/rl/configuration.hpp"
#include "app/rl/report/parts.hpp"
#include "app/rl/subject.hpp"

namespace lockstep::app {
namespace {

bool is_input(const std::filesystem::path& input) {
    return formats::mdp::is_model_file(input) || is_configuration(input);
}

}  // namespace

Wing rl_wing() {
    return {"rl", "reinforcement learning on tables", is_input, rl_differences, rl_report};
}

}  // namespace lockstep::app
