#pragma once

#include <exception>
#include <utility>

#include <nanobind/nanobind.h>

#include "lockstep/app/observer.hpp"

namespace lockstep::python {

namespace nb = nanobind;

nb::dict to_dict(const app::Progress& progress);

/// Tells Python functions. What one of them raises ends the work and is raised again at its end.
class PythonObserver final : public app::Observer {
public:
    PythonObserver(nb::object progress, nb::object warning)
        : progress_(std::move(progress)), warning_(std::move(warning)) {}

    void on_warning(const Problem& problem) override;
    void on_notice(app::Notice notice, const std::string& text) override;
    void on_progress(const app::Progress& report) override;
    bool stop_requested() override { return error_ != nullptr; }

    void rethrow() const {
        if (error_ != nullptr) {
            std::rethrow_exception(error_);
        }
    }

private:
    template <typename Make>
    void tell(const nb::object& function, Make&& make);

    nb::object progress_;
    nb::object warning_;
    std::exception_ptr error_;
};

}  // namespace lockstep::python
