#include "program.hpp"

#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace lockstep::python {

namespace {

int run_program(const std::vector<std::string>& words, std::vector<std::string> own_command) {
    std::vector<const char*> texts;
    for (const auto& word : words) {
        texts.push_back(word.c_str());
    }
    texts.push_back(nullptr);
    const nb::gil_scoped_release others_may_run;
    return cli::run_program(static_cast<int>(words.size()), texts.data(), std::move(own_command));
}

}  // namespace

void bind_program(nb::module_& m) {
    m.def("run_program",
          &run_program,
          nb::arg("words"),
          nb::arg("own_command"),
          "The command line of the program; its exit code.");
}

}  // namespace lockstep::python
