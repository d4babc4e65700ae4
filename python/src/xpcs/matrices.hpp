#pragma once

#include <memory>
#include <string>

#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/xpcs/model/physics.hpp"

#include "bindings.hpp"

namespace lockstep::python {

/// Two-time matrices that Python holds; nobody changes them.
struct Matrices {
    std::shared_ptr<const formats::homodyne::Loaded> loaded;
    nb::object whole = nb::none();  ///< [angles, frames, frames], once somebody asked for it
};

void bind_matrices(nb::module_& m);
void bind_analyse(nb::module_& m);

}  // namespace lockstep::python
