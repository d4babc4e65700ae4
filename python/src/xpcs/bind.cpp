#include "matrices.hpp"

namespace lockstep::python {

void bind_xpcs(nb::module_& m) {
    bind_matrices(m);
    bind_analyse(m);
}

}  // namespace lockstep::python
