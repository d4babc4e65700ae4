#include "app/xpcs/stages/fitting.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/xpcs/errors.hpp"

#include "app/xpcs/records.hpp"
#include "app/xpcs/settings.hpp"
#include "app/xpcs/shards/combined.hpp"

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

/// Physical values of a fit for which `says` holds, by name.
template <typename F>
std::string physical_names(const xpcs::FitOptions& options,
                           const formats::xpcs::FitRecord& record,
                           F says) {
    std::vector<std::string> names;
    const auto box = options.box();
    for (const auto& value : record.values) {
        if (says(value) && std::ranges::find(box.names, value.name) != box.names.end()) {
            names.push_back(value.name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Of physical values that end at bounds: a slip of a unit does that.
void add_bounds_notes(const xpcs::FitOptions& options, Fitted& fitted) {
    using formats::xpcs::ValueRecord;
    const auto names = [&](std::string ValueRecord::*member) {
        return physical_names(options, fitted.record, [&](const ValueRecord& value) {
            return !(value.*member).empty();
        });
    };
    if (const auto there = names(&ValueRecord::bound); !there.empty()) {
        fitted.notes.push_back(fmt::format(
            "the fit ends with {} at bounds, and no other value can be trusted: check the units of "
            "wavevector_q (1/Å), dt (s) and stator_rotor_gap (Å), or widen parameter_space.bounds",
            there));
    }
    if (const auto cut = names(&ValueRecord::cut); !cut.empty()) {
        fitted.notes.push_back(fmt::format(
            "a bound lies within one standard error of {}: intervals end there, and the data say "
            "little beyond the bounds",
            cut));
    }
}

xpcs::ErrorOptions error_options(const XpcsRequest& request, const xpcs::FitOptions& options) {
    auto how = request.errors;
    if (options.objective == xpcs::FitObjective::compat_grid) {
        how.method = xpcs::ErrorMethod::classical;
    }
    return how;
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
                     xpcs::errors_of(
                         measurement, options, individual, error_options(request, options), team))
               : record;
}

void take_shards(ShardDealing& dealing, Fitted& fitted, Job& job) {
    fitted.dealt = dealing.end();
    if (!fitted.dealt.deal) {
        job.observer().on_notice(
            Notice::trouble,
            fmt::format("shards are dealt after the errors of the fit, not beside them: {}",
                        fitted.dealt.remark));
    }
}

}  // namespace

Fitted fit_dataset(const XpcsRequest& request,
                   const Dataset& dataset,
                   Job& job,
                   XpcsBridge& bridge) {
    const Stopwatch watch;
    const auto& measurement = dataset.measurement();
    runtime::ThreadTeam one_thread(1);
    runtime::Team serial{job.team().ranks, one_thread};
    auto& team = dataset.configuration.nlsq.is_parallel ? job.team() : serial;
    Fitted fitted;
    job.section([&] {
        bridge.begin();
        fitted.result = xpcs::fit(measurement, dataset.fitting, team, &bridge);
    });
    bridge.settle();
    const auto dealing = begin_dealing(request, dataset, fitted);
    xpcs::ErrorBars errors;
    job.section([&] {
        errors = xpcs::errors_of(measurement,
                                 dataset.fitting,
                                 fitted.result,
                                 error_options(request, dataset.fitting),
                                 team);
    });
    if (dealing) {
        take_shards(*dealing, fitted, job);
    }
    fitted.record = fit_record(measurement,
                               dataset.fitting,
                               fitted.result,
                               errors,
                               dataset.configuration.nlsq.bounds_tolerance);
    fitted.record.history = bridge.history();
    fitted.notes.clear();
    add_bounds_notes(dataset.fitting, fitted);
    auto& individual = fitted.record.individual;
    job.section([&] { individual = compare_with_individual(request, dataset, team, fitted); });
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
