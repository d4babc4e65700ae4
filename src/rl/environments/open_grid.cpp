#include "lockstep/rl/environments/open_grid.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/generated_model.hpp"

#include "rl/environments/grid_text.hpp"

namespace lockstep::rl {

OpenGrid::OpenGrid(std::int32_t size) : size_(size) {
    if (size < 2 || size > 20'000) {
        throw InputError(fmt::format("size {}: must be 2 to 20000", size));
    }
}

std::string OpenGrid::describe() const {
    return fmt::format("OpenGrid, {} x {} cells", size_, size_);
}

std::string OpenGrid::render_text(int s) const {
    constexpr std::int32_t most = 40;  // cells a side that fit on a screen
    if (size_ > most) {
        return fmt::format("row {}, column {} of {}\n", s / size_, s % size_, size_);
    }
    return grid_text(size_, size_, s, [this](int row, int column) {
        return row == size_ - 1 && column == size_ - 1 ? 'G' : '.';
    });
}

std::vector<Start> OpenGrid::starts() const {
    return {{0, 1.0}};
}

std::optional<Model> OpenGrid::model() const {
    return generated_model(*this);
}

}  // namespace lockstep::rl
