#pragma once

#include "bindings.hpp"

namespace lockstep::python {

void bind_policy(nb::module_& m);

}  // namespace lockstep::python
