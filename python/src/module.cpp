#include <filesystem>

#include <nanobind/stl/string.h>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/io/arrow.hpp"

#include "bindings.hpp"

namespace lockstep::python {

namespace {

void tell(nb::handle kind, const char* about) {
    nb::setattr(kind, "__doc__", nb::str(about));
}

/// A class for each kind of error: of this package's root, and of what Python calls such an error.
template <typename T>
void add_error(
    nb::module_& m, const char* name, nb::handle root, PyObject* builtin, const char* about) {
    const nb::object bases = nb::make_tuple(root, nb::handle(builtin));
    tell(nb::exception<T>(m, name, bases), about);
}

void add_errors(nb::module_& m) {
    const auto root = nb::exception<Error>(m, "Error");
    tell(root, "What this package raises of its own. Subclasses say which kind it is.");
    add_error<InputError>(m,
                          "InputError",
                          root,
                          PyExc_ValueError,
                          "A case, a file's content or an argument is wrong.");
    add_error<UsageError>(
        m, "UsageError", root, PyExc_ValueError, "Options contradict each other.");
    add_error<ModelError>(
        m, "ModelError", root, PyExc_ArithmeticError, "A problem has no solution.");
    add_error<IoError>(m, "IoError", root, PyExc_OSError, "A file cannot be read or written.");
    add_error<CommError>(
        m, "CommError", root, PyExc_ConnectionError, "Another rank failed, or cannot be reached.");
    add_error<BackendError>(m,
                            "BackendError",
                            root,
                            PyExc_RuntimeError,
                            "What carries a run (MPI, threads, time) does not allow it.");
    add_error<NotBuiltError>(m,
                             "NotBuiltError",
                             root,
                             PyExc_NotImplementedError,
                             "This build, or installation, leaves out what was asked for.");
    add_error<AssertionError>(
        m, "InternalError", root, PyExc_RuntimeError, "A bug of this package: please report it.");
}

/// What is thrown where nobody knows the argument any more: parts of containers, paths.
void explain_others() {
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const nb::cast_error&) {
            PyErr_SetString(PyExc_TypeError, "a part of an argument has the wrong type");
        } catch (const std::filesystem::filesystem_error& error) {
            PyErr_SetString(PyExc_OSError, error.what());
        }
    });
}

void add_module(nb::module_& m, const char* name, void (*bind)(nb::module_&), const char* about) {
    nb::module_ made = m.def_submodule(name, about);
    bind(made);
}

}  // namespace

}  // namespace lockstep::python

NB_MODULE(_core, m) {
    using namespace lockstep::python;
    m.doc() = "What the package lockstep calls of the C++ library.";
    add_errors(m);
    explain_others();
    m.def("version", [] { return lockstep::build_info().version; });
    m.def("set_arrow_folder",
          [](const std::string& folder) { lockstep::io::set_arrow_folder(folder); });
    bind_runs(m);
    bind_program(m);
    bind_tables(m);
    add_module(m, "sddp", &bind_sddp, "Cases, policies and tables of lockstep.sddp.");
    add_module(m, "xpcs", &bind_xpcs, "Measurements and posteriors of lockstep.xpcs.");
    add_module(m, "rl", &bind_rl, "Tables and learners of lockstep.rl.");
    add_module(m, "comm", &bind_comm, "Ranks of lockstep.comm.");
}
