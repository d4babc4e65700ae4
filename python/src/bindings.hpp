#pragma once

#include <nanobind/nanobind.h>

namespace lockstep::python {

namespace nb = nanobind;

/// Each adds its room's functions and classes to a module.
void bind_runs(nb::module_& m);
void bind_program(nb::module_& m);
void bind_tables(nb::module_& m);
void bind_sddp(nb::module_& m);
void bind_xpcs(nb::module_& m);
void bind_rl(nb::module_& m);
void bind_comm(nb::module_& m);

}  // namespace lockstep::python
