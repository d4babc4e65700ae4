#pragma once

#include <nanobind/nanobind.h>

namespace lockstep::python {

namespace nb = nanobind;

/// Q-learning on an array that Python holds, with any number of actions and a step size a call.
void bind_plain_q(nb::module_& m);

}  // namespace lockstep::python
