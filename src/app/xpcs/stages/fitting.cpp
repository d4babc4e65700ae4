#include "app/xpcs/stages/fitting.hpp"

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/xpcs/errors.hpp"

#include "app/xpcs/records.hpp"
#include "app/xpcs/settings.hpp"

namespace lockstep::app {
namespace {

std::string individual_note(const formats::xpcs::IndividualRecord& individual,
                            xpcs::ScaleMode mode) {
    return fmt::format(
        "scales of their own for each angle lower chi squared by {} for {}: the angles differ, and "
        "{} scaling biases the fit; both are told (--scaling individual makes it the fit)",
        digits(individual.chi_squared_drop),
        plural(individual.more_parameters, "more value"),
        name_of(mode));
}

/// Shared scales are biased where angles differ: whoever asked for them is told.
void compare_with_individual(const XpcsRequest& request,
                             const Dataset& dataset,
                             runtime::Team& team,
                             Fitted& fitted) {
    const auto& measurement = dataset.measurement();
    const auto mode = dataset.fitting.scale.mode;
    if (mode == xpcs::ScaleMode::individual || measurement.angles() < 2) {
        return;
    }
    auto options = dataset.fitting;
    options.scale.mode = xpcs::ScaleMode::individual;
    options.start = fitted.result.physical;
    const auto individual = xpcs::fit(measurement, options, team);
    const auto errors = xpcs::errors_of(measurement, options, individual, request.errors, team);
    fitted.record.individual = individual_record(fitted.result, individual, errors);
    fitted.notes.clear();
    if (fitted.record.individual->is_better) {
        fitted.notes.push_back(individual_note(*fitted.record.individual, mode));
    }
}

}  // namespace

Fitted fit_dataset(const XpcsRequest& request,
                   const Dataset& dataset,
                   Job& job,
                   XpcsBridge& bridge) {
    const Stopwatch watch;
    const auto& measurement = dataset.measurement();
    Fitted fitted;
    job.section([&] {
        bridge.begin();
        fitted.result = xpcs::fit(measurement, dataset.fitting, job.team(), &bridge);
    });
    bridge.settle();
    xpcs::ErrorBars errors;
    job.section([&] {
        errors = xpcs::errors_of(
            measurement, dataset.fitting, fitted.result, request.errors, job.team());
    });
    fitted.record = fit_record(measurement, dataset.fitting, fitted.result, errors);
    fitted.record.history = bridge.history();
    job.section([&] { compare_with_individual(request, dataset, job.team(), fitted); });
    fitted.record.data =
        data_record(dataset.configuration.data.file.string(), dataset.loaded, fitted.result.pairs);
    fitted.record.seconds = watch.seconds();
    fitted.ended_early = fitted.result.minimum.stop == xpcs::nlsq::Stop::caller;
    return fitted;
}

}  // namespace lockstep::app
