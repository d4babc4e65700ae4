#include "app/xpcs/stages/fitting.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Of physical values that end at bounds: a slip of a unit does that.
std::string bounds_note(const xpcs::FitResult& fit) {
    std::vector<std::string> names;
    const std::size_t first = fit.names.size() - fit.physical.size();
    for (std::size_t p = 0; p < fit.physical.size(); ++p) {
        if (fit.minimum.bounds[p] != xpcs::nlsq::AtBound::no) {
            names.push_back(fit.names[first + p]);
        }
    }
    return names.empty() ? std::string()
                         : fmt::format(
                               "the fit ends with {} at bounds, and no other value can be "
                               "trusted: check the units of wavevector_q (1/Å), dt (s) and "
                               "stator_rotor_gap (Å), or widen parameter_space.bounds",
                               fmt::join(names, ", "));
}

/// Shared scales are biased where angles differ: whoever asked for them is told. Errors, which cost
/// more than the fit, are found where they do.
std::optional<formats::xpcs::IndividualRecord> compare_with_individual(const XpcsRequest& request,
                                                                       const Dataset& dataset,
                                                                       runtime::Team& team,
                                                                       const Fitted& fitted) {
    const auto& measurement = dataset.measurement();
    const auto mode = dataset.fitting.scale.mode;
    if (mode == xpcs::ScaleMode::individual || measurement.angles() < 2) {
        return std::nullopt;
    }
    auto options = dataset.fitting;
    options.scale.mode = xpcs::ScaleMode::individual;
    options.start = fitted.result.physical;
    options.search = {};
    options.regularisation = {};
    options.sequential.use = xpcs::SequentialOptions::Use::never;
    const auto individual = xpcs::fit(measurement, options, team);
    const auto record = individual_record(fitted.result, individual, {});
    return record.is_better
               ? individual_record(
                     fitted.result,
                     individual,
                     xpcs::errors_of(measurement, options, individual, request.errors, team))
               : record;
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
    fitted.notes.clear();
    if (auto note = bounds_note(fitted.result); !note.empty()) {
        fitted.notes.push_back(std::move(note));
    }
    auto& individual = fitted.record.individual;
    job.section(
        [&] { individual = compare_with_individual(request, dataset, job.team(), fitted); });
    if (individual && individual->is_better) {
        fitted.notes.push_back(individual_note(*individual, dataset.fitting.scale.mode));
    }
    fitted.record.data =
        data_record(dataset.configuration.data.file.string(), dataset.loaded, fitted.result.pairs);
    fitted.record.seconds = watch.seconds();
    fitted.ended_early = fitted.result.minimum.stop == xpcs::nlsq::Stop::caller;
    return fitted;
}

}  // namespace lockstep::app
