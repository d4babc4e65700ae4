#include "lockstep/rl/environments/model_environment.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

namespace lockstep::rl {
namespace {

ActionMask mask_of(const Model& model, int s) {
    ActionMask mask = 0;
    for (int a = 0; a < model.actions(); ++a) {
        mask |= static_cast<ActionMask>(model.is_legal(s, a)) << static_cast<unsigned>(a);
    }
    return mask;
}

Model checked(Model model) {
    if (model.actions() > 64) {
        throw InputError(fmt::format("{} actions: an environment has at most 64", model.actions()));
    }
    return model;
}

Starts starts_of(const Model& model) {
    if (!model.starts().empty()) {
        return Starts(model.starts());
    }
    for (int s = 0; s < model.states(); ++s) {
        if (mask_of(model, s) != 0) {
            const Start only{s, 1.0};
            return Starts({&only, 1});
        }
    }
    throw InputError("no state has a legal action: nothing can be played");
}

}  // namespace

ModelEnvironment::ModelEnvironment(Model model, std::string name)
    : model_(std::make_shared<const Model>(checked(std::move(model)))),
      name_(std::move(name)),
      starts_(starts_of(*model_)) {}

ActionMask ModelEnvironment::mask(int s) const noexcept {
    return mask_of(*model_, s);
}

std::string ModelEnvironment::describe() const {
    return fmt::format("{}, {} states, {} actions", name_, states(), actions());
}

}  // namespace lockstep::rl
