#include "observer.hpp"

#include <utility>

namespace lockstep::python {

namespace {

nb::dict to_dict(const app::Progress& progress) {
    nb::dict out;
    out["phase"] = nb::str(progress.phase.c_str());
    out["step"] = nb::str(progress.step.c_str());
    out["done"] = progress.done;
    out["total"] = progress.total;
    out["seconds"] = progress.seconds;
    for (const auto& figure : progress.figures) {
        out[figure.name.c_str()] = figure.value;
    }
    return out;
}

}  // namespace

PythonObserver::PythonObserver(nb::object progress, nb::object warning)
    : progress_(std::move(progress)), warning_(std::move(warning)) {}

template <typename Make>
void PythonObserver::tell(const nb::object& function, Make&& make) {
    const nb::gil_scoped_acquire python;
    if (function.is_none() || error_ != nullptr) {
        return;
    }
    try {
        function(make());
    } catch (...) {
        error_ = std::current_exception();
    }
}

void PythonObserver::on_warning(const Problem& problem) {
    tell(warning_, [&] { return nb::str(to_string(problem).c_str()); });
}

void PythonObserver::on_notice(app::Notice notice, const std::string& text) {
    if (notice == app::Notice::trouble) {
        tell(warning_, [&] { return nb::str(text.c_str()); });
    }
}

void PythonObserver::on_progress(const app::Progress& report) {
    tell(progress_, [&] { return to_dict(report); });
}

void PythonObserver::rethrow() const {
    if (error_ != nullptr) {
        std::rethrow_exception(error_);
    }
}

}  // namespace lockstep::python
