#include "bindings.hpp"

namespace lockstep::python {

void bind_comm(nb::module_& /*m*/) {}

}  // namespace lockstep::python
