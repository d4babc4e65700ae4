#include "lockstep/rl/environments/deep_sea.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/generated_model.hpp"

namespace lockstep::rl {

DeepSea::DeepSea(DeepSeaOptions options)
    : options_(options), failure_(1.0 / options.size), cost_(0.01 / options.size) {
    if (options.size < 2 || options.size > 2'000) {
        throw InputError(fmt::format("size {}: must be 2 to 2000", options.size));
    }
}

std::string DeepSea::describe() const {
    return fmt::format("DeepSea, {} x {} cells{}",
                       options_.size,
                       options_.size,
                       options_.stochastic ? ", stochastic" : "");
}

std::vector<Start> DeepSea::starts() const {
    return {{0, 1.0}};
}

std::optional<Model> DeepSea::model() const {
    return generated_model(*this);
}

}  // namespace lockstep::rl
