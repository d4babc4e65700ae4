#include "lockstep/app/xpcs/analyse.hpp"

#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/report.hpp"
#include "lockstep/app/xpcs/in_memory.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/runtime/async_writer.hpp"

#include "app/xpcs/settings.hpp"
#include "app/xpcs/stages/analysis.hpp"

namespace lockstep::app {
namespace {

constexpr auto cache_name = "homodyne's cache";

void begin_writing(std::optional<runtime::AsyncWriter>& writer, Analysis& analysis) {
    writer.emplace(runtime::AsyncWriter::Options{.notice = [&](const std::string& text) {
        analysis.job().observer().on_notice(Notice::trouble, text);
    }});
    writer->write("the fit's files", [&] { analysis.write_fit(); });
    if (analysis.is_cache_wanted()) {
        writer->write(cache_name, [&] { analysis.write_cache(); });
    }
}

/// A cache that cannot be written is no reason to lose a fit.
void end_writing(runtime::AsyncWriter& writer, Job& job) {
    for (const auto& failure : writer.finish()) {
        if (failure.what != cache_name) {
            std::rethrow_exception(failure.error);
        }
        job.observer().on_notice(
            Notice::trouble, fmt::format("{} is not written: {}", failure.what, failure.message));
    }
}

/// The posterior is drawn while files of the fit are written. The first rank at the end may be
/// another one than at the beginning.
void write_and_sample(Analysis& analysis) {
    std::optional<runtime::AsyncWriter> writer;
    auto& job = analysis.job();
    job.on_root([&] {
        if (!writer) {
            begin_writing(writer, analysis);
        }
    });
    if (analysis.is_to_sample()) {
        analysis.sample();
    }
    job.on_root([&] {
        writer ? end_writing(*writer, job) : analysis.write_fit();
        if (analysis.has_posterior()) {
            analysis.write_posterior();
        }
    });
}

Dataset dataset_in_memory(const XpcsRequest& asked, const LoadedMeasurement& measurement) {
    const auto request = with_start_of_result(asked);
    return dataset_of(request,
                      measurement.configuration,
                      configured(request,
                                 formats::homodyne::parse_configuration(measurement.configuration,
                                                                        measurement.name)),
                      measurement.loaded);
}

}  // namespace

XpcsOutcome analyse_measurement(const XpcsRequest& request,
                                comm::Communicator& ranks,
                                Observer& observer) {
    Analysis analysis(request, load_shared_dataset, ranks, observer);
    analysis.start();
    analysis.fit();
    write_and_sample(analysis);
    auto outcome = analysis.finish();
    if (request.has_page) {
        comm::agree(ranks, [&] {
            if (ranks.rank() == 0) {
                make_report(outcome.run.output);
            }
        });
    }
    return outcome;
}

XpcsOutcome analyse_in_memory(const XpcsRequest& request,
                              const LoadedMeasurement& measurement,
                              comm::Communicator& ranks,
                              Observer& observer) {
    const bool is_written = !request.run.output.empty();
    if (!is_written && request.run.resume) {
        throw InputError("resume needs an output, where the checkpoints are");
    }
    Analysis analysis(
        request,
        [&](const XpcsRequest& asked, runtime::Team&) {
            return dataset_in_memory(asked, measurement);
        },
        ranks,
        observer,
        is_written ? Analysis::Files::written : Analysis::Files::none);
    analysis.start();
    analysis.fit();
    if (is_written) {
        write_and_sample(analysis);
    } else if (analysis.is_to_sample()) {
        analysis.sample();
    }
    return analysis.finish();
}

}  // namespace lockstep::app
