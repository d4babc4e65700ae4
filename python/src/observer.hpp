#pragma once

#include <exception>
#include <string>

#include <nanobind/nanobind.h>

#include "lockstep/app/observer.hpp"

namespace lockstep::python {

namespace nb = nanobind;

/// Tells Python functions. What one of them raises ends the work and is raised again at its end.
class PythonObserver final : public app::Observer {
public:
    /// @param progress, warning  called with a dict, with a text; None: nobody listens
    PythonObserver(nb::object progress, nb::object warning);

    void on_warning(const Problem& problem) override;
    void on_notice(app::Notice notice, const std::string& text) override;
    void on_progress(const app::Progress& report) override;
    bool stop_requested() override { return error_ != nullptr; }

    /// With the GIL, after the work.
    void rethrow() const;

private:
    template <typename Make>
    void tell(const nb::object& function, Make&& make);

    nb::object progress_;
    nb::object warning_;
    std::exception_ptr error_;
};

}  // namespace lockstep::python
