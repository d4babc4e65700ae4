#include <algorithm>
#include <string>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "lockstep/base/error.hpp"
#include "lockstep/runtime/signals.hpp"

#include "bindings.hpp"
#include "use_cases.hpp"

namespace nb = nanobind;

namespace lockstep::python {

namespace {

nb::dict to_dict(const app::Progress& progress) {
    nb::dict out;
    out["phase"] = progress.phase;
    out["step"] = progress.step;
    out["done"] = progress.done;
    out["total"] = progress.total;
    out["seconds"] = progress.seconds;
    for (const auto& figure : progress.figures) {
        out[figure.name.c_str()] = figure.value;
    }
    return out;
}

/// Tells Python functions. What one of them raises ends the work and is raised again at its end.
class PythonObserver final : public app::Observer {
public:
    PythonObserver(nb::object progress, nb::object text)
        : progress_(std::move(progress)), text_(std::move(text)) {}

    void on_warning(const Problem& problem) override { say("warning", to_string(problem)); }
    void on_notice(app::Notice notice, const std::string& text) override {
        say(notice == app::Notice::trouble ? "warning" : "news", text);
    }
    void on_progress(const app::Progress& report) override {
        tell(progress_, [&] { progress_(to_dict(report)); });
    }
    void on_phase_end(const app::PhaseEnd& end) override {
        say("end", end.phase + ": " + end.sentence);
    }
    bool stop_requested() override { return error_ != nullptr; }

    void rethrow() const {
        if (error_ != nullptr) {
            std::rethrow_exception(error_);
        }
    }

private:
    void say(const char* kind, const std::string& text) {
        tell(text_, [&] { text_(kind, text); });
    }

    template <typename Call>
    void tell(const nb::object& function, Call&& call) {
        const nb::gil_scoped_acquire python;
        if (function.is_none() || error_ != nullptr) {
            return;
        }
        try {
            call();
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    nb::object progress_;
    nb::object text_;
    std::exception_ptr error_;
};

nb::tuple run(const std::string& name,
              const std::string& input,
              const Given& options,
              nb::object progress,
              nb::object text) {
    const auto& called = use_case(name);
    PythonObserver observer(std::move(progress), std::move(text));
    Ended ended;
    {
        const nb::gil_scoped_release others_may_run;
        runtime::SignalGuard::forget_further_signals();
        const runtime::SignalGuard signals;  // also of what comes after the last step
        ended = called.run(input, options, observer);
        ended.signal = std::max(ended.signal, runtime::SignalGuard::received());
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
    out["choices"] = option.choices;
    out["allowed"] = app::allowed(option);
    out["default"] = option.fallback;
    out["about"] = option.about;
    out["is_repeated"] = option.is_repeated;
    out["group"] = option.group;
    out["unit"] = option.unit;
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
          nb::arg("text").none() = nb::none(),
          "Runs a use case: its summary as JSON, its output directory, the signal that ended it. "
          "progress(report) hears of steps, text(kind, sentence) of warnings, news and ends.");
    m.def("set_own_command", &set_own_command, nb::arg("words"));
}

}  // namespace lockstep::python
