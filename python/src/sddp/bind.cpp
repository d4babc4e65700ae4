#include "bindings.hpp"

namespace lockstep::python {

void bind_sddp(nb::module_& /*m*/) {}

}  // namespace lockstep::python
