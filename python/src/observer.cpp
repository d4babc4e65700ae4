#include "observer.hpp"

#include <nanobind/stl/string.h>

namespace lockstep::python {

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

}  // namespace lockstep::python
