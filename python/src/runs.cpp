#include <string>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "lockstep/base/error.hpp"

#include "bindings.hpp"
#include "observer.hpp"
#include "use_cases.hpp"

namespace nb = nanobind;

namespace lockstep::python {

namespace {

nb::tuple run(const std::string& name,
              const std::string& input,
              const Given& options,
              nb::object progress,
              nb::object warning) {
    const auto& called = use_case(name);
    PythonObserver observer(std::move(progress), std::move(warning));
    Ended ended;
    {
        const nb::gil_scoped_release others_may_run;
        ended = called.run(input, options, observer);
    }
    observer.rethrow();
    return nb::make_tuple(ended.summary, ended.output, ended.signal);
}

nb::dict to_dict(const app::Option& option) {
    static constexpr const char* types[] = {"flag",
                                            "off_switch",
                                            "boolean",
                                            "whole",
                                            "real",
                                            "choice",
                                            "text",
                                            "place",
                                            "pair",
                                            "number"};
    nb::dict out;
    out["name"] = option.name;
    out["aliases"] = option.aliases;
    out["type"] = types[static_cast<int>(option.type)];
    out["unit"] = option.unit;
    out["choices"] = option.choices;
    out["allowed"] = app::allowed(option);
    out["default"] = option.fallback;
    out["about"] = option.about;
    out["is_repeated"] = option.is_repeated;
    return out;
}

nb::list options(const std::string& name) {
    nb::list all;
    for (const auto& option : use_case(name).options) {
        all.append(to_dict(option));
    }
    return all;
}

}  // namespace

void bind_runs(nb::module_& m) {
    m.def("use_cases", &use_case_names, "Names that run() and options() take.");
    m.def("options", &options, "The options of a use case, as records.");
    m.def("run",
          &run,
          nb::arg("use_case"),
          nb::arg("input"),
          nb::arg("options"),
          nb::arg("progress").none() = nb::none(),
          nb::arg("warning").none() = nb::none(),
          "Runs a use case: its summary as JSON, its output directory, the signal that ended it.");
}

}  // namespace lockstep::python
