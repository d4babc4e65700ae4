#include "bindings.hpp"

namespace lockstep::python {

void bind_rl(nb::module_& /*m*/) {}

}  // namespace lockstep::python
