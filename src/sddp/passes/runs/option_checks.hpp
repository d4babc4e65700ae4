#pragma once

#include "lockstep/sddp/options.hpp"

#include "sddp/model/model.hpp"

namespace lockstep::sddp {

/// @throws InputError  the graph is no tree whose nodes have one outcome each
void require_tree(const Model& model);

/// @throws InputError  options that are right in themselves do not fit the model
void require_fit(const Model& model, const TrainOptions& options);

}  // namespace lockstep::sddp
