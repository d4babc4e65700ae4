#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "lockstep/app/sddp/schema.hpp"
#include "lockstep/app/sddp/summary.hpp"
#include "lockstep/app/sddp/validate.hpp"
#include "lockstep/formats/cobre/policy_files.hpp"
#include "lockstep/formats/cobre/results.hpp"
#include "lockstep/io/json.hpp"

#include "bind_policy.hpp"
#include "bindings.hpp"
#include "tables.hpp"

namespace lockstep::python {

namespace {

using Settings = std::vector<formats::Setting>;

nb::dict to_dict(const Problem& problem) {
    nb::dict out;
    out["severity"] = is_warning(problem.kind) ? "warning" : "error";
    out["kind"] = std::string(to_string(problem.kind));
    out["file"] = problem.file;
    out["entity"] = problem.entity;
    out["message"] = problem.message;
    return out;
}

nb::tuple validate(const std::string& directory, const Settings& settings) {
    app::Validation found;
    {
        const nb::gil_scoped_release others_may_run;
        found = app::validate_case(directory, settings);
    }
    nb::list problems;
    for (const auto& problem : found.problems.all()) {
        problems.append(to_dict(problem));
    }
    nb::dict counts;
    for (const auto& [name, number] : found.counts) {
        counts[name.c_str()] = number;
    }
    return nb::make_tuple(problems, counts);
}

std::string summary(const std::string& output) {
    const nb::gil_scoped_release others_may_run;
    return io::to_text(to_json(app::summarize(output)));
}

nb::dict policy_info(const std::string& folder) {
    const auto info = formats::cobre::read_policy_info(folder);
    nb::dict out;
    out["created_at"] = info.created_at;
    out["iterations"] = info.completed_iterations;
    out["forward_passes"] = info.forward_passes;
    out["lower_bound"] = info.lower_bound;
    out["upper_bound"] = info.upper_bound ? nb::cast(*info.upper_bound) : nb::none();
    out["lower_bounds"] = info.lower_bound_history;
    out["tree_seed"] = info.tree_seed;
    return out;
}

PyTable simulation_table(const std::string& output, const std::string& name) {
    const nb::gil_scoped_release others_may_run;
    return PyTable(formats::cobre::read_simulation_table(output, name));
}

std::vector<std::string> export_schemas(const std::string& directory) {
    std::vector<std::string> files;
    for (const auto& file : app::write_schemas(directory)) {
        files.push_back(file.string());
    }
    return files;
}

}  // namespace

void bind_sddp(nb::module_& m) {
    m.def("validate", &validate, nb::arg("case"), nb::arg("settings"));
    m.def("summary", &summary, nb::arg("output"), "What lockstep sddp summary --json prints.");
    m.def("policy_info", &policy_info, nb::arg("folder"));
    m.def("export_schemas", &export_schemas, nb::arg("directory"));
    m.def(
        "simulation_tables",
        [](const std::string& output) { return formats::cobre::simulation_table_names(output); },
        nb::arg("output"));
    m.def("simulation_table", &simulation_table, nb::arg("output"), nb::arg("name"));
    bind_policy(m);
}

}  // namespace lockstep::python
