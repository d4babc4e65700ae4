#include "lockstep/rl/environments/open_grid.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/generated_model.hpp"

namespace lockstep::rl {

OpenGrid::OpenGrid(std::int32_t size) : size_(size) {
    if (size < 2 || size > 20'000) {
        throw InputError(fmt::format("size {}: must be 2 to 20000", size));
    }
}

std::string OpenGrid::describe() const {
    return fmt::format("OpenGrid, {} x {} cells", size_, size_);
}

std::optional<Model> OpenGrid::model() const {
    ModelBuilder builder = generated_model(*this);
    builder.add_start({0, 1.0});
    return builder.build();
}

}  // namespace lockstep::rl
