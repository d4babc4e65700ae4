#include "bindings.hpp"

namespace lockstep::python {

void bind_xpcs(nb::module_& /*m*/) {}

}  // namespace lockstep::python
